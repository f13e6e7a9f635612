package told

import "github.com/winnowhq/winnow/services/internal/guard/redact/plausible"

// This file holds the nouns for a secret, by family and in both languages. A compound
// ("Gerätekennwort", "keystore password") is found by its last part.

// passwordNouns name what somebody chose and types in.
func passwordNouns() []string {
	return []string{
		"password", "passwd", "passphrase", "passcode", "pass phrase", "pass-phrase", "passkey", "pwd", "pw", "psk", "community string",
		"passwort", "passwörter", "kennwort", "kennwörter", "losung", "losungswort", "codewort", "kodewort", "schlüsselsatz", "zugangswort", "kenncode",
		"admin pass", "root pass", "user pass", "db pass", "sudo pass", "wifi pass", "wlan pass", "vpn pass", "login pass",
		"wifi key", "wi-fi key", "wlan key", "wlan-key", "network key", "pre-shared key", "preshared key", "shared key", "wlan-schlüssel", "wlan schlüssel", "wifi-schlüssel", "netzwerkschlüssel", "pin",
		"kw.", "screen lock", "lock screen code", "bildschirmsperre", "displaysperre",
	}
}

// keyNouns name what a machine drew.
func keyNouns() []string {
	nouns := []string{"secret", "token", "apikey", "geheimnis", "pat", "lizenz", "license", "licence", "serial"}
	for _, of := range []string{
		"api", "access", "secret", "license", "licence", "product", "activation", "subscription", "master", "signing", "encryption", "auth", "deploy", "service", "account",
		"client", "consumer", "root", "admin", "bot", "app", "write", "ingest", "registration", "serial", "cd", "webhook", "hmac", "session", "join", "integration", "vault", "storage", "stream", "recovery", "unlock", "setup", "decryption", "content", "device", "pairing",
	} {
		nouns = append(nouns, of+" key", of+"-key")
	}
	for _, of := range []string{
		"zugangs", "zugriffs", "api-", "lizenz", "produkt", "aktivierungs", "verschlüsselungs", "geheim", "signatur", "sicherheits", "freischalt", "registrierungs", "haupt", "master", "dienst", "sitzungs", "konto", "privater ", "privaten ", "stream-", "wiederherstellungs", "geräte", "entschlüsselungs", "netzwerk",
	} {
		nouns = append(nouns, of+"schlüssel")
	}
	return append(nouns, "stream-key", "setup code", "aktivierungscode", "freischaltcode", "registrierungscode", "lizenzcode", "activation code", "registration code", "license code")
}

// loginNouns name user and password together, and the verbs of using them.
func loginNouns() []string {
	return []string{
		"login", "logins", "credentials", "creds", "account", "access", "user/pass", "user / pass", "user:pass", "username/pass", "username / pass", "u/p", "user/pw", "user / pw",
		"zugang", "zugänge", "zugangsdaten", "anmeldedaten", "logindaten", "anmeldung", "konto", "kennung",
		"angemeldet", "anmelden", "eingeloggt", "einloggen", "log in", "logged in", "sign in", "signed in", "authenticate", "authenticated", "connect as", "connected as", "rein", "meldet sich", "melde mich", "melden sich", "to log in", "to sign in", "got into", "get into", "got in", "get in", "let me in", "lets you in", "log on", "logged on", "logs in", "logging in", "reingekommen", "kommt man", "eingewählt",
	}
}

// describing are nouns that, behind a word for a secret, make it the name of something
// else: a password hash, a token bucket.
var describing = plausible.Set("hash", "hashes", "hashing", "field", "fields", "policy", "policies", "file", "files", "manager", "managers", "column", "length", "rotation", "prompt", "store", "vault", "hint", "input", "form", "type",
	"format", "strength", "expiry", "check", "checker", "generator", "grant", "database", "table", "entry", "entries", "attempt", "attempts", "dialog", "page", "option", "flag", "variable", "parameter", "argument", "property",
	"authentication", "auth", "bucket", "buckets", "endpoint", "count", "counts", "limit", "limits", "budget", "usage", "name", "names", "id", "ids", "ttl", "reset", "rule", "rules", "server", "service", "provider", "store", "scheme",
	"algorithm", "header", "headers", "cookie", "scope", "scopes", "lifetime", "expiration", "validation", "validator", "window", "stream", "sequence", "ring", "hasher", "cost", "price", "expiring", "ref", "engine", "backend", "key")

// locked are things that a code opens, EN and DE, for expressions.
const locked = `(?:door|gate|safe|locker|lock|padlock|cabinet|garage|entrance|lobby|elevator|lift|alarm|keypad|key ?box|key ?safe|lock ?box|barrier|turnstile|shed|cellar|basement|room|lab|laboratory|office|building|archive|warehouse|rack|cage|fence|front|back|house|flat|apartment|stairs|staircase|dock|yard|parking|strong ?room|vault|drawer|case|suitcase|burglar|panel|` +
	`tür|tor|tresor|schließfach|schloss|spind|eingang|schranke|alarmanlage|tastenfeld|schlüsselkasten|schlüsseltresor|schlüsselsafe|keller|raum|labor|büro|gebäude|archiv|lager|halle|aufzug|fahrstuhl|pforte|haus|hof|zahlenschloss|vorhängeschloss|schrank|haustür|hintertür|parkplatz|tiefgarage|einfahrt|kasse)`

// role names whose code overrides a lock, a till or a device, EN and DE, for expressions.
const role = `supervisor|manager|service|servicing|engineer|engineering|technician|installer|dealer|master|override|maintenance|operator|emergency|owner|user|admin|administrator|cashier|till|driver|nurse|doctor|staff|vendor|factory|` +
	`service|techniker|wartungs|errichter|chef|benutzer|betreiber|kassen|leiter|aufsichts|notfall|haupt|bediener|fahrer|werks`

// onceOnly names what a code that is good once is for.
const onceOnly = `verification|confirmation|login|sign-in|otp|2fa|mfa|sms|one-time|two-factor|authentication|pairing|activation|approval|` +
	`bestätigungs|anmelde|einmal|verifizierungs|freigabe|kopplungs|zwei-faktor-|2fa-|sms-`
