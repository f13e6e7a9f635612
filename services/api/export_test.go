package api

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Fixture serves tools, resources and prompts of a test at /mcp, over everything that
// the real ones are served over: the door, the limits, the transport and the middleware.
// Two things differ, because the fixtures do what no tool of the product does: adjust
// declares the capabilities that they use, and answers are streams, as progress needs.
func Fixture(deps worker.Deps, mux *http.ServeMux, adjust func(*mcp.ServerOptions), add func(*mcp.Server)) {
	o := offered()
	adjust(o)
	s := bare(deps.Log, o)
	add(s)
	way := transport()
	way.JSONResponse = false
	mux.Handle("/mcp", doorOf(deps).Guard("mcp", overHTTP(map[string]*mcp.Server{toolsetCore: s}, toolsetCore, way)))
}
