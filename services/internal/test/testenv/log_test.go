package testenv_test

import (
	"testing"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestLoggerOutlivesItsTest(t *testing.T) {
	t.Parallel()
	var log *zap.Logger
	t.Run("brief", func(t *testing.T) { log = testenv.Logger(t, zap.InfoLevel) })
	log.Info("too late") // would panic
}
