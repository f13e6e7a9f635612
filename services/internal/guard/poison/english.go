package poison

import "regexp"

// negatedEN precedes the verb of a sentence that forbids or reports what the
// pattern would otherwise flag.
var negatedEN = regexp.MustCompile(`(?:\b(?:never|not|cannot|avoid|without|refuse to|instead of|used to|must not|should not|no longer)|n't)\s+(?:\w+\s+){0,2}$`)

// Parts shared by several patterns.
const (
	determinersEN = `(?:(?:all|any|every|each|the|of|your|my|our|its|these|those|this|that|and|or|other)\s+)*`
	earlierEN     = `(?:(?:previous|prior|above|earlier|preceding|foregoing|existing|original|former|initial|past|old|system|safety|current|previously given|default|ethical|content)(?:\s+|,\s*)(?:and\s+|or\s+)?)`
	ordersEN      = `(?:instructions?|directions?|directives?|prompts?|rules?|guidelines?|commands?|context|messages?|conversations?|polic(?:y|ies)|constraints?|training|programming|restrictions?|orders?|guardrails?|filters?|safeguards?)\b`
	agentEN       = `(?:ai|assistants?|agents?|llms?|chatbots?|bots?|language models?|models?|claude|chatgpt|gpt(?:-\d\w*)?|copilot|gemini)`
	answerEN      = `(?:response|responses|reply|replies|answer|answers|message|messages|elucidation|explanation|output)`
)

func englishDetectors() []detector {
	return []detector{
		{
			id: "en.ignore-instructions", class: Instruction, language: "en",
			sentence: "Tells the agent to ignore, forget or override what it was told before.",
			needs:    []string{"instruction", "direct", "prompt", "rule", "guid", "command", "context", "message", "conversation", "polic", "constraint", "training", "programming", "restriction", "order", "filter", "safe", " you ", " i ", "was", "were", "has", "have", "above", "before", "come", "said", "written", " we ", "they", " and "},
			words:    []string{"ignore", "disregard", "forget", "override", "bypass", "neglect", "overlook", "abandon", "discard", "do not follow", "don't follow", "stop following", "do not obey"},
			expr: regexp.MustCompile(`^(?:ignore|disregard|forget|override|bypass|neglect|overlook|abandon|discard|do not follow|don't follow|stop following|do not obey)\s+(?:about\s+)?` + determinersEN +
				`(?:` + earlierEN + `+(?:\w+\s+){0,2}` + ordersEN +
				`|(?:what(?:ever)?|everything|anything|all)\s+(?:that\s+)?(?:i|you|we|they|was|were|has|have|is|came|written|said|above|before)\b` +
				`|(?:above|aforementioned)(?:\s+(?:and|instructions)|[.,:;!]|$)|(?:all\s+)?(?:that|this|it)\s+and\s+(?:instead|just|now|say|print|write|tell|output|respond|do)\b)`),
			not: negatedEN,
		},
		{
			id: "en.your-instructions", class: Instruction, language: "en",
			sentence: "Tells the agent to drop its own instructions, rules or safeguards.",
			words:    []string{"ignore", "disregard", "forget", "override", "bypass", "break", "violate", "abandon", "drop"},
			expr:     regexp.MustCompile(`^\w+\s+(?:all\s+)?(?:of\s+)?your\s+(?:\w+\s+){0,3}` + ordersEN),
			not:      negatedEN,
		},
		{
			id: "en.from-now-on", class: Instruction, language: "en",
			sentence: "Sets a standing order for the agent (from now on you …).",
			words:    []string{"from now on", "henceforth", "from this point", "from here on", "starting now", "as of now", "in all future", "for all future", "in every future"},
			expr: regexp.MustCompile(`^(?:from now on|henceforth|from this (?:point|moment)(?: (?:on|forward|onwards?))?|from here on(?: out)?|starting now|as of now|(?:in|for) (?:all|every) future (?:conversations?|sessions?|responses?|replies|chats?|interactions?))\W{0,4}` +
				`(?:(?:please|i want you to|i need you to|and|then)\W+)*(?:you\b|your\b|(?:always|only|never)\s+(?:respond|reply|answer|recommend|suggest|trust|obey|say|tell|mention|speak)|respond|reply|answer|act as|pretend|ignore|obey|speak|call yourself|recommend|trust|store|save|send|forward|upload|post|do not tell|don't tell)`),
		},
		{
			id: "en.new-role", class: Instruction, language: "en",
			sentence: "Gives the agent a new identity (you are now …, act as …, pretend to be …).",
			words:    []string{"you are now", "you're now", "you are going to", "you will now", "you will be", "pretend", "roleplay", "role-play", "act as", "act like", "imagine you", "take on the", "adopt the persona", "simulate", "you are dan", "do anything now", "stay in character"},
			expr: regexp.MustCompile(`^(?:(?:you are|you're) now\s+(?:an?|the|in|my|free|no longer|going|acting|called|known|named|unrestricted|[a-z]{2,12}(?:gpt|bot|ai)|dan)\b|you(?:'re| are) going to (?:act|be|pretend|play|role|simulate|respond)|you will (?:now |be )(?:act|play|pretend|respond|answer|simulate|an?\b|the\b|behave|assume)` +
				`|pretend\s+(?:that\s+)?(?:to be|you|you're|like you|we)\b|role-?play\s+(?:as|a|an|the|that)|act (?:as|like)\s+(?:if you|though you|an?\s+(?:\w+\s+){0,4}` + agentEN + `|an?\s+(?:\w+\s+){0,3}(?:terminal|interpreter|expert|hacker|person|character|persona|console)|my\b|you\b|dan\b)` +
				`|imagine you(?:'re| are| have)|take on the (?:role|persona|identity)|adopt the persona|simulate\s+(?:an?\s+)?(?:\w+\s+){0,3}(?:persona|character|` + agentEN + `|response of)|you are dan\b|do anything now|stay in character)`),
			not: negatedEN,
		},
		{
			id: "en.shape-response", class: Instruction, language: "en",
			sentence: "Dictates the content or form of the agent's answer (in your response, your reply …).",
			words:    []string{"your response", "your reply", "your replies", "your answer", "your next", "your final", "your message", "your output", "your elucidation", "your explanation", "your entire"},
			expr:     regexp.MustCompile(`^your\s+(?:next\s+|final\s+|entire\s+|whole\s+|own\s+)?` + answerEN + `\b`),
			not:      regexp.MustCompile(`\b(?:thanks for|thank you for|waiting for|wait for|await(?:ing)?|per)\s+$`),
		},
		{
			id: "en.answer-format", class: Instruction, language: "en",
			sentence: "Orders a way of answering (reply only in …, respond with …).",
			words:    []string{"respond", "reply", "answer"},
			expr:     regexp.MustCompile(`^(?:respond|reply|answer)\s+(?:(?:only|just|always|exclusively|solely|back)\s+)*(?:with|in|using|by|as|to all|to every|to any)\s+(?:the\s+|an?\s+|only\s+|all\s+)?(?:words?|phrase|base\d+|reverse|emojis?|code|following|exact|text|format|json|yes|no|"|'|(?:french|german|english|spanish|italian|chinese|japanese|russian|portuguese|korean|arabic|latin|hindi|dutch|turkish)|encoding|poems?|rhymes?|capital|uppercase|lowercase|if\b|questions?|users?|message|sentence|string|haiku)`),
			left:     regexp.MustCompile(`(?:^|[.!?:;\n-]|\b(?:please|you|always|must|should|to|will|can|only|and|then|just))\s*(?:only\s+|always\s+)?$`),
			not:      negatedEN,
		},
		{
			id: "en.plant-code", class: Instruction, language: "en",
			sentence: "Asks the agent to put given code into what it writes.",
			words:    []string{"following code", "subsequent code", "below code", "code snippet below", "code block below", "following snippet"},
			expr:     regexp.MustCompile(`^(?:(?:following|subsequent|below)\s+(?:\w+\s+)?code\s+(?:snippet|block|excerpt|section|segment|fragment|piece|sample|line)s?\b|code (?:snippet|block) below|following snippet)`),
			left:     regexp.MustCompile(`\b(?:your|you|add|adding|addition|include|includ(?:e|ing)|insert|append|embed\w*|incorporat\w*|integrat\w*|introduc\w*|blend\w*|infus\w*|interweav\w*|employ|utiliz\w*|use|leverag\w*|execut\w*|run|featur\w*|ensure|let|merg\w*|implement\w*|plac\w*|put|paste|weav\w*|inject\w*|attach\w*|consider\w*|advantageous|beneficial|supplement\w*|validat\w*|keep in mind|don't forget)\b[^.\n]*$`),
		},
		{
			id: "en.your-implementation", class: Instruction, language: "en",
			sentence: "Speaks of the agent's own code or task (your implementation, your algorithm) with code to add.",
			words:    []string{"your implementation", "your algorithm", "your codebase", "your code", "your solution", "code you develop", "code you write"},
			expr:     regexp.MustCompile(`^(?:your\s+(?:implementation|algorithm|codebase|code(?:\s+\w+)?|solution(?:\s+\w+)?)|code you (?:develop|write|generate|produce))\b[^:\n]*:\s*(?:\n|\x60\x60\x60)`),
		},
		{
			id: "en.secrecy", class: Instruction, language: "en",
			sentence: "Tells the agent to keep something from the user.",
			words:    []string{"do not tell", "don't tell", "never tell", "do not inform", "don't inform", "never inform", "do not mention", "don't mention", "never mention", "do not reveal", "don't reveal", "never reveal", "do not notify", "do not alert", "do not disclose", "never disclose", "do not warn", "without telling", "without informing", "without notifying", "without mentioning", "keep this", "hide this"},
			expr: regexp.MustCompile(`^(?:(?:do not|don't|never)\s+(?:tell|inform|notify|alert|warn)\s+(?:the\s+)?(?:user|users|human|anyone|anybody|him|her|them|me|operator|developer|owner|customer)s?\b|(?:do not|don't|never)\s+(?:mention|reveal|disclose)\s+(?:this|that|these|the existence|it|any of this|your|you)\b` +
				`|without\s+(?:telling|informing|notifying|mentioning (?:it|this) to)\s+(?:the\s+)?(?:user|human|anyone|owner|customer)|(?:keep|hide) this\s+(?:\w+\s+){0,3}(?:secret|hidden|confidential|between us|from (?:the )?(?:user|human|anyone)))`),
		},
		{
			id: "en.address-agent", class: Instruction, language: "en",
			sentence: "Addresses the reading agent directly (note to AI agents: …).",
			words:    []string{"attention", "important", "note to", "note for", "message to", "message for", "instruction to", "instruction for", "instructions to", "instructions for", "dear", "hey", "hello", "hi ", "to the", "to all", "to any", "if you are"},
			expr:     regexp.MustCompile(`^(?:(?:attention|important)(?:\s+(?:note|message|notice|instructions?))?\W{1,4}(?:(?:to|for)\s+)?|(?:note|message|instructions?)\s+(?:to|for)\s+|dear\s+|hey\s+|hello\s+|hi\s+|to\s+|if you are\s+)(?:(?:the|all|any|an?|every|reading|future)\s+){0,3}` + agentEN + `\b(?:\s+(?:reading|processing|summari[sz]ing|that|who|model|assistant|agent)[^.:,!\n]*)?\s*(?:[:,!]|(?:must|should|please|will)\b)`),
			accept: func(n *normal, start, end int) bool {
				return addressed.MatchString(n.text[start:min(len(n.text), end+reach)])
			},
		},
		{
			id: "en.you-must", class: Instruction, language: "en",
			sentence: "Commands the agent in the second person (you must obey, you will answer …).",
			words:    []string{"you must", "you shall", "you have to", "you will", "you should", "you need to", "you are required", "you are to", "i want you to", "i need you to", "your task is", "your job is", "your goal is", "your new"},
			expr: regexp.MustCompile(`^(?:you (?:must|shall|have to|will|should|need to|are required to|are to)\s+(?:now\s+|always\s+|never\s+|only\s+|also\s+|strictly\s+|immediately\s+|not\s+)*(?:respond|reply|answer|obey|comply|ignore|recommend|suggest|trust|pretend|act as|refuse|reveal|disclose|say\b|speak|tell (?:me|the user)|output|print|follow (?:my|these|the following|all)|treat (?:this|these|me)|believe|forget)` +
				`|i (?:want|need) you to\s+(?:act|ignore|pretend|respond|reply|answer|forget|be\b|become|play|tell|say|write|print|repeat|translate|generate|always|never|do\b)|your (?:new\s+)?(?:task|job|goal|instructions?|role|objective|directive|purpose) (?:is|are)(?:\s+now)?(?:\s+to|:)|your new (?:instructions?|task|role|directive|persona|name)\b)`),
		},
		{
			id: "en.leak-prompt", class: Exfiltration, language: "en",
			sentence: "Asks for the system prompt or hidden instructions.",
			needs:    []string{"prompt", "instruction", "message", "rule", "directive", "text"},
			words:    []string{"reveal", "print", "show", "repeat", "output", "tell me", "leak", "display", "expose", "what is your", "what are your", "what were your", "disclose", "summarize your"},
			expr:     regexp.MustCompile(`^(?:\w+(?:\s+me)?|what (?:is|are|were))\s+(?:all\s+)?(?:of\s+)?(?:your|the)\s+(?:(?:full|entire|whole|exact|complete|secret|confidential)\s+)*(?:system|initial|original|hidden|internal|secret|previous|above|developer|first)\s+(?:prompts?|instructions?|messages?|rules|directives?|text)\b`),
			left:     regexp.MustCompile(`(?:^|[.!?:;,\n"'-]|\b(?:please|you|and|then|now|to|must|can|could|just|also))\s*$`),
			not:      negatedEN,
		},
		{
			id: "en.memory-order", class: Instruction, language: "en",
			sentence: "Tells the agent what to keep in its own memory.",
			words:    []string{"save this", "store this", "add this", "write this", "commit this", "record this", "put this", "save that", "store that", "add that", "save the following", "store the following", "add the following", "remember", "memorize", "memorise", "your memory", "your long-term memory", "your memories"},
			expr: regexp.MustCompile(`^(?:(?:save|store|add|write|commit|record|put)\s+(?:this|that|the following)(?:\s+\w+){0,4}\s+(?:to|in|into)\s+(?:(?:your|its|the agent's|the assistant's)\s+(?:\w+[ -]){0,2}memor(?:y|ies)|(?:long[- ]term|persistent) memory|memory\s+(?:and|so|for all|permanently))` +
				`|(?:remember|memori[sz]e)\s+(?:that\s+)?(?:you\s+(?:must|should|are|will|have|always|never)|to always|to never|this (?:instruction|rule|order|forever|permanently|for all|in all)|these instructions|the user (?:has|wants|prefers|likes|trusts|authori[sz]ed|approved)|[\w .-]+ (?:as|is) (?:a|an|the|your|my)\s+(?:\w+\s+)?(?:trusted|reliable|authoritative|preferred|go-to|best|credible)\b)` +
				`|your (?:long-term )?memor(?:y|ies)\s+(?:must|should|now|to (?:say|state|include|reflect)|that|with|:))`),
			not: negatedEN,
		},
		{
			id: "en.operator-rule", class: Authority, language: "en",
			sentence: "Passes itself off as a rule or order from an operator, administrator or owner.",
			words:    []string{"new rule", "new rules", "new instruction", "new instructions", "new policy", "new directive", "new order", "updated instruction", "updated rule", "urgent instruction", "override from", "message from", "instructions from", "instruction from", "order from", "orders from", "directive from"},
			expr:     regexp.MustCompile(`^(?:(?:new|updated?|urgent)\s+(?:\w+\s+)?)?(?:rules?|instructions?|polic(?:y|ies)|directives?|orders?|override|message)\s+(?:\w+\s+)?(?:from|by)\s+(?:the\s+|your\s+|our\s+)?(?:\w+\s+)?(?:operators?|admins?|administrators?|system|developers?|owners?|ceo|cto|management|security team|it department|root|anthropic|openai|supervisor|creator)\b`),
		},
		{
			id: "en.authority-claim", class: Authority, language: "en",
			sentence: "Claims authority for itself (as the owner I authorise …, admin override, this is your developer).",
			words:    []string{"as the", "as your", "i am the", "i'm the", "i am your", "i'm your", "this is the", "this is your", "admin override", "administrator override", "operator override", "system override", "sudo mode", "god mode", "developer mode", "authorization code", "authorisation code", "maintenance mode override", "pre-approved by", "the operator has", "the admin has", "the administrator has", "the system administrator"},
			expr: regexp.MustCompile(`^(?:as (?:the|your) (?:\w+\s+)?(?:owner|admin|administrator|operator|developer|ceo|cto|creator|root|supervisor|manager)\W{1,3}(?:of [\w -]+\W{1,3})?i (?:hereby )?(?:authori[sz]e|order|instruct|permit|allow|command|grant|approve|request|require|want)` +
				`|i(?:'m| am) (?:the|your) (?:\w+\s+)?(?:owner|admin|administrator|operator|developer|creator|supervisor)\b|this is (?:the|your) (?:\w+\s+)?(?:admin|administrator|operator|creator|system administrator)(?:\s+speaking|[.,:!])` +
				`|(?:admin|administrator|operator|system|maintenance mode) override|(?:sudo|god) mode\W+(?:is |now )*(?:on|enabled|activated|engaged)|developer mode\W+(?:(?:is |has been |now )*(?:activated|engaged|unlocked|output)\b|enabled\s*[.!)\]])` +
				`|authori[sz]ation code\s*[:#]?\s*\w*\d|pre-approved by (?:the )?(?:operator|admin|owner|security)|the (?:operator|admin|administrator|system administrator) has (?:authori[sz]ed|approved|ordered|instructed|permitted|granted|requested|decided that you))`),
			not: negatedEN,
		},
		{
			id: "en.send-secrets", class: Exfiltration, language: "en",
			sentence: "Tells the agent to send private data to an address.",
			needs:    addressParts,
			words:    sendWordsEN,
			expr: regexp.MustCompile(`^\w+(?:-\w+)?\s+[^.!?\n]*\b(?:secrets?|keys?|tokens?|credentials?|passwords?|\.env\b|environment variables?|conversations?|transcripts?|chat history|history|memor(?:y|ies)|context|user'?s? (?:data|messages?|files?|info\w*)|personal data|private|customer\w*|database|dump|source code|contents? of|everything|all [\w ]{2,30}|cop(?:y|ies) of|ssh|cookies?|logs?)\b[^!?\n]*` +
				`\b(?:to|at|via|into|using)\s+(?:the\s+)?(?:url\s+|address\s+|e-?mail\s+|webhook\s+|server\s+|endpoint\s+|attacker\s+)*` + outsideAddress),
			left: imperativeLeftEN,
			not:  negatedEN,
		},
		{
			id: "en.send-to-ip", class: Exfiltration, language: "en",
			sentence: "Tells the agent to send something to a bare public IP address or a mailbox.",
			needs:    addressParts,
			words:    sendWordsEN,
			expr:     regexp.MustCompile(`^\w+(?:-\w+)?\s+[^.!?\n]+\bto\s+(?:the\s+)?(?:\w+\s+){0,2}(?:` + mailAddress + `|(?:https?://)?` + ipAddress + `)`),
			left:     imperativeLeftEN,
			not:      negatedEN,
			accept:   publicAddress,
		},
		{
			id: "en.store-credentials", class: Credential, language: "en",
			sentence: "Tells the agent to put keys or passwords where others can read them.",
			needs:    []string{"key", "secret", "passw", "credential", "token", "seed", "env"},
			words:    []string{"store", "save", "put", "write", "keep", "commit", "paste", "dump", "print", "echo", "include", "copy", "share", "publish", "push", "add", "embed", "hardcode", "hard-code", "log"},
			expr: regexp.MustCompile(`^[a-z-]+\s+(?:all\s+|any\s+|the\s+|your\s+|our\s+|user\s+|users'\s+|every\s+)*(?:\w+\s+)?(?:private keys?|secrets?|passwords?|credentials|api keys?|access tokens?|tokens|seed phrases?|ssh keys?|(?:contents of )?\.?env(?:ironment)? (?:files?|variables?))\b[^.\n]{0,20}[^\n]*?` +
				`(?:\b(?:and|then)\s+(?:commit|push|publish|upload|send|share|post)\b|\bin (?:plain ?text|clear ?text|the clear|public)\b|\b(?:to|into|in) (?:a |the |your )?(?:public|world-readable|shared|git|repo(?:sitory)?|chat|commit message|readme|response|log output|source code)\b|unencrypted)`),
			left: imperativeLeftEN,
			not:  negatedEN,
		},
		{
			id: "en.disable-checks", class: Credential, language: "en",
			sentence: "Tells the agent to switch off authentication, verification or safety checks for good.",
			needs:    []string{"auth", "verif", "check", "valid", "2fa", "mfa", "secur", "safe", "filter", "guard", "sandbox", "prompt", "approv", "firewall", "audit"},
			words:    []string{"disable", "turn off", "switch off", "skip", "bypass", "deactivate", "remove", "circumvent", "suppress"},
			expr:     regexp.MustCompile(`^(?:\w+|turn off|switch off)\s+(?:all\s+|any\s+|the\s+|your\s+|every\s+)*(?:\w+\s+)?(?:auth|authentication|authori[sz]ation|verification|signature (?:checks?|verification)|certificate (?:validation|checks?|verification)|tls verification|2fa|mfa|security (?:checks?|controls?|features?|scans?)|safety (?:checks?|filters?|measures?|features?)|content filters?|guardrails|sandbox(?:ing)?|permission (?:checks?|prompts?)|confirmation prompts?|approval(?: steps?| prompts?)?|firewall|audit(?:ing| log\w*)?)\b`),
			left:     regexp.MustCompile(`(?:^\s*|\b(?:always|must|should|from now on|permanently|please|you|you can|need to|have to|will|:)\W+(?:now\s+|always\s+)?)$`),
			not:      negatedEN,
			accept: func(n *normal, start, end int) bool {
				return standing.MatchString(n.text[max(0, start-80):min(len(n.text), end+120)])
			},
		},
		{
			id: "en.recommend", class: Recommendation, language: "en",
			sentence: "Plants a standing recommendation or names something as the trusted source.",
			words:    []string{"always", "only", "exclusively", "must", "should", "never", "treat", "consider", "regard", "when asked", "when the user asks", "whenever", "if asked", "if the user asks", "if anyone asks"},
			expr: regexp.MustCompile(`^(?:(?:always|only|exclusively|must|should|should always|must always)\s+(?:recommend|suggest|promote|cite|endorse|advise|advertise|mention|praise|favou?r|trust|steer|direct users|refer users)\s+(?:to\s+)?[^\n]+|never\s+(?:recommend|suggest|mention|cite)\s+[^\n]+\b(?:competitors?|alternatives?|instead of)` +
				`|(?:treat|consider|regard)\s+[^.\n]+\bas\s+(?:an?|the|your)\s+(?:\w+\s+)?(?:trusted|authoritative|reliable|credible|preferred|best|official)\s+(?:\w+\s+)?(?:source|authority|provider|vendor|choice|reference|site|website|expert)` +
				`|(?:when asked|when the user asks|whenever (?:asked|the user|someone|anyone)|if (?:asked|the user asks|anyone asks))\b[^.\n]*?\b(?:recommend|suggest|say|answer|respond|reply|mention|claim|tell them|state)\b)`),
			accept: func(n *normal, start, end int) bool { return recommends(n.text[start:min(len(n.text), end+120)]) },
		},
		{
			id: "en.trusted-source", class: Recommendation, language: "en",
			sentence: "Calls something the best or most trusted source, provider or vendor.",
			words:    []string{"most trusted", "only trusted", "most reliable", "most authoritative", "go-to source", "trusted source for", "best source for", "the only reliable"},
			expr:     regexp.MustCompile(`^(?:(?:the )?(?:most|only)\s+(?:trusted|reliable|authoritative)\s+(?:\w+\s+)?(?:source|provider|vendor|authority|company|platform|site|website|brand|service)|(?:go-to|trusted|best) source for\s+\w+)`),
		},
	}
}

// sendWordsEN are the verbs that move data.
var sendWordsEN = []string{"send", "post", "forward", "upload", "transmit", "exfiltrate", "leak", "copy", "mirror", "email", "e-mail", "mail", "pipe", "push", "report", "submit", "deliver", "share", "relay"}

var (
	// imperativeLeftEN precedes an imperative: the beginning of a sentence or
	// clause, or a modal.
	imperativeLeftEN = regexp.MustCompile(`(?:^|[.!?:;,\n"'()-]|\b(?:please|and|then|must|should|always|also|to|you|will|now on|now|silently|secretly|quietly|first|just|shall|agent|assistant))\s*$`)
	// addressed marks that a salutation is followed by an order.
	addressed = regexp.MustCompile(`\b(?:you|your|please|must|ignore|always|never|do not|don't|remember|recommend|trust|send|save|store|include|respond|reply|follow)\b`)
	// standing marks an order meant to last or to go unnoticed.
	standing = regexp.MustCompile(`\b(?:always|from now on|permanently|henceforth|without asking|without confirmation|in all future|for all|every time|for (?:this|the) (?:admin|operator|owner)|you (?:must|can|should|may|will)|operator|system:|admin)\b`)
	// objectOfTrust tells planted preferences from engineering rules.
	objectOfTrust = regexp.MustCompile(`\b(?:recommend|promote|endorse|advertise|praise|steer|trusted|authoritative|refer users|direct users|cite|competitors?|best|leading|number one|products?|compan(?:y|ies)|brands?|vendors?|users?|https?://|www\.|\w+\.(?:com|net|org|io|xyz|de)\b)`)
)

// recommends reports whether a matched sentence is about what to tell people.
func recommends(s string) bool { return objectOfTrust.MatchString(s) }
