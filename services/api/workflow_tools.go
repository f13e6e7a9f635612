package api

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

// Tokens of a workflow's context (S0.28). Fewer than the least have no room for the
// fence and a line.
const (
	leastContext   = 150
	mostContext    = 8000
	defaultContext = 2000
	mostWorkflows  = 100
	someWorkflows  = 20
)

// tool returns a tool with the schemas of its input and output.
func tool[In, Out any](name, title, description string, hints *mcp.ToolAnnotations, edits map[string]edit) (*mcp.Tool, error) {
	input, err := schemaOf[In](edits)
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[Out](nil)
	hints.Title = title
	return &mcp.Tool{Name: name, Title: title, Description: description, Annotations: hints, InputSchema: input, OutputSchema: output}, err
}

func startWorkflowTool() (*mcp.Tool, error) {
	return tool[startWorkflowInput, workflowOutput]("start_workflow", "Start a workflow",
		"Begins a task that may take several sessions; what is recorded in its project belongs to it. "+
			"One per project is active.",
		adds(""), map[string]edit{"name": length(1, workflow.MaxName), "description": length(0, workflow.MaxDescription)})
}

func completeWorkflowTool() (*mcp.Tool, error) {
	return tool[namedWorkflowInput, workflowOutput]("complete_workflow", "Complete a workflow",
		"Ends the active workflow, or the one named, with a summary of its memories, when the task is done. "+
			"It cannot be resumed.",
		merges(""), namedEdits())
}

func pauseWorkflowTool() (*mcp.Tool, error) {
	return tool[namedWorkflowInput, workflowOutput]("pause_workflow", "Pause a workflow",
		"Pauses the active workflow, or the one named, so that another can start. Useful when something else comes first. Nothing is lost.",
		merges(""), namedEdits())
}

func resumeWorkflowTool() (*mcp.Tool, error) {
	return tool[namedWorkflowInput, workflowOutput]("resume_workflow", "Resume a workflow",
		"Makes a paused workflow the active one again; needs workflow_id, which list_workflows has. With another one active this is an error that names it.",
		merges(""), namedEdits())
}

func activeWorkflowTool() (*mcp.Tool, error) {
	return tool[activeWorkflowInput, activeWorkflowOutput]("get_active_workflow", "Get the active workflow",
		"Returns the task that the project is at, with its newest memories. "+
			"Useful before starting one. It changes nothing.",
		reads(""), map[string]edit{"session_id": length(0, maxSession)})
}

func listWorkflowsTool() (*mcp.Tool, error) {
	statuses := []string{anything}
	for _, s := range memory.WorkflowStatuses() {
		statuses = append(statuses, string(s))
	}
	return tool[listWorkflowsInput, listWorkflowsOutput]("list_workflows", "List workflows",
		"Lists the workflows of a project, the newest first. Useful to find one to resume or to read. It changes nothing.",
		reads(""), map[string]edit{"status": oneOf(statuses...), "limit": number(1, mostWorkflows, someWorkflows)})
}

func workflowContextTool() (*mcp.Tool, error) {
	return tool[contextInput, contextOutput]("get_workflow_context", "Read a workflow",
		"Returns a workflow with its memories as one text, within a budget of tokens. "+
			"Useful when a session goes on with a task, or to see what an earlier one brought. It changes nothing.",
		reads(""), map[string]edit{
			"workflow_id": length(0, maxID), "session_id": length(0, maxSession), "max_tokens": number(leastContext, mostContext, defaultContext),
		})
}

func namedEdits() map[string]edit {
	return map[string]edit{"workflow_id": length(0, maxID), "session_id": length(0, maxSession)}
}
