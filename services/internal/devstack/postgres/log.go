package postgres

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	logName = "postgres.log"
	// logLimit is the size in bytes above which a start renames the log.
	logLimit = 8 << 20
	// tailLines is the number of log lines in an error.
	tailLines = 12
)

// serverLog is the file of the server's messages.
type serverLog struct {
	file  *os.File
	path  string
	start int64 // offset where this start's messages begin
}

// openLog opens the log in the data folder. The folder belongs to the server's user while
// this process may be root, so a link in place of the log is an error.
func openLog(dataDir string) (*serverLog, error) {
	path := filepath.Join(dataDir, logName)
	if info, err := os.Lstat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("set log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	start, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open log: %w", err), file.Close())
	}
	return &serverLog{file: file, path: path, start: start}, nil
}

// tail returns the last messages of this start.
func (l *serverLog) tail() string {
	text, err := io.ReadAll(io.NewSectionReader(l.file, l.start, logLimit))
	if err != nil {
		return err.Error()
	}
	return lastLines(string(text), tailLines)
}

// Close closes this process's handle; the server has its own.
func (l *serverLog) Close() error { return l.file.Close() }

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
