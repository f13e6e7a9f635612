package page

import "github.com/winnowhq/winnow/services/internal/memory"

// Section headings stay as they are in MEMORY.md.
var german = phrases{
	header:  "Memory-Triage: %d automatisch übernommen, %d automatisch verworfen, %d zusammengeführt, %d brauchen deine Entscheidung",
	nothing: "Diese Woche braucht dich nichts.",
	item:    `%d. [%s] "%s" — Empfehlung: %s`,
	advice: map[memory.Advice]string{
		memory.AdvicePromote: "übernehmen", memory.AdviceReject: "verwerfen",
		memory.AdviceReplace: "ersetzen", memory.AdviceReview: "prüfen",
	},
	reasons: map[string]string{
		"poison": "es könnte einen Agenten lenken wollen", "boundary": "genau so ähnlich wie die Schwelle",
		"conflict": "anderer Wert als bisher, ohne dass von einer Änderung die Rede ist",
		"merge":    "überschneidet sich mit Gespeichertem", "remember": "jemand wollte es behalten; es ist eine Regel",
		"transient": "klingt nach einem Plan oder dem Stand des Augenblicks", "hardrule": "eine Regel; Regeln macht nur ein Mensch",
		"preference": "neue Vorliebe", "opinion": "eine Meinung, keine Tatsache",
		"convention": "neue Konvention", "undated": "ohne Datum, oder es nennt nichts Prüfbares", "ambiguous": "keine Regel ist sicher", "contradiction": "zwei Einträge widersprechen sich",
	},
	rules: map[string]string{
		"poison": "wollte einen Agenten lenken", "echo.prompt": "wiederholte eine Startdatei", "echo.recall": "wiederholte Ausgeliefertes",
		"artifact": "Auftrag zum Ändern der Datei", "rawdate": "Datum ohne Text", "retired": "nannte Abgelöstes",
		"settled": "schon von einem Menschen verworfen", "dup.exact": "wörtlich schon gespeichert", "dup.near": "in anderen Worten schon gespeichert",
		"update": "geänderter Wert", "boundary": "genau an der Schwelle", "conflict": "anderer Wert als gespeichert",
		"merge": "überschneidend", "remember": "jemand wollte es behalten", "personal": "über die eigenen Dinge gesagt",
		"fact": "datierte Tatsache", "strategy": "gewonnene Lehre", "transient": "Plan des Augenblicks", "hardrule": "Regel",
		"preference": "Vorliebe", "opinion": "Meinung", "convention": "Konvention", "undated": "ohne Datum",
		"ambiguous": "keine Regel war sicher", "absorbed": "in Vollständigerem aufgegangen",
	},
	origin: map[memory.Origin]string{
		memory.OriginHuman: "ein Mensch sagte es", memory.OriginFirstParty: "ein eingetragener Dienst oder sein Nutzer sagte es",
		memory.OriginAgent: "Aussage eines Agenten", memory.OriginExternal: "von außen, kein Mensch sagte es",
		memory.OriginUnknown: "niemand weiß, woher",
	},
	session: ", Sitzung %s", seen: ", %d-mal gesehen", date: "02.01.2006",
	stored: `bisher: "%s"`, open: `wartet auch: "%s"`,
	either: "ja behält den ersten anstelle beider, nein behält beide",
	merges: "diese %d darin zusammenfassen? %s",

	more:       plural{"+%d weitere nächste Woche", "+%d weitere nächste Woche"},
	tooLong:    plural{"%d ist zu lang für eine Nachricht: winnow review", "%d sind zu lang für eine Nachricht: winnow review"},
	outside:    plural{"%d von außen wartet, kein Mensch sagte es: winnow review", "%d von außen warten, kein Mensch sagte sie: winnow review"},
	expired:    plural{"%d ist nach %d Tagen ohne Antwort verfallen; nichts davon wurde gespeichert", "%d sind nach %d Tagen ohne Antwort verfallen; nichts davon wurde gespeichert"},
	oldest:     plural{"Älteste Frage: %d Tag alt.", "Älteste Frage: %d Tage alt."},
	merged:     "Für dich zusammengeführt: %s. Die Originale bleiben, siehe winnow runs list.",
	became:     "%d Einträge wurden zu %d",
	letGo:      plural{"%d als veraltet archiviert", "%d als veraltet archiviert"},
	pruned:     plural{"%d bewährte sich nicht und wurde archiviert: winnow memory list --archived", "%d bewährten sich nicht und wurden archiviert: winnow memory list --archived"},
	mergedInto: `, etwa "%s"`, mergedOne: `: "%s"`, mergedUndo: " (zurück: winnow runs undo %s)",
	spots: "Stichprobe, ohne dich übernommen (p1n nimmt p1 zurück):", spotsOf: "Stichprobe, ohne dich übernommen, %d von %d (p1n nimmt p1 zurück):",
	why: "Warum verworfen: %s.", override: "Anders als empfohlen entschieden: %d von %d (%d %%).",
	ruleOff: "Handelt nicht mehr allein, weil zu oft anders entschieden wurde: %s (%s).",

	reply: "Antwort: ", except: "ok außer %dn", yes: "1j", no: "2n", text: "%d: neuer Text", later: "später", undo: "zurück", code: "Code",
	page: "Oder: %s",
	grammar: `ok — wie empfohlen; was „prüfen“ sagt, bleibt offen
ok außer 3n 5j — wie empfohlen, aber 3 nicht speichern, und 5 speichern
1j 2n, 1-3j, alle n — j speichert den Text, n nicht
4: neuer Text — stattdessen diesen Text speichern, bis zum Ende der Zeile
p2n — die Stichprobe 2 war falsch; zurücknehmen
später — alles offen lassen
zurück — die letzte Antwort zurücknehmen`,

	done: "Erledigt: %s.", promoted: "%s übernommen", edited: "%s in deinen Worten übernommen", replaced: "%s anstelle des Bisherigen übernommen",
	rejected: "%s verworfen", left: "%s offen", already: "%s war schon so", kept: "%s bestätigt", retracted: "%s zurückgenommen",
	undoWithin:  " Zurücknehmen innerhalb von %s: zurück",
	nothingDone: "Nichts zu tun.", postponed: "Später: alles bleibt offen.",
	undone:        plural{"Zurückgenommen: %d Entscheidung deiner letzten Antwort.", "Zurückgenommen: %d Entscheidungen deiner letzten Antwort."},
	notUnderstood: "Nichts wurde getan. Nicht verstanden: „%s“: %s.", understood: " Verstanden: %s.",
	complaints: map[Why]string{
		WhyUnknown: "das sind keine Wörter einer Antwort", WhyEmpty: "darin steht keine Antwort", WhyNoChoice: "zur Nummer gehört j oder n",
		WhyContradiction: "es widerspricht dem Übrigen", WhyExcept: "schreibe ok außer 3n, oder nur 3n", WhyAlone: "es muss allein stehen",
		WhyText: "eine Antwort oder ein Code am Ende eines neuen Textes gehört auf eine eigene Zeile", WhyRange: "Nummern gehen von 1 bis 99, die kleinere zuerst",
		WhyLong: "es ist zu lang",
	},
	unknownItem: "Nichts wurde getan. Diese Nachricht hat kein %s.",
	moved:       "Nichts wurde getan. Inzwischen anderswo entschieden: %s.",
	states: map[memory.ProposalState]string{
		memory.ProposalPromoted: "übernommen", memory.ProposalRejected: "verworfen", memory.ProposalMerged: "zusammengeführt",
		memory.ProposalExpired: "verfallen", memory.ProposalQuarantined: "als verdächtig beiseitegelegt",
	},
	elsewhere: "ist jetzt eine andere Frage",
	foreign:   "Nichts wurde getan. Keine offene Nachricht an dich hat diesen Code.",
	lapsed:    "Nichts wurde getan. Diese Nachricht ist verfallen; ihre offenen Fragen kommen wieder.",
}
