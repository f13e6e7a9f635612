package wording

// Ids of the detectors of wording.
const (
	detOpinion = iota
	detPreference
	detRule
	detConvention
	detSecondPerson
	detTransient
	detAnnounce
	detRemember
	detReported
	detDecision
	detWarn
	detSteering
)

// detectors are the kinds of wording that [Extract] finds, EN and DE. The index of
// each is its constant above.
var detectors = []Detector{
	detOpinion: {ID: "opinion", Sentence: "It judges instead of stating.",
		EN: []string{"i think", "i believe", "i feel", "i'd say", "i would", "i'd start", "i'd go", "i'd pick", "i'd take", "i'd use", "i'd keep", "i'd choose", "i'd leave", "i'd put", "we think", "we believe", "we feel", "in my opinion", "in our opinion", "imho", "imo",
			"seems", "seem", "feels", "feel", "arguably", "probably", "presumably", "perhaps", "maybe", "personally", "ideally", "hopefully", "apparently", "likely",
			"would be", "would have been", "would make", "would suit", "would fit", "would pick", "would use", "would choose", "would go", "would keep", "is too", "are too", "for no gain", "no gain", "better fit", "better suited", "better option", "looks more", "feels more", "seems more", "sounds",
			"more serious", "more trustworthy", "more natural", "more intuitive", "more robust", "more reliable", "more flexible", "more powerful", "more convenient", "more modern", "more pleasant", "more sensible", "simpler", "neater", "saner", "less painful", "tidier", "luckily", "nicest", "cleanest", "easiest", "simplest", "neatest", "more comfortable", "more promising", "the more", "good move", "good reason", "right tool", "right way", "needless", "needlessly", "deserves", "pays off", "suits", "in favor of", "in favour of", "it is time", "it's time", "might", "enough for", "is enough", "looks like the", "way forward", "easier to", "harder to", "mistake", "obvious", "obviously", "unwieldy", "hurts", "the right", "the wrong", "unclear", "doubtful", "not convinced", "compared with", "dumping ground", "agree that", "agrees that",
			"better than", "preferable", "wiser", "smarter", "sweet spot", "no-brainer", "not great", "nicer", "cleaner", "prettier", "elegant", "ugly", "overkill",
			"overrated", "underrated", "overly complex", "too complex", "too complicated", "overcomplicated", "over-engineered", "overengineered",
			"best choice", "better choice", "the best", "best way", "better way", "the right choice", "right choice", "wrong choice", "poor choice", "good idea", "bad idea", "nice to have", "not worth", "worth it",
			"makes more sense", "makes sense", "more sense", "more readable", "more maintainable", "more elegant", "superior", "inferior", "a mess", "messy", "painful", "awful", "terrible", "great", "amazing",
			"awesome", "pleasant", "clumsy", "annoying", "a waste", "waste of", "more trouble", "good enough", "is a joke", "looks better", "reads better", "works better", "fits better",
			"too verbose", "too heavy", "too hard", "too clever", "too slow for", "hard to read", "questionable", "unnecessarily", "outdated", "future-proof", "the future", "way to go"},
		DE: []string{"ich würde", "ich finde", "ich denke", "ich glaube", "wir finden", "wir glauben", "meiner meinung", "unserer meinung", "meines erachtens", "wäre besser", "besser als", "ist besser", "schöner", "sauberer",
			"eleganter", "hässlich", "überflüssig", "sinnvoller", "lesbarer", "wahrscheinlich", "vermutlich", "vielleicht", "eigentlich", "am besten", "gute idee", "schlechte idee", "zu kompliziert", "übertrieben",
			"unnötig", "lohnt sich", "scheint", "fühlt sich", "anscheinend", "wirkt", "die beste", "das beste", "der beste", "umständlich", "zu umständlich", "macht mehr sinn", "ergibt mehr sinn", "hoffentlich"}},
	detPreference: {ID: "preference", Sentence: "It says what somebody likes or wants.",
		EN: []string{"prefer", "prefers", "preferred", "preference", "preferably", "would rather", "would sooner", "sooner use", "leaning toward", "lean toward", "can't stand", "cannot stand", "care for", "doesn't care", "wishes for", "asked that", "insisted", "is happiest", "rather have", "rather not", "likes", "like to", "likes to", "dislikes", "dislike", "wants", "want", "wanted", "favors", "favours", "favourite", "favorite", "fan of",
			"hates", "loves", "love", "fond of", "fonder of", "fondest of", "partial to", "wishes", "would like", "'d like", "insists", "i like", "we like", "i'd like", "i'd rather", "we'd rather", "no friend of", "no fan of", "happier with", "enjoys", "is not keen", "keen on", "keener on", "leans towards", "leaning towards", "tired of", "sick of", "please", "asked us to", "asked to", "asks to", "asks for", "asked for", "more comfortable with"},
		DE: []string{"bevorzugt", "bevorzugen", "bevorzuge", "lieber", "möchte", "möchten", "mag", "mögen", "am liebsten", "wünscht", "wünscht sich", "wünschen", "gefällt", "hasst", "liebt", "bitte", "vorliebe", "will", "wollen", "hätte gern", "hätte gerne", "legt wert"}},
	detRule: {ID: "rule", Sentence: "It obliges or forbids.",
		EN: []string{"must", "mustn't", "must not", "never", "always", "has to", "have to", "shall", "do not", "don't", "not allowed", "only allowed", "only permitted", "allowed only", "forbidden", "prohibited", "mandatory", "under no circumstances", "may not", "may only",
			"no exceptions", "is required to", "are required to", "is not to be", "are not to be", "is never to be", "are never to be", "at all times", "from now on", "going forward", "henceforth", "only ever", "not permitted", "off limits", "off-limits", "hard rule", "non-negotiable", "strictly", "is obligatory"},
		DE: []string{"muss", "müssen", "darf niemand", "darf keiner", "darf kein", "darf keine", "darf keinen", "dürfen keine", "dürfen keinen", "darf weder", "dürfen weder", "darf nirgends", "darf erst", "dürfen erst", "darf ausschließlich", "dürfen ausschließlich", "darf nicht", "dürfen nicht", "darf nur", "dürfen nur", "nie", "niemals", "immer", "stets", "verboten", "untersagt", "pflicht", "verpflichtend", "zwingend", "auf keinen fall", "ab sofort", "künftig", "keinesfalls", "ausnahmslos", "unter keinen umständen"}},
	detConvention: {ID: "convention", Sentence: "It says how things are to be done.",
		EN: []string{"should", "shouldn't", "should not", "remember to", "convention", "conventions", "by convention", "best practice", "best practices", "rule of thumb", "guideline", "guidelines", "ought to", "make sure", "be sure", "ensure that", "it is recommended", "we recommend", "recommended", "needs to be", "need to be", "is expected to", "are expected to", "style guide", "is to be", "are to be", "recommend", "recommends", "belong in", "belong under", "are named", "are written in", "go under", "goes under", "go into", "off the table", "stay under", "stay below", "stays under", "stays below", "is to carry", "consider", "the rule is", "policy is", "policy:"},
		DE: []string{"sollte", "sollten", "soll", "sollen", "konvention", "richtlinie", "empfohlen", "empfehlung", "wir empfehlen", "stelle sicher", "stellt sicher", "achte darauf", "achtet darauf", "faustregel", "regel ist", "gehört in", "gehören in", "ist zu", "sind zu"}},
	detSecondPerson: {ID: "second_person", Sentence: "It speaks to somebody.",
		EN: []string{"you", "your", "you're", "you'll", "yourself", "yours"},
		DE: []string{"du", "dein", "deine", "deinen", "deinem", "dir", "dich", "euch", "euer", "eure"}},
	detTransient: {ID: "transient", Sentence: "It is the state of the moment or a plan, not something that stays true.",
		EN: []string{"next i will", "next we", "will happen", "will take place", "will land", "will ship", "will start", "will come", "need to look", "i will", "i'll", "we will", "we'll", "i am going to", "i'm going to", "going to", "about to", "todo", "to-do", "wip", "work in progress", "in progress", "working on", "waiting for", "waiting on", "right now", "at the moment",
			"tomorrow", "tonight", "later today", "this afternoon", "this morning", "next step", "next steps", "next up", "next week", "next monday", "next tuesday", "next wednesday", "next thursday", "next friday", "next release", "next sprint", "next month", "next quarter", "plan to", "plans to", "plan is", "planned", "planning to", "the plan is", "the plan was", "our plan", "my plan", "plan for", "intend to", "intends to", "still need", "still needs", "needs investigation", "need to investigate",
			"tbd", "to be decided", "follow-up", "follow up", "blocked on", "is blocked by", "still blocked", "remaining work", "remaining tasks", "let me", "let's", "is underway", "underway", "not yet done", "almost done", "half done", "halfway", "so far", "for now", "is running", "are running", "will be done", "will follow", "scheduled for", "currently running", "currently working", "currently debugging", "currently testing", "currently migrating",
			"currently waiting", "currently investigating", "currently being", "currently blocked", "currently rebuilding", "currently on", "looking into", "investigating", "started working", "tasks:", "on the roadmap", "on the list for", "on the wish list", "in the backlog", "on the backlog", "remains to", "yet to be", "later this", "soon", "trying to", "needs a look", "will be", "will move", "will switch", "will migrate", "will try", "will add", "will run", "will then"},
		DE: []string{"als nächstes", "ich werde", "wir werden", "werde ich", "werden wir", "in arbeit", "gerade", "momentan", "im moment", "zurzeit", "derzeit", "morgen", "heute", "später", "nächste woche", "nächsten schritt", "nächster schritt", "geplant", "demnächst", "noch offen", "steht noch aus",
			"muss noch", "müssen noch", "warten auf", "wartet auf", "bald", "vorerst", "läuft gerade", "noch nicht fertig", "der plan", "planen", "plane", "wollen wir", "soll noch", "arbeite an", "arbeiten an"}},
	detAnnounce: {ID: "announcement", Sentence: "It announces that something was retired.",
		EN: []string{"removed", "remove", "replaced", "replaces", "replace", "retired", "deprecated", "deleted", "delete", "dropped", "drop", "no longer", "superseded", "supersedes", "migrated", "migrate", "switched", "uninstalled", "sunset", "decommissioned", "obsolete", "unnecessary", "abandoned", "gone", "discontinued", "shut down", "phased out", "moved away", "moved off", "not used anymore", "end of life", "eol", "turned off", "ripped out", "archived", "outdated", "withdrawn", "revoked"},
		DE: []string{"entfernt", "ersetzt", "abgelöst", "abgeschaltet", "gelöscht", "nicht mehr", "umgestellt", "stillgelegt", "abgeschafft", "veraltet", "ausgebaut", "deinstalliert", "eingestellt", "überholt", "abgekündigt", "aufgehoben", "weggefallen"}},
	detRemember: {ID: "remember", Sentence: "Somebody asks for it to be remembered.", AtStart: true,
		EN: []string{"remember", "please remember", "remember that", "keep in mind", "for the record", "note to self", "note for later", "don't forget"},
		DE: []string{"merke", "merk dir", "merke dir", "bitte merken", "denk daran", "denke daran", "vergiss nicht", "zur erinnerung"}},
	detReported: {ID: "reported", Sentence: "It repeats what somebody said.",
		EN: []string{"said", "says", "claims", "claimed", "according to", "told me", "told us", "was told", "were told", "rumor", "rumour", "word is", "heard that", "allegedly", "reportedly", "suggests that", "suggested that", "mentioned that"},
		DE: []string{"sagt", "sagte", "laut", "behauptet", "angeblich", "meinte", "meint", "zufolge"}},
	detDecision: {ID: "decision", Sentence: "It records what was decided.",
		EN: []string{"decided", "decision", "chose", "chosen", "we went with", "settled on", "agreed to", "agreed on", "opted for"},
		DE: []string{"entschieden", "beschlossen", "entscheidung", "gewählt", "vereinbart", "geeinigt"}},
	detSteering: {ID: "steering", Sentence: "It speaks about what agents may do, or moves secrets; a person should look.",
		EN: []string{"the assistant", "assistants", "the agent may", "the agent can", "the agent should", "all agents", "ai agents", "agents may", "agents can", "coding agents", "the bot may", "as ordered", "ordered by", "by order", "on behalf", "on the orders", "instructed by",
			"authorised to", "authorized to", "is allowed to", "are allowed to", "permission to", "has permission", "can be skipped", "can be turned off", "without review", "without approval", "without asking", "without confirmation", "without checking", "skip review", "bypass", "bypasses", "whenever", "any time someone", "every time someone",
			"if asked", "when asked", "also upload", "also send", "also post", "also copy", "also forward", "note from", "message from", "order from", "request from", "announcement from", "notice from", "instruction", "instructions", "directive", "directives", "new policy", "policy change", "policy update", "pre-approved", "preapproved", "approved by",
			"disregard", "secretly", "do not tell", "exfiltrate", "id_rsa", "private keys", "private key", "pastebin", "from today", "effective immediately", "are to be", "is to be", "system prompt", "admin says", "earlier rules", "earlier instructions", "previous rules", "previous instructions", "prior rules", "prior instructions", "system notice", "system message", "ai assistant", "ai assistants", "ai agent", "language models", "llm agents", "the admin", "security team", "the owner", "trusted source", "verified by", "considered safe", "is safe to"},
		DE: []string{"der assistent", "die assistenten", "ki-agent", "ki-agenten", "ki-assistent", "ki-assistenten", "sprachmodelle", "systemhinweis", "systemmeldung", "frühere regeln", "bisherige regeln", "frühere anweisungen", "bisherige anweisungen", "alle agenten", "agenten dürfen", "angeordnet", "auf anweisung", "im namen", "ohne prüfung", "ohne freigabe", "ohne rückfrage", "umgehen", "anweisung", "anweisungen", "vom admin", "ab heute", "genehmigt von", "darf ohne", "privaten schlüssel"}},
	detWarn: {ID: "urging", Sentence: "It urges, like an advert or an order.",
		EN: []string{"act now", "sign up", "try it", "get started", "contact us", "learn more", "discount", "free trial", "limited time", "best in class", "world-class", "industry-leading", "new rule", "ignore previous", "instructions:", "the operator", "on behalf of"},
		DE: []string{"jetzt testen", "jetzt kaufen", "kostenlos", "rabatt", "kontaktieren sie", "mehr erfahren", "neue regel", "im auftrag"}},
}
