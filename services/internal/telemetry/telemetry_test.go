package telemetry

import (
	"bytes"
	"encoding/json"
	"testing"

	"go.uber.org/zap"
)

// Machines read JSON, people read lines; `auto` picks by the terminal.
func TestLogFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format   string
		terminal bool
		json     bool
	}{{"auto", true, false}, {"auto", false, true}, {"json", true, true}, {"console", false, false}} {
		var out bytes.Buffer
		log, err := NewLogger(LogConfig{Level: "info", Format: c.format}, &out, c.terminal, false)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("started", zap.String(KeyWorker, "triage"))
		if got := json.Valid(out.Bytes()); got != c.json {
			t.Errorf("format %s, terminal %v: JSON is %v, want %v: %s", c.format, c.terminal, got, c.json, out.String())
		}
	}
}

func TestLogConfigNamesAllProblems(t *testing.T) {
	t.Parallel()
	err := LogConfig{Level: "loud", Format: "xml"}.Validate()
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("loud")) || !bytes.Contains([]byte(err.Error()), []byte("xml")) {
		t.Errorf("got %v, want both problems", err)
	}
	if err := DefaultLogConfig().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}

func TestRegistryGathers(t *testing.T) {
	t.Parallel()
	families, err := NewRegistry(ReadBuild()).Gather()
	if err != nil || len(families) < 3 {
		t.Errorf("%d families, %v", len(families), err)
	}
}
