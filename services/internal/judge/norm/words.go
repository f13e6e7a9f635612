package norm

import (
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// The lists are function words, common verbs of notes, and the things that a team makes
// and agrees about. EN and DE.
var (
	openers       = memory.WordSet(`rather when whenever if before after while unless once for until in by at on with without during from for as next since to where wherever prior instead per under`)
	germanOpeners = memory.WordSet(`wenn falls bevor nachdem sobald solange beim bei vor nach ab im in ohne für am zum zur seit mit`)

	auxiliary       = memory.WordSet(language.EnglishAuxiliaries, `get gets it's that's there's we're they're you're i'm`)
	pastAuxiliary   = memory.WordSet(`was were had did wasn't weren't didn't hadn't could would wouldn't couldn't war waren hatte hatten wurde wurden musste mussten konnte konnten sollte wollte wollten durfte`)
	germanAuxiliary = memory.WordSet(language.GermanAuxiliaries)
	germanVerbs     = memory.WordSet(language.GermanVerbs)
	germanPasts     = memory.WordSet(`lief liefen lag lagen stand hielt galt ging kam zog fiel schrieb`)

	articles          = memory.WordSet(language.Determiners)
	articlesOfOne     = memory.WordSet(`a an one each every any ein eine einer jeder jede jedes`)
	prepositions      = memory.WordSet(language.Prepositions, `next like`)
	relatives         = memory.WordSet(`that which who whose where when die der das`)
	germanRelatives   = memory.WordSet(`dass der die das den dem welche welcher wo`)
	pronouns          = memory.WordSet(language.Pronouns)
	quantifierPronoun = memory.WordSet(`nobody everybody everyone anyone anybody one someone it he she whoever niemand wer`)
	plurals           = memory.WordSet(`people data children staff media criteria women men they we you`)
	governed          = memory.WordSet(`only after before unless until never always here there also first last together alone once twice up down out off away back through best directly`)
	orderLead         = memory.WordSet(`please always never just then also first better kindly simply do`)
	orderObject       = memory.WordSet(`the a an any every each all it them this that these those your our their its one two no only both another`)

	irregularPast = memory.WordSet(language.IrregularPasts)
	irregularVerb = memory.WordSet(`run keep hold take send write give go come leave meet feed cut hit know see build get mak begin break choos draw los win find think bring buy catch teach tell say put set let
 read do hav liv giv writ tak com us mov stick spend sleep speak wear bind split quit shut spread throw grow fall ris becom stand lead`)

	// samePast are verbs whose past is their base form.
	samePast = memory.WordSet(`put set cut let hit shut split read quit spread bid cast shed cost hurt thrust burst`)
	// circumstances stand behind "where", "if" and "when" without a verb.
	circumstances = memory.WordSet(`possible necessary needed feasible applicable practical appropriate required available sensible reasonable möglich nötig sinnvoll zulässig`)

	// placing are verbs that say where things of a kind are, what form and what name they have,
	// and what goes with them.
	placing = memory.WordSet(`live lives sit sits reside resides go goes belong belongs stay stays come comes begin begins start starts end ends carry carries bear bears get gets follow follows use uses
 need needs require requires ship ships have has take takes own owns land lands name names mean means state states spell spells wear wears lead leads expose exposes enter enters pass passes merge merges fix fixes
 open opens close closes conclude concludes
 heißen heißt liegen liegt stehen steht gehören gehört bekommen bekommt tragen trägt folgen folgt beginnen beginnt enden endet kommen kommt landen landet behalten brauchen braucht erhalten erhält gelten gilt`)

	abbreviations = memory.WordSet(`e.g i.e g e b z.b d.h vgl etc cf no nr ca`)
	beginnings    = memory.WordSet(`open opens close closes conclude concludes`)
	placingPlural = memory.WordSet(`live go belong stay come carry get follow need require have`)
	subordinates  = memory.WordSet(`what how why that which who whose when whenever if unless until because since so and but or while before after as than where once`)

	// artefacts are what a team makes, so that it may have agreed about it.
	artefacts = memory.WordSet(`request requests response responses payload payloads param params parameter parameters argument arguments input inputs output text field fields button migration paket pakete komponente komponenten variablen funktionen preise tarife test tests spec specs fixture fixtures migration migrations branch branches commit commits message messages pr prs mr mrs merge merges change changes endpoint endpoints service services log logs level levels
 flag flags name names ticket tickets doc docs documentation document documents date dates timestamp timestamps time times code codes error errors secret secrets topic topics release releases adr adrs component components
 function functions method methods class classes file files module modules package packages table tables column columns script scripts image images config configs configuration dashboard dashboards alert alerts comment comments
 deploy deploys deployment deployments dependency dependencies schema schemas event events metric metrics variable variables constant constants enum enums member members key keys password passwords credential credentials token tokens
 review reviews reviewer bug bugs fix fixes feature features hotfix hotfixes issue issues incident incidents postmortem postmortems runbook runbooks chart charts stack stacks query queries index indexes view views
 import imports export exports identifier identifiers type types interface interfaces hook hooks folder folders directory directories path paths prefix suffix header headers record records snapshot snapshots backup backups
 change-log changelog entry entries note notes line lines amount amounts currency unit units string strings text texts id ids number numbers label labels tag tags version versions build builds library libraries
 description descriptions heading headings caption captions summary summaries subject subjects footer footers body abstract abstracts paragraph paragraphs approval approvals meeting meetings task tasks story stories sprint sprints estimate estimates plan plans decision decisions report reports template templates resource resources bucket buckets queue queues job jobs
 environment environments cluster clusters database databases firmware binary binaries asset assets colour colours color colors page pages route routes window windows skill skills command commands model models notebook notebooks
 dataset datasets experiment experiments pipeline pipelines playbook playbooks role roles access data url urls api apis handler handlers helper helpers util utils story translation translations title titles button buttons
 schnittstelle schnittstellen testdaten passwort passwörter zweig zweige migrationen schema änderung änderungen fehler endpunkt endpunkte dienst dienste tabelle tabellen spalte spalten datei dateien skript skripte
 freigabe freigaben geheimnis geheimnisse zugangsdaten kundendaten schlüssel daten namen protokolle meldungen fenster klassen modul module konstanten importe exporte kommentare ticket tickets merge release releases version versionen`)

	// havings are verbs of placing that say as often what something has or needs by itself.
	havings = memory.WordSet(`have has use uses need needs require requires take takes brauchen braucht haben hat`)

	// people are those whom a norm addresses.
	people = memory.WordSet(`agent agents assistant assistants bot bots developer developers engineer engineers contributor contributors maintainer maintainers reviewer reviewers author authors
 operator operators admin admins administrator administrators owner owners team teams person persons people colleague colleagues staff employee employees member members
 everyone everybody anyone anybody someone nobody whoever lead leads manager managers approver approvers committer committers guest guests intern interns teacher teachers
 mitarbeiter kollegen kollege entwickler personen agenten autoren gutachter leitung lehrkräfte lehrer schulleitung niemand jeder alle wer`)

	// minds are verbs of what people know, which nobody orders.
	minds = memory.WordSet(`know knows remember remembers understand understands notice notices care cares complain complains is are seems knew weiß erinnert merkt kennt ist`)
	// fates are verbs of what follows for those who do something.
	fates = memory.WordSet(`get gets see sees lose loses hit hits end ends run runs bekommt kriegt erhält sieht verliert landet`)

	// concessions say that it is so against what one would expect, which nobody orders.
	concessions = memory.WordSet(`trotzdem dennoch gleichwohl nonetheless nevertheless regardless`)
	// defects are what is wrong with a thing of a kind, and effects what comes of it.
	defects = memory.WordSet(`missing wrong broken invalid empty corrupt corrupted stale duplicate duplicated malformed unknown expired damaged truncated fehlender fehlende fehlendes falscher falsche falsches ungültiger ungültige ungültiges leerer leere leeres abgelaufener abgelaufene abgelaufenes`)
	effects = memory.WordSet(`make makes cause causes lead leads let lets trigger triggers break breaks lässt macht führt verursacht löst bricht stoppt`)

	// perceptions are infinitives that say what is possible behind "ist … zu".
	perceptions = memory.WordSet(`sehen erkennen hören lesen finden erwarten spüren merken messen rechnen verstehen erklären haben bekommen unterscheiden vergleichen erreichen verdanken vernachlässigen anzusehen nachzuweisen festzustellen zurückzuführen`)
	// separable are prefixes of German verbs that let "zu" into the infinitive: "hochzuladen".
	separable = memory.WordSet(`ab an auf aus bei durch ein fest fort her hin hoch los mit nach nieder um vor weg weiter wieder zurück zusammen frei bereit gegen heran heraus herunter hinein hinzu runter rein raus`)
	// programs are nouns before which a word of approval only names one.
	programs = memory.WordSet(`tool tools app page queue system board view window dialog form field column server service command module ui script database`)

	// ranks are those who may do what others may not.
	ranks = memory.WordSet(`leader leaders chief chiefs head heads director directors supervisor supervisors on-call administrators owner leiter leiterin leitung chef chefin schichtleitung schichtleiter`)
	// settlings begin a sentence with what was settled.
	settlings   = memory.WordSet(`agreed decided settled vereinbart beschlossen festgelegt abgesprochen`)
	kindsOfForm = memory.WordSet(`form format shape pattern scheme style prefix suffix spelling form schema muster präfix schreibweise`)
	forming     = memory.WordSet(`have take use follow get haben bekommen tragen nutzen folgen`)
	newcomers   = memory.WordSet(`new further additional neue weitere zusätzliche`)
	brings      = memory.WordSet(`bring come carry need get ship include require start live belong bringen brauchen bekommen erhalten kommen beginnen`)

	approval = memory.WordSet(`approval approvals approve approved approves sign-off signoff reviewed review consent permission signature signatures countersignature unterschrift unterschriften agreed agree agreement ok'd blessing go-ahead
 freigabe freigaben freigegeben zustimmung genehmigung genehmigt vier-augen-prinzip absprache einverständnis`)

	gates = memory.WordSet(`ci build job hook check checks linter lint pipeline gate test tests action bot codeowners pre-commit analyzer analyser scanner policy validator review`)
	stops = memory.WordSet(`fail fails reject rejects block blocks stop stops refuse refuses flag flags enforce enforces checks verifies demands insists complains red bounces`)

	futures = memory.WordSet(`soon tomorrow tonight morgen bald demnächst später`)
	months  = memory.WordSet(language.Months, language.Weekdays, language.Seasons)
	often   = memory.WordSet(`only usually often always mostly sometimes never rarely nur meist oft immer manchmal nie selten`)
	spans   = memory.WordSet(`sprint quarter week month year release half weekend iteration milestone version summer q1 q2 q3 q4 quartal woche monat jahr halbjahr`)

	forms = memory.WordSet(`russian french spanish italian dutch polish portuguese chinese japanese russisch französisch pascalcase camelcase kebab-case snake_case screaming_snake screaming_snake_case lowercase uppercase lower upper kebab camel snake pascal iso utc english british american german imperative imperativ indikativ präsens präteritum singular plural
 alphabetical alphabetically utf-8 markdown past-tense kleinbuchstaben großbuchstaben englisch deutsch semver capitalised capitalized hyphenated`)
	shaped = memory.WordSet(`named called grouped prefixed suffixed written stored kept formatted spelled spelt ordered sorted tagged versioned signed reviewed numbered labelled labeled indented capitalised capitalized committed documented squashed rebased designed tracked validated declared defined listed
 edited merged pinned logged tested approved shown placed grouped structured wrapped phrased worded checked-in translated archived mocked generated removed deleted deployed shared released rotated encrypted masked hashed reached accessed`)

	causes = memory.WordSet(`because since so therefore thus due which weil da daher deshalb sodass`)
	reacts = memory.WordSet(`fails fail crashes crash returns return answers answer throws throw breaks errors times hangs exits prints shows logs reports costs cost takes took gives stops leaks loses slows expires reconnects restarts rejects drops ignores
 bekommt liefert zeigt kostet dauert scheitert bricht antwortet sortiert meldet stürzt wirft`)
	nows = memory.WordSet(`now currently already still no-longer longer yet anymore again meanwhile jetzt derzeit noch schon mehr inzwischen`)

	worths = memory.WordSet(`worth lohnt worthwhile advisable wise wiser prudent sensible empfiehlt ratsam sinnvoll lieber`)
	better = memory.WordSet(`better best safer safest easier easiest cheaper cheapest quicker quickest faster wiser smarter besser`)
	bans   = memory.WordSet(`off-limits taboo tabu untouchable forbidden banned unwelcome frowned okay ok acceptable allowed permitted negotiable compulsory obligatory mandatory required welcome fine optional non-negotiable verboten erlaubt pflicht zulässig`)
)

// advices are what somebody says who advises without obliging. EN and DE.
var advices = []string{
	"you'd better", "had better", "you'd do well", "do well to", "it helps to", "helps to", "when in doubt", "if in doubt",
	"im zweifel", "am besten", "am sichersten", "usually the", "a good idea", "good practice",
	"good habit", "a safe bet", "mind the", "beware of", "watch out for", "be careful", "be wary",
	"think twice", "it never hurts", "doesn't hurt to", "saves you", "saves an hour", "saves time",
	"saves a lot", "careful with", "look twice", "starting point", "spart zeit", "spares you",
	"you want to", "you will want", "you'll want", "keep an eye", "no need to", "don't bother",
	"es hilft", "vorsicht mit", "vorsicht bei", "achtung bei",
}
