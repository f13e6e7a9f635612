// Package literal finds secrets that stand as literals in program text where no assignment
// names them: what a test types into the field of a password, the key that signs or encrypts
// among the arguments of a call, the characters of a password that become an array.
package literal

import "github.com/winnowhq/winnow/services/internal/guard/redact/keywords"

// Rules returns the rules of this package.
func Rules() []keywords.Rule {
	return []keywords.Rule{
		{
			ID:          "typed-password",
			Description: "Password that a test types into a field (fill('#password', '…'), find(…\"password\").send_keys(\"…\")).",
			Words:       []string{"password", "passwd", "passwort", "kennwort", "passphrase", "pwd"},
			Find:        findTyped,
		},
		{
			ID:          "signing-call",
			Description: "Key among the arguments of a call that signs or encrypts (jwt.sign(…, '…'), hmac.new(b'…', Fernet(b'…').",
			Words:       []string{"jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "hmac.new(", "fernet(", "createhmac(", "createcipheriv(", "createdecipheriv(", "pgp_sym_encrypt(", "pgp_sym_decrypt(", "aes_encrypt(", "aes_decrypt(", "fromhex(", "decodestring(", "secretkeyspec("},
			Find:        findSigning,
		},
		{
			ID:          "password-chars",
			Description: "Password as a literal that becomes an array of characters, or that is hashed (\"…\".toCharArray(), Hash::make('…')).",
			Words:       []string{`".tochararray()`, "hash::make(", "bcrypt.hash(", "password_hash(", "generate_password_hash(", "check_password(", "checkpw("},
			Find:        findChars,
		},
	}
}
