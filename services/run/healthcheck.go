package run

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
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

// Readiness returns what each check of the process at the address says, "ok" for one that
// holds, and the build that runs there ("1.4.0"; empty when it does not say).
func Readiness(ctx context.Context, addr string) (checks map[string]string, build string, err error) {
	base, err := healthURL(addr)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*readyTimeout)
	defer cancel()
	ready, err := get(ctx, base+"/readyz?verbose")
	if err != nil {
		return nil, "", err
	}
	checks = map[string]string{}
	for line := range strings.Lines(ready) {
		if name, said, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			checks[name] = said
		}
	}
	metrics, err := get(ctx, base+"/metrics")
	if found := buildLabel.FindStringSubmatch(metrics); found != nil {
		build = found[1]
	}
	return checks, build, err
}

// buildLabel finds the version in the metric that tells the build.
var buildLabel = regexp.MustCompile(`winnow_build_info{[^}]*version="([^"]*)"`)

// get returns the text at a URL, whatever its status.
func get(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", WithCode(ExitDependency, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return string(text), err
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
