package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Permission is a right of a principal or of an API key.
type Permission string

// The permissions (SPEC §14).
const (
	MayRead    Permission = "memory:read"
	MayPropose Permission = "memory:propose"
	MayOperate Permission = "memory:operate"
	MayReview  Permission = "review:read"
	MayDecide  Permission = "review:decide"
)

// Permissions lists every permission, in the order of the documents.
func Permissions() []Permission {
	return []Permission{MayRead, MayPropose, MayOperate, MayReview, MayDecide}
}

// ParsePermissions checks names of permissions. The result has each once, in the
// order of [Permissions]. No names give nil, which means the default.
func ParsePermissions(names []string) ([]Permission, error) {
	var list []Permission
	for _, name := range names {
		if !slices.Contains(Permissions(), Permission(strings.TrimSpace(name))) {
			return nil, fmt.Errorf("permission %q: want some of %s", name, join(Permissions()))
		}
	}
	for _, p := range Permissions() {
		if slices.ContainsFunc(names, func(n string) bool { return strings.TrimSpace(n) == string(p) }) {
			list = append(list, p)
		}
	}
	return list, nil
}

func join(list []Permission) string {
	var names []string
	for _, p := range list {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// DefaultPermissions returns what a principal may do when nothing is stored about it:
// a person everything, and a program what an agent needs. A program never decides in
// a person's place by default (SPEC §13).
func DefaultPermissions(highest Origin) []Permission {
	if highest >= OriginHuman {
		return Permissions()
	}
	return []Permission{MayRead, MayPropose, MayReview}
}

// Allowed returns what the principal may do.
func (p Principal) Allowed() []Permission {
	if p.Permissions == nil {
		return DefaultPermissions(p.Highest)
	}
	return p.Permissions
}

// May reports whether the principal has a permission.
func (p Principal) May(wanted Permission) bool { return slices.Contains(p.Allowed(), wanted) }

// Limited returns the principal as a key with these permissions acts: what both
// have. Nil permissions of a key take nothing away.
func (p Principal) Limited(key []Permission) Principal {
	if key == nil {
		return p
	}
	both := []Permission{} // never nil, which would be the default again
	for _, one := range p.Allowed() {
		if slices.Contains(key, one) {
			both = append(both, one)
		}
	}
	p.Permissions = both
	return p
}

// Bound reports whether the principal is bound to scopes.
func (p Principal) Bound() bool { return len(p.Scopes) > 0 }

// MaySee reports whether the bounds of the principal let it read what is stored in a
// scope. A user's scope is its own business: whose it is decides there.
func (p Principal) MaySee(s Scope) bool {
	return !p.Bound() || s.Kind() == ScopeUser || slices.Contains(p.Reads, s)
}

// MayAct reports whether the bounds of the principal let it change what is stored in a
// scope: take a run back, merge, publish. Of its team or organisation a project's
// principal only reads.
func (p Principal) MayAct(s Scope) bool {
	return !p.Bound() || s == Scope(string(ScopeUser)+":"+p.ID) || slices.Contains(p.Acts, s)
}

// OnlyProject returns the project of a principal that is bound to one, which a call
// without a project means; empty for any other.
func (p Principal) OnlyProject() Scope {
	var only Scope
	for _, s := range p.Acts {
		if s.Kind() == ScopeProject {
			if only != "" {
				return ""
			}
			only = s
		}
	}
	return only
}

// Beyond returns the fault of a scope that the principal may not act in, whether the
// scope exists or not.
func (p Principal) Beyond(field string) *Fault {
	names := make([]string, len(p.Scopes))
	for i, s := range p.Scopes {
		names[i] = string(s)
	}
	return &Fault{Field: field, Remedy: "you are bound to " + strings.Join(names, ", ") + "; name one of these or what belongs to them"}
}

// PrefixKey starts the id of an API key, and PrefixSecret the key itself, by which
// scanners of secrets recognise it.
const (
	PrefixKey    = "key_"
	PrefixSecret = "wnw_"
)

// Key is an API key of a principal. The key itself is shown once and never stored.
type Key struct {
	ID        string `json:"id"`
	Tenant    Tenant `json:"tenant"`
	Principal string `json:"principal"`
	Name      string `json:"name,omitempty"` // what it is for, in a person's words
	Hint      string `json:"hint"`           // the first characters of the key
	// Permissions restrict what the principal may do; nil does not.
	Permissions []Permission `json:"permissions,omitempty"`
	CreatedBy   string       `json:"created_by"` // principal
	CreatedAt   time.Time    `json:"created_at,omitzero"`
	ExpiresAt   time.Time    `json:"expires_at,omitzero"` // zero: never
	RevokedAt   time.Time    `json:"revoked_at,omitzero"` // zero: in force
	// LastUsed is the day of the last request, in UTC. A finer time would be a write
	// for each request.
	LastUsed time.Time `json:"last_used,omitzero"`

	Hash []byte `json:"-"` // SHA-256 of the key; only of a key that is being added
}

// State returns active, expired or revoked.
func (k Key) State(now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return "revoked"
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return "expired"
	}
	return "active"
}

// vaultPrefix is the prefix of the vault principals of all tenants except the
// default tenant.
const vaultPrefix = "vault_"

// nameable matches a tenant that fits into a principal's id after the prefix.
var nameable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,58}$`)

// PrincipalTag returns the end of the names of principals that a tenant registers itself,
// empty for [DefaultTenant], which is that of whoever runs the installation. Names are
// unique among all tenants, since a subject's last token tells the tenant; with an end of
// its own a tenant never meets a name of another one, and learns of none.
func PrincipalTag(tenant Tenant) string {
	if tenant == DefaultTenant {
		return ""
	}
	sum := sha256.Sum256([]byte(tenant))
	return "-" + hex.EncodeToString(sum[:5])
}

// taggedName matches a name that ends like one with a tag.
var taggedName = regexp.MustCompile(`-[0-9a-f]{10}$`)

// Registrable returns nil when a tenant may give the name to a new principal, or why not,
// as a remedy. It follows from the name alone, whether another tenant has it or not.
func Registrable(tenant Tenant, name string) error {
	tag := PrincipalTag(tenant)
	switch {
	case Reserved(name):
		return errors.New("is a name of Winnow's own; choose another one")
	case tag == "" && taggedName.MatchString(name):
		return errors.New("ends like the names of another tenant; choose another one")
	case !strings.HasSuffix(name, tag) || name == tag:
		return fmt.Errorf("must end with %s, as new names of this tenant do, such as my-bot%s", tag, tag)
	}
	return nil
}

// Reserved reports whether the name is one that Winnow gives to principals of its own.
func Reserved(principal string) bool {
	return principal == VaultPrincipal(DefaultTenant) || strings.HasPrefix(principal, vaultPrefix)
}

// VaultPrincipal returns the principal of all hand edits in a tenant's vault. A
// hand edit counts as a person's, without naming the person. Ids of principals are
// globally unique, so the id contains the tenant: its name, or a hash when the
// name is not a token.
func VaultPrincipal(tenant Tenant) string {
	switch {
	case tenant == DefaultTenant:
		return "vault"
	case nameable.MatchString(string(tenant)):
		return vaultPrefix + string(tenant)
	}
	sum := sha256.Sum256([]byte(tenant))
	return vaultPrefix + hex.EncodeToString(sum[:16])
}
