package use

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/develop"
	"github.com/winnowhq/winnow/services/local"
)

// startPatience is how long an agent that wants to begin waits for us at most,
// unless it says otherwise.
const startPatience = 2 * time.Second

// maxStart is more than a session's start ever has, in bytes.
const maxStart = 256 << 10

// startedSession is what a coding agent says at the start of a session. Other
// fields, such as why it starts, are its own business.
type startedSession struct {
	SessionID string `json:"session_id"`
	Dir       string `json:"cwd"`
}

func hookSessionStart(a *command.App) *cobra.Command {
	var at string
	var patience time.Duration
	cmd := &cobra.Command{
		Use: "session-start", Short: "Tell a coding agent what to know when a session begins", Args: cobra.NoArgs,
		Long: "Reads the hook's JSON (session_id, cwd) and prints the project's rules, lessons and\n" +
			"news, which the agent takes into its context. It never disturbs the agent: it ends\n" +
			"within --timeout and with 0, prints nothing when there is nothing to tell, and\n" +
			"what it could not do is one line on standard error.",
		Example: "  winnow hook session-start < hook.json\n" +
			"  echo '{\"session_id\":\"s1\",\"cwd\":\".\"}' | winnow hook session-start",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), patience)
			defer cancel()
			// Beside us, because a read that hangs hears of no deadline.
			text, failed := make(chan string, 1), make(chan error, 1)
			go func() {
				told, err := startSession(ctx, a, at)
				text <- told
				failed <- err
			}()
			select {
			case told := <-text:
				fmt.Fprint(a.Out, told)
				if err := <-failed; err != nil {
					a.Say("winnow: %s", oneLine(err))
				}
			case <-ctx.Done():
				a.Say("winnow: no answer within %s", patience)
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&patience, "timeout", startPatience, "how long the agent waits at most")
	cmd.Flags().StringVar(&at, "url", "", "Winnow's address, with the key in "+develop.KeyVariable+" (default: the running winnow dev)")
	return cmd
}

// startSession is what the agent should know, empty when there is nothing to
// tell.
func startSession(ctx context.Context, a *command.App, at string) (string, error) {
	var hook startedSession
	text, err := io.ReadAll(io.LimitReader(a.In, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &hook)
	}
	if err != nil {
		return "", fmt.Errorf("the hook's JSON cannot be read: %w", err)
	}
	if hook.Dir == "" {
		hook.Dir = "."
	}
	project, err := local.FindProject(hook.Dir)
	if err != nil {
		return "", err
	}
	find, err := develop.Finder(a, at)
	if err != nil {
		return "", err
	}
	base, err := find()
	if err != nil {
		return "", err
	}
	start, err := fetchStart(ctx, base+"/api/session-start?"+url.Values{"project": {project}, "session_id": {hook.SessionID}}.Encode())
	if err != nil {
		return "", err
	}
	if len(start.MemoryIDs) == 0 {
		return "", nil
	}
	return start.Context, nil
}

// toldStart is what the hook reads of the answer.
type toldStart struct {
	Context   string   `json:"context"`
	MemoryIDs []string `json:"memory_ids"`
	Detail    string   `json:"detail"` // of a refusal
}

func fetchStart(ctx context.Context, address string) (told toldStart, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return told, err
	}
	if key := os.Getenv(develop.KeyVariable); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return told, errors.New("Winnow did not answer in time")
	case err != nil:
		return told, errors.New("Winnow does not answer: start it with winnow dev")
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, maxStart)).Decode(&told)
	switch {
	case resp.StatusCode != http.StatusOK && told.Detail != "":
		return told, errors.New(told.Detail)
	case resp.StatusCode != http.StatusOK:
		return told, fmt.Errorf("Winnow answers %s", resp.Status)
	}
	return told, err
}
