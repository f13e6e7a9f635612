package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// ErrForbidden says that the credential is known and does not allow the operation;
// the message says what to ask for.
var ErrForbidden = errors.New("not allowed")

// anyone is the need of an operation that every known caller may use.
const anyone memory.Permission = ""

// needs is the one table of what an operation requires, over HTTP (ids of operations,
// with hyphens) and over MCP (names of tools, with underscores). An operation that is
// missing here is refused.
//
// A consolidation that an agent asks for needs no more than a proposal: gates bound
// what it does, nothing is deleted, and undoing it needs memory:operate.
var needs = map[string]memory.Permission{
	// The transport of MCP; each tool has its own need.
	"mcp": anyone,

	"search-memories": memory.MayRead, "list-memories": memory.MayRead, "get-memory": memory.MayRead,
	"get-memory-history": memory.MayRead, "why": memory.MayRead, "start-session": memory.MayRead,
	"get-consolidation-status": memory.MayRead, "list-runs": memory.MayRead, "get-run": memory.MayRead,
	"list-retired-terms": memory.MayRead, "list-scopes": memory.MayRead, "get-caller": anyone,
	"list-workflows": memory.MayRead, "get-workflow": memory.MayRead,

	"create-proposal": memory.MayPropose, "create-session": memory.MayPropose,
	"send-feedback": memory.MayPropose, "send-outcome": memory.MayPropose, "create-consolidation": memory.MayPropose,
	"start-workflow": memory.MayPropose, "pause-workflow": memory.MayPropose, "resume-workflow": memory.MayPropose, "complete-workflow": memory.MayPropose,

	"list-reviews": memory.MayReview, "list-digests": memory.MayReview, "get-digest": memory.MayReview,
	"reply-to-digest": memory.MayDecide,

	"undo-run": memory.MayOperate, "list-log": memory.MayOperate, "list-audit": memory.MayOperate, "verify-audit": memory.MayOperate,
	"list-principals": memory.MayOperate, "put-principal": memory.MayOperate,
	"list-keys": memory.MayOperate, "create-key": memory.MayOperate, "revoke-key": memory.MayOperate,
	"create-retired-term": memory.MayOperate, "delete-retired-term": memory.MayOperate,
	"put-scope": memory.MayOperate, "unlink-scope": memory.MayOperate,

	"memory_search": memory.MayRead, "memory_deep_search": memory.MayRead, "memory_get": memory.MayRead,
	"session_start": memory.MayRead, "auto_session_start": memory.MayRead, "consolidation_status": memory.MayRead, "run_get": memory.MayRead,
	"get_active_workflow": memory.MayRead, "get_workflow": memory.MayRead, "list_workflows": memory.MayRead, "workflow_context": memory.MayRead,
	"get_workflow_context": memory.MayRead, "get_workflow_memories": memory.MayRead, "workflow_status": memory.MayRead,
	"resource": memory.MayRead, "prompt": memory.MayRead,

	"memory_record": memory.MayPropose, "memory_add": memory.MayPropose, "store_memory": memory.MayPropose,
	"memory_feedback": memory.MayPropose, "memory_outcome": memory.MayPropose,
	"memory_consolidate": memory.MayPropose, "memory_summarize": memory.MayPropose, "auto_consolidate": memory.MayPropose,
	"force_consolidate": memory.MayPropose, "consolidate_memories": memory.MayPropose,
	"start_workflow": memory.MayPropose, "complete_workflow": memory.MayPropose, "pause_workflow": memory.MayPropose,
	"resume_workflow": memory.MayPropose, "switch_workflow": memory.MayPropose, "update_workflow": memory.MayPropose,
	"link_workflow_memory": memory.MayPropose, "abandon_workflow": memory.MayPropose, "cancel_workflow": memory.MayPropose,

	"review_list": memory.MayReview, "digest": memory.MayReview,
}

// whole lists the operations whose answer or effect is of the whole tenant. A principal
// that is bound to scopes may use none of them, whatever its permissions.
var whole = map[string]bool{
	"list-log": true, "list-audit": true, "verify-audit": true,
	"list-principals": true, "put-principal": true, "list-keys": true, "create-key": true, "revoke-key": true,
	"create-retired-term": true, "delete-retired-term": true, "put-scope": true, "unlink-scope": true,
	"list-digests": true, "get-digest": true, "reply-to-digest": true, "digest": true,
}

// Needs returns what an operation or tool requires, empty for every known caller.
// listed is false for one that the table does not have.
func Needs(operation string) (wanted memory.Permission, listed bool) {
	wanted, listed = needs[operation]
	return wanted, listed
}

// Check returns ErrForbidden when the caller may not use an operation.
func Check(who memory.Principal, operation string) error {
	wanted, listed := needs[operation]
	switch {
	case !listed:
		return fmt.Errorf("%w: %s is in no list of permissions", ErrForbidden, operation)
	case wanted != anyone && !who.May(wanted):
		return fmt.Errorf("%w: this needs the permission %s; a person gives it with winnow key add PRINCIPAL --permissions %s", ErrForbidden, wanted, wanted)
	case who.Bound() && whole[operation]:
		return fmt.Errorf("%w: this is about the whole tenant, and you are bound to scopes of it; ask somebody who is not", ErrForbidden)
	}
	return nil
}

// callerKey is the context key of the request's principal.
type callerKey struct{}

// With returns ctx with the principal of a request.
func With(ctx context.Context, who memory.Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, who)
}

// Caller returns the principal of a request, which its door has put there. Without one
// it is nobody: a principal of no tenant, who may nothing.
func Caller(ctx context.Context) memory.Principal {
	who, known := ctx.Value(callerKey{}).(memory.Principal)
	if !known {
		who.Permissions = []memory.Permission{}
	}
	return who
}
