package language

// Closed word classes of English and German, each as a list of words in lower case that
// memory.WordSet makes a set of. Whoever needs more words for one purpose joins a list of
// those words to the class; the class itself has what a grammar counts to it and nothing
// for one rule alone.
const (
	// Determiners stand before a noun: articles, demonstratives, possessives, quantifiers.
	Determiners = `a an the this that these those my your his her its our their each every all some any no both
 der die das den dem des ein eine einer eines einem einen kein keine keinen keinem keiner keines
 dieser diese dieses diesen diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem alle allen aller
 mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines seine seinen seinem seiner seines
 ihr ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres euer eure euren eurem eurer eures beide beiden`

	// Prepositions, and in German those joined with an article.
	Prepositions = `about above across after against along among around as at before behind below beneath beside between beyond by
 during for from in inside into of off on onto outside over past per since through throughout to toward towards under until upon via with within without
 ab am an ans anstatt auf aufs aus bei beim bis durch für fürs gegen gegenüber gemäß hinter im in innerhalb ins laut mit mittels nach neben ohne pro seit
 statt trotz über um ums unter vom von vor während wegen zu zum zur zwischen`

	// Pronouns of persons and things, also of no certain person, where they are the subject.
	Pronouns = `i you he she it we they there one somebody someone nobody everybody everyone anybody anyone whoever
 ich du er sie es wir man jemand niemand jeder wer`

	// EnglishAuxiliaries are the finite forms of be, have, do and the modal verbs.
	EnglishAuxiliaries = `is are was were am has have had do does did can could will would shall should may might must cannot
 isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't`

	// GermanAuxiliaries are those of sein, haben, werden, bleiben and the modal verbs.
	GermanAuxiliaries = `ist sind war waren wird werden wurde wurden hat haben hatte hatten bleibt bleiben
 kann können konnte konnten soll sollen sollte sollten darf dürfen durfte durften muss müssen musste mussten will wollen wollte wollten mag mögen möchte möchten`

	// GermanVerbs are forms of the common verbs of German notes, besides the auxiliaries.
	GermanVerbs = `läuft laufen lief liefen liegt liegen lag lagen steht stehen stand hört hören lauscht lauschen nutzt nutzen verwendet verwenden benutzt
 speichert speichern schreibt schreiben schrieb liest lesen braucht brauchen benötigt benötigen hält halten hielt beträgt betragen gilt gelten galt
 endet enden beginnt beginnen startet starten dauert dauern kostet kosten fragt fragen sortiert sendet senden schickt schicken gehört gehören verlangt
 erwartet erwarten erzeugt erzeugen liefert liefern setzt setzen nimmt nehmen gibt geben geht gehen ging kommt kommen kam bekommt bekommen erhält erhalten
 enthält enthalten zeigt zeigen meldet melden prüft prüfen löscht löschen verwirft verwerfen wiederholt wiederholen wartet warten bricht brechen
 scheitert scheitern macht machen tut heißt heißen behält behalten zieht zog ziehen fällt fiel fallen stellt stellen führt führen findet finden
 trägt tragen bringt bringen betreut betreuen leitet leiten verantwortet bedient bedienen verarbeitet verarbeiten legt legen lädt laden baut bauen
 verfällt verfallen schließt öffnet antwortet antworten verbindet verbinden sichert sichern umfasst fasst belegt belegen kennt kennen erlaubt akzeptiert
 bezieht beziehen holt holen sperrt sperren lohnt lohnen folgt folgen bevorzugt testet testen ändert ändern wandert landet landen trennt mergt`

	// IrregularPasts are the past tense and the participle of common English verbs that do
	// not form them with -ed.
	IrregularPasts = `ran kept held took taken sent wrote written gave given went gone came grew grown fell fallen rose risen became stood led paid left met fed
 cut hit put knew known saw seen built got made began begun shrank died broke broken chose chosen drew drawn lost won found thought brought bought caught
 taught told said felt threw thrown flew spent slept sank spoke spoken stole stolen swept understood used`

	// Months, Weekdays and Seasons, in full.
	Months = `january february march april may june july august september october november december
 januar februar märz mai juni juli oktober dezember`
	Weekdays = `monday tuesday wednesday thursday friday saturday sunday
 montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag`
	Seasons = `spring summer autumn fall winter frühling frühjahr sommer herbst`
)
