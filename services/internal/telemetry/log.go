package telemetry

import (
	"errors"
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// LogConfig configures the logs of a process.
type LogConfig struct {
	Level  string `koanf:"level" help:"debug, info, warn or error."`
	Format string `koanf:"format" help:"json, console, or auto: console on a terminal, else json."`
}

// DefaultLogConfig returns the level info in the format that fits the output.
func DefaultLogConfig() LogConfig { return LogConfig{Level: "info", Format: "auto"} }

// Validate returns an error for every invalid value.
func (c LogConfig) Validate() error {
	var problems []error
	if _, err := zapcore.ParseLevel(c.Level); err != nil {
		problems = append(problems, fmt.Errorf("level %q: want debug, info, warn or error", c.Level))
	}
	switch c.Format {
	case "json", "console", "auto":
	default:
		problems = append(problems, fmt.Errorf("format %q: want json, console or auto", c.Format))
	}
	return errors.Join(problems...)
}

// NewLogger returns the process's logger, which writes to w. terminal reports whether w is
// a terminal, and color whether to write escape codes. Stack traces are left out: an error
// is handled or returned where it occurs.
func NewLogger(c LogConfig, w io.Writer, terminal, color bool) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	enc := zap.NewProductionEncoderConfig()
	enc.TimeKey, enc.EncodeTime = "at", zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder
	if c.Format == "console" || c.Format == "auto" && terminal {
		enc.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		enc.EncodeLevel = zapcore.CapitalLevelEncoder
		if color {
			enc.EncodeLevel = zapcore.CapitalColorLevelEncoder
		}
		encoder = zapcore.NewConsoleEncoder
	}
	return zap.New(zapcore.NewCore(encoder(enc), zapcore.Lock(zapcore.AddSync(w)), level)), nil
}
