// Package told finds secrets that people tell each other: in sentences of English and
// German, also by what is opened with them, in logins noted as "user / password", in lists and tables below a heading, and
// as codes of doors.
//
// A rule begins at a noun for a secret ("password", "Zugangsdaten", "door code") and
// looks for what leads from it to a value. The stronger the lead, the less the value must
// look like a password by itself: behind "is" a digit, a sign or changing case is enough,
// behind a mere neighbour it must be no word, name with a number, host, date or term.
package told

import "github.com/winnowhq/winnow/services/internal/guard/redact/keywords"

// Rule is a rule of this package: what begins it, and how it goes on from there.
type Rule = keywords.Rule

// Rules returns the rules of this package.
func Rules() []Rule {
	return []Rule{
		{
			ID:          "password-prose",
			Description: "Password, passphrase or PIN told in a sentence (the password is …, das Passwort lautet …, it's now …).",
			Words:       passwordNouns(),
			Find:        findTold(tellsPassword),
		},
		{
			ID:          "secret-prose",
			Description: "Key, token or secret told in a sentence (the API key is …, der Token lautet …).",
			Words:       keyNouns(),
			Find:        findTold(tellsToken),
		},
		{
			ID:          "login-prose",
			Description: "User and password named together (login: admin / …, als admin mit … angemeldet).",
			Words:       loginNouns(),
			Find:        findLogin,
		},
		{
			ID:          "code-prose",
			Description: "Digits that open a door, an alarm or a device (the door code is …, PIN am Tresor: …).",
			Words:       codeNouns(),
			Find:        findCode,
		},
		{
			ID:          "opening-prose",
			Description: "Password with which something is protected, unlocked or opened, digits typed into a keypad.",
			Words:       openingVerbs(),
			Find:        findOpened,
		},
		{
			ID:          "listed-secret",
			Description: "Password below a heading: a column of a table, the lines under \"creds:\", the line under \"wifi password\".",
			Words:       headingNouns(),
			Find:        findListed,
		},
		{
			ID:          "pass-prose",
			Description: "Password behind \"pass\" as a noun: in brackets, behind a user, in a comment (…, pass …).",
			Words:       []string{"pass"},
			Find:        findPass,
		},
		{
			ID:          "wifi-prose",
			Description: "Key of a wireless network behind its name (SSID guest, key …).",
			Words:       []string{"ssid", "wlan", "wifi", "wi-fi"},
			Find:        findWifi,
		},
		{
			ID:          "tagged-login",
			Description: "Password before the account to which it belongs (switch: … (root)).",
			Words:       []string{"(admin)", "(root)", "(administrator)", "(superuser)", "(sudo)", "(dba)", "(operator)"},
			Find:        findTagged,
		},
		{
			ID:          "noted-login",
			Description: "User and password noted with a slash between (- router: admin / …).",
			Words:       []string{" / ", " : "},
			Find:        findNoted,
		},
	}
}
