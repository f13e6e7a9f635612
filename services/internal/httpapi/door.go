package httpapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// requestID is the header that names a request in answers and in the log.
const requestID = "X-Request-Id"

// mostInFlight bounds the requests of one principal that are answered at once, so that
// one client cannot occupy every connection to the database.
const mostInFlight = 256

// Door lets requests in. Safe for concurrent use.
type Door struct {
	Directory        access.Directory
	Requests         store.Requests
	DefaultPrincipal string
	Tokens           access.Tokens // of an identity provider; nil: none are accepted
	// ID returns a client's id of a request in the form that may be stored, see
	// redact.Redactor.ID.
	ID  func(string) string
	Log *zap.Logger
	Now func() time.Time

	mu       sync.Mutex
	inFlight map[string]int // by principal
}

// Guard lets a request of an operation through when its caller is known and has the
// permission, with the caller in the context. On loopback a user needs no key, so a
// page in a browser of this machine must not act for its user: requests of other sites
// are refused. A panic is a problem of status 500, and the process goes on.
func (d *Door) Guard(operation string, next http.Handler) http.Handler {
	sites := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()[:16]
		w.Header().Set(requestID, id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		defer func() {
			if failed := recover(); failed != nil {
				d.panicked(w, operation, id, failed)
			}
		}()
		if err := sites.Check(r); err != nil {
			NewProblem(http.StatusForbidden, "a page of another site cannot use this API; send the request from a program").Write(w)
			return
		}
		who, err := access.Principal(r, d.Directory, d.Tokens, d.DefaultPrincipal)
		if err == nil {
			err = access.Check(who, operation)
		}
		if err != nil {
			d.Problem(w, operation, err).Write(w)
			return
		}
		if !d.enter(who.ID) {
			NewProblem(http.StatusTooManyRequests, fmt.Sprintf("%d requests of %s are being answered; wait for some of them", mostInFlight, who.ID)).Write(w)
			return
		}
		defer d.leave(who.ID)
		next.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	})
}

// Problem returns what a client may know about an error, and logs the rest under the
// id of the request.
func (d *Door) Problem(w http.ResponseWriter, operation string, err error) *Problem {
	p, logged := Of(err)
	if logged {
		log := d.Log.Warn
		if p.Status == http.StatusInternalServerError {
			log = d.Log.Error
		}
		log("a request was not answered", zap.String("operation", operation), zap.String("request", w.Header().Get(requestID)), zap.Error(err))
	}
	return p
}

// panicked answers a request whose handler panicked. http.ErrAbortHandler ends the
// connection, as the standard library has it.
func (d *Door) panicked(w http.ResponseWriter, operation, id string, failed any) {
	if err, ok := failed.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(failed)
	}
	d.Log.Error("a request panicked", zap.String("operation", operation), zap.String("request", id),
		zap.String(telemetry.KeyError, fmt.Sprintf("%T", failed)), zap.ByteString("stack", debug.Stack()))
	p, _ := Of(fmt.Errorf("panic"))
	p.Write(w)
}

func (d *Door) enter(who string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inFlight[who] >= mostInFlight {
		return false
	}
	if d.inFlight == nil {
		d.inFlight = map[string]int{}
	}
	d.inFlight[who]++
	return true
}

func (d *Door) leave(who string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inFlight[who]--; d.inFlight[who] == 0 {
		delete(d.inFlight, who)
	}
}

// Problems answers requests that no route of mux fits with a problem, of status 404 or
// 405.
func Problems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		seen := &statusOnly{header: http.Header{}}
		mux.ServeHTTP(seen, r)
		if allow := seen.header.Get("Allow"); seen.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			NewProblem(http.StatusMethodNotAllowed, "this address has no "+r.Method+"; use "+allow).Write(w)
			return
		}
		NewProblem(http.StatusNotFound, "nothing is served at this address; /api/docs lists what is").Write(w)
	})
}

// statusOnly records how a handler would have answered.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }
