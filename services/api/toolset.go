package api

import (
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// The toolsets. Every tool that a client lists costs its model tokens in each session, so
// core is what an agent needs, and all has everything else too.
const (
	toolsetCore = "core"
	toolsetAll  = "all"
)

// The names by which a client asks for a toolset: a header, or a parameter of the
// address.
const (
	toolsetsHeader    = "Winnow-Toolsets"
	toolsetsParameter = "toolsets"
)

// toolsetConfig are the settings of the MCP endpoint.
type toolsetConfig struct {
	Toolsets string `koanf:"toolsets" help:"Which tools a client gets that asks for none: core, or all. A client asks with /mcp?toolsets=all, the header Winnow-Toolsets, or winnow mcp --toolsets all."`
}

// Validate implements [worker.Config].
func (c toolsetConfig) Validate() error {
	if c.Toolsets != toolsetCore && c.Toolsets != toolsetAll {
		return fmt.Errorf("toolsets: %q; write %s or %s", c.Toolsets, toolsetCore, toolsetAll)
	}
	return nil
}

var toolsets = worker.SettingsAt("mcp", func() toolsetConfig { return toolsetConfig{Toolsets: toolsetCore} })

// endpoint returns the handler of /mcp.
func (a *api) endpoint() (http.Handler, error) {
	servers, straight, err := a.servers()
	if err != nil {
		return nil, err
	}
	usual := toolsets.Of(a.Deps).Toolsets
	library := overHTTP(servers, usual, transport())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked(r, usual) != toolsetCore {
			library.ServeHTTP(w, r)
			return
		}
		straight.Serve(w, r, library)
	}), nil
}

// transport returns how the server speaks HTTP. Any replica answers any request: the
// servers have no state between requests. No tool reports progress, so an answer is one
// object of JSON.
func transport() *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true}
}

// overHTTP returns a handler of MCP with a server for each toolset, the usual one for a
// client that asks for none.
func overHTTP(servers map[string]*mcp.Server, usual string, o *mcp.StreamableHTTPOptions) http.Handler {
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return servers[asked(r, usual)] }, o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := asked(r, usual); servers[name] == nil {
			httpapi.NewProblem(http.StatusBadRequest, fmt.Sprintf("toolsets: %q is none; ask for %s or %s", oneLine(name, 40), toolsetCore, toolsetAll)).Write(w)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// asked returns the toolset that a request names: in the address, else in the header,
// else the usual one.
func asked(r *http.Request, usual string) string {
	if name := r.URL.Query().Get(toolsetsParameter); name != "" {
		return name
	}
	if name := r.Header.Get(toolsetsHeader); name != "" {
		return name
	}
	return usual
}
