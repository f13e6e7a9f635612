package nats

import (
	"fmt"

	"go.uber.org/zap"
)

// serverLog logs the server's messages and stores the first fatal one, which does not end
// an embedded server by itself.
type serverLog struct {
	logger *zap.Logger
	fatal  chan string
}

func newServerLog(logger *zap.Logger) *serverLog {
	return &serverLog{logger: logger.Named("nats"), fatal: make(chan string, 1)}
}

// Noticef is Debug here: the server's start fills a screen.
func (l *serverLog) Noticef(format string, v ...any) { l.pass(l.logger.Debug, format, v) }
func (l *serverLog) Warnf(format string, v ...any)   { l.pass(l.logger.Warn, format, v) }
func (l *serverLog) Errorf(format string, v ...any)  { l.pass(l.logger.Error, format, v) }

func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
	}
	l.pass(l.logger.Error, format, v)
}

// Debugf and Tracef are dropped: they would print messages' content.
func (l *serverLog) Debugf(string, ...any) {}
func (l *serverLog) Tracef(string, ...any) {}

func (l *serverLog) pass(log func(string, ...zap.Field), format string, v []any) {
	log("server", zap.String("says", fmt.Sprintf(format, v...)))
}
