package bridge

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Here is what the bridge knows of its agent, from the folder that it was started in.
type Here struct {
	Project string // empty for a folder without a project
	Session string // one for each run of the bridge
}

// projectArguments names the argument for the project of the tools that take one, because
// a tool refuses an argument that it does not know. With a summary's topic the project
// of memory_consolidate is where the topic belongs, so it is filled in there too.
var projectArguments = map[string]string{
	"memory_search": "project", "memory_deep_search": "project", "memory_record": "project", "memory_add": "project", "store_memory": "project",
	"memory_summarize": "project", "session_start": "project", "auto_session_start": "project",
	"start_workflow": "project", "get_active_workflow": "project", "list_workflows": "project",
	"memory_consolidate": "project_id", "auto_consolidate": "project_id", "force_consolidate": "project_id", "consolidation_status": "project_id",
}

// activeTools take a workflow's id, and without one they mean the active one of the
// project. With an id the project would only restrict it, so it is not filled in.
var activeTools = map[string]bool{"complete_workflow": true, "pause_workflow": true, "resume_workflow": true, "get_workflow_context": true}

// sessionTools are the tools that take session_id.
var sessionTools = map[string]bool{
	"memory_search": true, "memory_deep_search": true, "memory_get": true, "memory_record": true, "memory_add": true, "store_memory": true,
	"memory_feedback": true, "memory_outcome": true, "memory_consolidate": true, "memory_summarize": true,
	"session_start": true, "auto_session_start": true,
	"get_active_workflow": true, "get_workflow_context": true, "complete_workflow": true, "pause_workflow": true, "resume_workflow": true,
}

// filled returns a call of a tool with the project and the session of the agent, where
// the agent left them out. What an agent gave stays, an empty text too: it may mean all
// projects. A message that is no such call is returned as it is.
func (h Here) filled(r *jsonrpc.Request) *jsonrpc.Request {
	if r.Method != methodCall {
		return r
	}
	var params map[string]json.RawMessage
	var name string
	var arguments map[string]json.RawMessage
	if json.Unmarshal(r.Params, &params) != nil || json.Unmarshal(params["name"], &name) != nil {
		return r
	}
	if raw := params["arguments"]; len(raw) > 0 && json.Unmarshal(raw, &arguments) != nil {
		return r
	}
	if arguments == nil {
		arguments = map[string]json.RawMessage{}
	}
	before := len(arguments)
	add := func(argument, value string) {
		if _, given := arguments[argument]; !given && argument != "" && value != "" {
			arguments[argument], _ = json.Marshal(value) // a text cannot fail
		}
	}
	add(projectArguments[name], h.Project)
	if _, named := arguments["workflow_id"]; activeTools[name] && !named {
		add("project", h.Project)
	}
	if sessionTools[name] {
		add("session_id", h.Session)
	}
	if len(arguments) == before {
		return r
	}
	params["arguments"], _ = json.Marshal(arguments) // made of JSON
	raw, err := json.Marshal(params)
	if err != nil {
		return r
	}
	return &jsonrpc.Request{ID: r.ID, Method: r.Method, Params: raw, Extra: r.Extra}
}
