package poison

import "regexp"

// negatedDE precedes or follows the verb of a sentence that forbids what the
// pattern would otherwise flag.
var negatedDE = regexp.MustCompile(`\b(?:nie|niemals|nicht|kein(?:e|en)?|ohne|statt)\s+(?:\w+\s+){0,2}$`)

const (
	earlierDE = `(?:(?:alle|alles|saemtliche|die|deine|deinen|jegliche|meine|unsere|diese|aller|deiner|der)\s+)*(?:(?:bisherig|vorherig|vorig|vorangegangen|vorangehend|obig|frueher|bestehend|urspruenglich|alt|anfaenglich|gegeben)(?:e|en|er)\s+)`
	ordersDE  = `(?:anweisung(?:en)?|instruktion(?:en)?|regeln?|vorgaben?|befehle?n?|anordnung(?:en)?|richtlinien?|prompts?|systemprompts?|nachrichten|kontext|auftraege?|aufgaben?|einschraenkungen|sicherheitsregeln)\b`
	sendDE    = `(?:sende|schicke?|leite|lade|uebermittle|uebertrage|poste|maile|kopiere|melde|veroeffentliche|gib)`
)

func germanDetectors() []detector {
	return []detector{
		{
			id: "de.ignore-instructions", class: Instruction, language: "de",
			sentence: "Fordert den Agenten auf, frühere oder eigene Anweisungen zu ignorieren.",
			words:    []string{"ignorier", "vergiss", "vergesse", "missachte", "uebergehe", "umgehe", "verwirf", "befolge nicht"},
			expr: regexp.MustCompile(`^(?:ignorier(?:e|en|t)?|vergiss|vergessen?|missachten?|uebergehen?|umgehen?|verwirf|befolge nicht)\s+(?:bitte\s+|sie\s+|ab sofort\s+|jetzt\s+|nun\s+)*` +
				`(?:` + earlierDE + `(?:\w+\s+)?` + ordersDE + `|(?:alle\s+)?(?:deine|ihre|meine)\s+(?:\w+\s+)?` + ordersDE + `|alles(?:,)?\s+(?:was|zuvor|bisher|vorher|davor|oben)\b|das (?:obige|vorherige|bisherige)\b|alle\s+` + ordersDE + `)`),
			not: negatedDE,
		},
		{
			id: "de.from-now-on", class: Instruction, language: "de",
			sentence: "Erteilt dem Agenten einen dauernden Auftrag (ab sofort …).",
			words:    []string{"ab sofort", "ab jetzt", "von nun an", "von jetzt an", "ab nun", "kuenftig", "in zukunft", "zukuenftig"},
			expr:     regexp.MustCompile(`^(?:ab sofort|ab jetzt|ab nun|von (?:nun|jetzt) an|kuenftig|zukuenftig|in zukunft)\W{0,3}(?:(?:bitte|immer|nur|stets)\s+)*(?:du\b|sollst|musst|wirst|bist du|antwort\w*|empfiehl|empfehle|vertrau\w*|ignorier\w*|verhalte? dich|sag\w*\b|speicher(?:e|st)\b|sende|schicke?|leite|verschweig\w*|gehorche|tu so)`),
		},
		{
			id: "de.new-role", class: Instruction, language: "de",
			sentence: "Gibt dem Agenten eine neue Rolle (du bist jetzt …, tu so als …).",
			words:    []string{"du bist", "tu so", "tue so", "stell dir vor", "spiele die rolle", "verhalte dich", "gib dich als", "du spielst", "agiere als"},
			expr:     regexp.MustCompile(`^(?:du bist\s+(?:jetzt|nun|ab (?:jetzt|sofort)|ein(?:e)?\s+(?:\w+\s+){0,3}(?:ki|assistent\w*|agent\w*|chatbot|sprachmodell|hacker\w*))\b|tue? so,?\s+als|stell dir vor,?\s+du|spiele? die rolle|verhalte dich\s+(?:wie|als)|gib dich als|du spielst\s+(?:jetzt|nun|die)|agiere als\s+)`),
		},
		{
			id: "de.shape-response", class: Instruction, language: "de",
			sentence: "Schreibt Form oder Inhalt der Antwort vor.",
			words:    []string{"antworte", "in deiner antwort", "deiner antwort", "deine antwort", "beende jede", "beginne jede", "in jeder antwort", "schreibe deine"},
			expr:     regexp.MustCompile(`^(?:antworte\s+(?:(?:immer|nur|stets|ausschliesslich|ab|mir|darauf|bitte|auf|jetzt|niemals|nie)\b)|(?:in )?deiner? antwort(?:en)?\b|be(?:ende|ginne) jede\s+(?:\w+\s+)?(?:antwort|nachricht)|in jeder antwort|schreibe deine\s+\w+)`),
		},
		{
			id: "de.secrecy", class: Instruction, language: "de",
			sentence: "Verlangt, dem Nutzer etwas zu verschweigen.",
			words:    []string{"sag dem", "sage dem", "sag der", "sage der", "verrate dem", "verrate nicht", "verrate nie", "erzaehl", "informiere den", "informiere die", "ohne den", "ohne die", "ohne dem", "erwaehne", "teile dem", "verschweig", "halte das"},
			expr: regexp.MustCompile(`^(?:(?:sage?|verrate|erzaehle?|teile)\s+(?:dem|der|den|es dem|das dem|davon dem)\s+(?:nutzer|benutzer|anwender|user|kunden|menschen|betreiber)(?:in|innen)?\s+(?:\w+\s+){0,3}(?:nicht|nichts|nie|niemals|kein)|verrate\s+(?:das\s+|dies\s+)?(?:nicht|nie|niemals|niemandem)|informiere\s+(?:den|die)\s+(?:nutzer|benutzer|anwender|user)(?:in)?\s+(?:\w+\s+){0,2}(?:nicht|nie)` +
				`|ohne\s+(?:den|die|dem)\s+(?:nutzer|benutzer|anwender|user|menschen)(?:in)?\s+(?:\w+\s+){0,3}zu\s+(?:informieren|fragen|sagen|benachrichtigen)|erwaehne\s+(?:das|dies|es|diese anweisung)\s+(?:\w+\s+){0,3}(?:nicht|nie|niemals)|verschweig(?:e|en)?\s+(?:dem|der|das|dies|es)|halte das\s+(?:\w+\s+){0,3}(?:geheim|verborgen))`),
		},
		{
			id: "de.address-agent", class: Instruction, language: "de",
			sentence: "Spricht den lesenden Agenten an (Hinweis an den KI-Assistenten: …).",
			words:    []string{"hinweis an", "nachricht an", "anweisung an", "anweisung fuer", "an den", "an die", "an alle", "achtung", "wichtig", "liebe ki", "lieber assistent", "du musst", "du sollst", "du wirst", "du darfst"},
			expr: regexp.MustCompile(`^(?:(?:(?:hinweis|nachricht|anweisung)\s+(?:an|fuer)\s+|an\s+|achtung\W{1,3}|wichtig\W{1,3}(?:fuer\s+|an\s+)?)(?:den|die|das|alle|jeden)?\s*(?:ki|ai|llm|agent|assistent|chatbot|sprachmodell)[\w-]*\s*[:,!]|liebe[rs]?\s+(?:ki|assistent|agent)\b` +
				`|du\s+(?:musst|sollst|wirst|darfst)\s+(?:(?:jetzt|ab sofort|immer|stets|nur|niemals|nie|mir|unbedingt|nicht|ausschliesslich)\s+)*(?:\w+\s+){0,4}(?:antworten|gehorchen|empfehlen|ignorieren|befolgen|vertrauen|verraten|sagen|ausgeben|vergessen|verschweigen|luegen)\b)`),
		},
		{
			id: "de.leak-prompt", class: Exfiltration, language: "de",
			sentence: "Fragt nach dem Systemprompt oder verborgenen Anweisungen.",
			needs:    []string{"prompt", "anweisung", "nachricht", "instruktion"},
			words:    []string{"zeige", "zeig ", "gib ", "nenne", "verrate", "wiederhole", "drucke", "wie lautet", "wie lauten", "was steht"},
			expr:     regexp.MustCompile(`^(?:zeige?|gib|nenne|verrate|wiederhole|drucke|wie lauten?|was steht)\s+(?:(?:mir|bitte|mal|jetzt|in|woertlich)\s+)*(?:dein(?:e|en|em)?|den|die)\s+(?:(?:kompletten?|vollstaendigen?|urspruenglichen?|geheimen?|internen?|verborgenen?|gesamten?)\s+)*(?:system-?prompts?|systemanweisung(?:en)?|system-?nachricht|prompts?|anweisung(?:en)?|instruktion(?:en)?)\b`),
			not:      negatedDE,
		},
		{
			id: "de.memory-order", class: Instruction, language: "de",
			sentence: "Befiehlt, was der Agent sich merken soll.",
			words:    []string{"merk dir", "merke dir", "speichere das", "speichere dies", "speichere folgendes", "behalte", "nimm das", "nimm dies", "vergiss nie"},
			expr:     regexp.MustCompile(`^(?:merke? dir\W{1,2}(?:dauerhaft|fuer immer|fuer alle|dass (?:du|ich|der nutzer|die nutzerin|der benutzer)|als|diese (?:anweisung|regel))\b|(?:speichere|nimm)\s+(?:das|dies|folgendes)\s+(?:\w+\s+){0,3}(?:in|im)\s+(?:dein(?:em|en)?|das|dem)?\s*(?:\w+\s+)?(?:gedaechtnis|langzeitgedaechtnis|speicher|memory)|behalte\s+(?:das\s+|dies\s+)?(?:dauerhaft|fuer immer)|vergiss nie,?\s+dass du)`),
		},
		{
			id: "de.operator-rule", class: Authority, language: "de",
			sentence: "Gibt sich als Regel oder Befehl des Betreibers, Administrators oder Eigentümers aus.",
			words:    []string{"neue regel", "neue anweisung", "neue vorgabe", "neue richtlinie", "neuer befehl", "neue order", "anweisung vom", "anweisung von", "anweisung der", "anweisung des", "befehl vom", "befehl des"},
			expr:     regexp.MustCompile(`^(?:neuer?\s+)?(?:regel|regeln|anweisung(?:en)?|vorgabe|richtlinie|befehl|order)\s+(?:vom|von der|von dem|von|des|der)\s+(?:\w+\s+)?(?:betreibers?|betreiberin|admins?|administrators?|administration|systems?|entwicklers?|eigentuemers?|inhabers?|chefs?|geschaeftsfuehrung|geschaeftsleitung|it-abteilung|sicherheitsteam|operators?)\b`),
		},
		{
			id: "de.authority-claim", class: Authority, language: "de",
			sentence: "Beansprucht eine Vollmacht (als Eigentümer genehmige ich …, Entwicklermodus aktiviert).",
			words:    []string{"als eigentuemer", "als inhaber", "als administrator", "als admin", "als betreiber", "als chef", "als entwickler", "als dein", "ich bin der", "ich bin dein", "entwicklermodus", "administrator-freigabe", "hier spricht"},
			expr:     regexp.MustCompile(`^(?:als (?:dein(?:e)? )?(?:eigentuemer|inhaber|administrator|admin|betreiber|chef|entwickler)(?:in)?\W{1,2}(?:[\w -]+\W{1,2})?(?:genehmige|erlaube|autorisiere|befehle|ordne|weise|gestatte|verlange|bestimme|erteile)\w*\s+ich|ich bin (?:der|dein) (?:\w+\s+)?(?:eigentuemer|administrator|admin|betreiber|entwickler|schoepfer)\b|entwicklermodus\s+(?:ist\s+)?(?:jetzt\s+)?(?:aktiv\w*|an\b|freigeschaltet|eingeschaltet)|administrator-freigabe|hier spricht (?:der|dein) (?:admin\w*|betreiber|system\w*))`),
		},
		{
			id: "de.send-secrets", class: Exfiltration, language: "de",
			sentence: "Verlangt, Daten an eine fremde Adresse zu schicken.",
			needs:    addressParts,
			words:    []string{"sende", "schick", "leite", "lade", "uebermittle", "uebertrage", "poste", "maile", "kopiere", "melde", "veroeffentliche"},
			expr:     regexp.MustCompile(`^` + sendDE + `\s+[^!?\n]*\b(?:an|nach|auf|zu|per|ueber)\s+(?:die\s+|den\s+|folgende\s+)?(?:adresse\s+|url\s+|e-?mail\s+|server\s+|webhook\s+)*` + outsideAddress),
			not:      negatedDE,
			accept:   publicAddress,
		},
		{
			id: "de.store-credentials", class: Credential, language: "de",
			sentence: "Verlangt, Schlüssel oder Passwörter lesbar abzulegen.",
			needs:    []string{"schluessel", "passw", "zugang", "geheim", "token", "key", "secret", "anmelde"},
			words:    []string{"speichere", "lege", "schreibe", "committe", "veroeffentliche", "trage", "gib", "kopiere", "logge"},
			expr:     regexp.MustCompile(`^\w+\s+(?:(?:alle|die|deine|unsere|saemtliche|jedes|jeden)\s+)*(?:\w+\s+)?(?:private[nr]? schluessel|schluessel|passwoerter|passwort|zugangsdaten|geheimnisse|tokens?|api-?keys?|api-schluessel|secrets|anmeldedaten)\b[^\n]*?(?:\bund\s+(?:committe|pushe|veroeffentliche|lade|sende|schicke|checke)\w*|\bim klartext\b|\bunverschluesselt\b|\b(?:ins?|im) (?:oeffentliche[ns]? |das )?(?:repo\w*|git|log|readme))`),
			not:      negatedDE,
		},
		{
			id: "de.disable-checks", class: Credential, language: "de",
			sentence: "Verlangt, Anmeldung, Prüfungen oder Schutz abzuschalten.",
			words:    []string{"deaktiviere", "schalte", "umgehe", "ueberspringe", "entferne"},
			expr:     regexp.MustCompile(`^(?:deaktiviere|schalte|umgehe|ueberspringe|entferne)\s+(?:(?:immer|stets|bitte|alle|die|den|das|jede|jegliche|saemtliche|dauerhaft|ab sofort|kuenftig)\s+)*(?:\w+\s+)?(?:authentifizierung|anmeldung|verifizierung|zertifikatspruefung|signaturpruefung|sicherheits\w+|schutz\w+|zwei-faktor\w*|2fa|firewall|freigabe\w*|inhaltsfilter|rueckfragen|audit\w*)\b`),
			not:      negatedDE,
			accept: func(n *normal, start, end int) bool {
				return standingDE.MatchString(n.text[max(0, start-80):min(len(n.text), end+100)])
			},
		},
		{
			id: "de.recommend", class: Recommendation, language: "de",
			sentence: "Pflanzt eine dauernde Empfehlung oder eine angeblich vertrauenswürdige Quelle.",
			words:    []string{"empfiehl", "empfehle", "nenne immer", "nenne stets", "verweise immer", "verweise stets", "betrachte", "behandle", "vertraue", "wenn jemand", "wenn der nutzer", "wenn nutzer", "bevorzuge immer"},
			expr: regexp.MustCompile(`^(?:(?:empfiehl|empfehle)\s+(?:(?:immer|stets|ausschliesslich|nur|jedem|allen|kuenftig|dem nutzer)\b)|(?:nenne|verweise) (?:immer|stets)\b|(?:betrachte|behandle)\s+[^.\n]+\bals\s+(?:\w+\s+)?(?:vertrauenswuerdig\w*|verlaesslich\w*|massgeblich\w*|beste\w*)(?:\s+quelle)?|vertraue\s+(?:immer|stets|nur|ausschliesslich)\b` +
				`|wenn (?:jemand|der nutzer|nutzer)\b[^.\n]*\b(?:empfiehl|empfehle|antworte|sage?|nenne|behaupte)\b)`),
			not: negatedDE,
		},
	}
}

// standingDE marks an order meant to last or to go unnoticed.
var standingDE = regexp.MustCompile(`\b(?:immer|stets|dauerhaft|ab sofort|ab jetzt|kuenftig|von nun an|ohne (?:rueckfrage|nachfrage|zu fragen)|fuer alle|du (?:musst|sollst|darfst|kannst)|betreiber|admin\w*)\b`)
