// Package told finds secrets that people tell each other: in sentences of English and
// German, in logins noted as "user / password", in lists and tables below a heading, and
// as codes of doors.
//
// A rule begins at a noun for a secret ("password", "Zugangsdaten", "door code") and
// looks for what leads from it to a value. The stronger the lead, the less the value must
// look like a password by itself: behind "is" a digit, a sign or changing case is enough,
// behind a mere neighbour it must be no word, name with a number, host, date or term.
package told

// Rule is a rule of this package: what begins it, and how it goes on from there.
type Rule struct {
	ID          string
	Description string // one sentence
	Words       []string
	// Find calls emit with the byte offsets of each secret that the word at start
	// to end announces.
	Find func(text string, start, end int, emit func(from, to int))
}

// Rules returns the rules of this package.
func Rules() []Rule {
	return []Rule{
		{
			ID:          "password-prose",
			Description: "Password, passphrase or PIN told in a sentence (the password is …, das Passwort lautet …).",
			Words: []string{"password", "passwd", "passphrase", "passcode", "pass phrase", "pwd", "pw", "pin", "passwort", "kennwort", "zugangscode", "losung", "psk", "schlüsselsatz",
				"admin pass", "root pass", "user pass", "db pass", "door code", "gate code", "alarm code", "entry code", "safe code", "türcode", "torcode", "zutrittscode", "alarmcode", "tresorcode"},
			Find: findTold(tellsPassword),
		},
		{
			ID:          "secret-prose",
			Description: "Key, token or secret told in a sentence (the API key is …, der Token lautet …).",
			Words:       []string{"secret", "token", "api key", "api-key", "apikey", "access key", "license key", "geheimnis", "zugangsschlüssel", "api-schlüssel", "lizenzschlüssel"},
			Find:        findTold(tellsToken),
		},
		{
			ID:          "login-prose",
			Description: "User and password named together (login: admin / …, als admin mit … angemeldet).",
			Words: []string{
				"login", "logins", "credentials", "creds", "account", "zugang", "zugangsdaten", "anmeldedaten", "logindaten", "konto",
				"angemeldet", "anmelden", "eingeloggt", "einloggen", "log in", "logged in", "sign in", "signed in", "authenticate", "authenticated", "connect as", "connected as",
			},
			Find: findLogin,
		},
	}
}
