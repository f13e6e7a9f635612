package run

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Healthcheck returns nil when the process on the configured address is ready. It is for
// containers without a shell, and prints nothing on success.
func Healthcheck(ctx context.Context, cfg Config) error {
	base, err := healthURL(cfg.HTTP.Addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz?verbose", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return WithCode(ExitFailure, fmt.Errorf("not reachable: %w", err))
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 8<<10))
	if resp.StatusCode != http.StatusOK {
		return WithCode(ExitFailure, fmt.Errorf("not ready:\n%s", strings.TrimSpace(string(body))))
	}
	return nil
}

// healthURL returns the URL to request for an address to listen on.
func healthURL(addr string) (string, error) {
	if strings.HasPrefix(addr, "http://") {
		return addr, nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("http.addr: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}
