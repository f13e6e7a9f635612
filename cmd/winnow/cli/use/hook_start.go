package use

import (
	"cmp"
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

// startTimeout bounds the time for which a starting agent waits for the hook,
// unless the agent sets another timeout.
const startTimeout = 2 * time.Second

// maxStart bounds the size of a session's start, in bytes.
const maxStart = 256 << 10

// startedSession is a coding agent's message at the start of a session. Other
// fields, such as the cause of the start, are ignored.
type startedSession struct {
	SessionID string `json:"session_id"`
	Dir       string `json:"cwd"`
	// Cursor's names, and by the event's form its way to be answered.
	Event        string   `json:"hook_event_name"`
	Conversation string   `json:"conversation_id"`
	Roots        []string `json:"workspace_roots"`
}

// cursorStart is how Cursor names the event; the others begin it with a capital letter.
const cursorStart = "sessionStart"

func hookSessionStart(a *command.App) *cobra.Command {
	var at string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "session-start", Short: "Tell a coding agent what to know when a session begins", Args: cobra.NoArgs,
		Long: "Reads the hook's JSON (session_id, cwd) and prints the project's rules, lessons and\n" +
			"news, which the agent takes into its context. It never disturbs the agent: it ends\n" +
			"within --timeout and with 0, prints nothing when there is nothing to tell, and\n" +
			"what it could not do is one line on standard error.",
		Example: "  winnow hook session-start < hook.json\n" +
			"  echo '{\"session_id\":\"s1\",\"cwd\":\".\"}' | winnow hook session-start",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			// In a goroutine of its own, because a blocked read ignores the
			// deadline.
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
				a.Say("winnow: no answer within %s", timeout)
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", startTimeout, "how long the agent waits at most")
	cmd.Flags().StringVar(&at, "url", "", "Winnow's address, with the key in "+develop.KeyVariable+" (default: the running winnow dev)")
	return cmd
}

// startSession returns the text for the agent, empty when there is none.
func startSession(ctx context.Context, a *command.App, at string) (string, error) {
	var hook startedSession
	text, err := io.ReadAll(io.LimitReader(a.In, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &hook)
	}
	if err != nil {
		return "", fmt.Errorf("the hook's JSON cannot be read: %w", err)
	}
	hook.SessionID = cmp.Or(hook.SessionID, hook.Conversation)
	if hook.Dir == "" && len(hook.Roots) > 0 {
		hook.Dir = hook.Roots[0]
	}
	hook.Dir = cmp.Or(hook.Dir, ".")
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
	if hook.Event == cursorStart {
		raw, err := json.Marshal(map[string]string{"additional_context": start.Context})
		return string(raw) + "\n", err
	}
	return start.Context, nil
}

// startAnswer is the part of the answer that the hook reads.
type startAnswer struct {
	Context   string   `json:"context"`
	MemoryIDs []string `json:"memory_ids"`
	Detail    string   `json:"detail"` // detail of a refusal
}

func fetchStart(ctx context.Context, address string) (answer startAnswer, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer, err
	}
	if key := os.Getenv(develop.KeyVariable); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return answer, errors.New("Winnow did not answer in time")
	case err != nil:
		return answer, errors.New("Winnow does not answer: start it with winnow dev")
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, maxStart)).Decode(&answer)
	switch {
	case resp.StatusCode != http.StatusOK && answer.Detail != "":
		return answer, errors.New(answer.Detail)
	case resp.StatusCode != http.StatusOK:
		return answer, fmt.Errorf("Winnow answers %s", resp.Status)
	}
	return answer, err
}
