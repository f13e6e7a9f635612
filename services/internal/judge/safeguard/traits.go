package safeguard

// The bits of lexicon traits: what is careless in the way a sentence speaks, and what is
// at risk where something is done carelessly. Neither names a protection.
const (
	free    class = 1 << iota // makes no difference between those who ask or what comes
	enough                    // says how little is needed
	soon                      // at once, or by itself
	anyway                    // in spite of something
	same                      // one for several
	lasting                   // without an end
	later                     // looked at when it has happened
	shrug                     // an excuse: it was slow, nobody missed it
	may                       // leave to do something
	blessed                   // somebody agreed
	missing                   // is not there or not done any more, whatever it is
	nobody                    // no person
	device                    // can hurt somebody or opens a door
	cash                      // money, and what is ordered or owed
	people                    // what is known of persons
	entry                     // comes from outside into a program
	ship                      // brings something into use
	reach                     // a way into a network, or those who take it
	opener                    // a credential, or what stands for one
	account                   // accounts and rights
	mind                      // an agent, and what it reads or runs
	record                    // tells or restores what happened
	supply                    // is installed or run because of where it comes from
	runs                      // carries something out
	unknown                   // comes from somebody who answers for nothing
	raised                    // is more than before
	checkup                   // somebody looks
	safe                      // the safe direction
	mishap                    // something went wrong and is told of
	measure                   // a number that measures
	news                      // what is said of anything: measures, faults, fixes
	again                     // as it was before, or still
	choice                    // left to whoever has it to do
	self                      // who does it vouches for it
	ambit                     // is left out of what holds for the others
	assumed                   // is taken for granted, by silence or by default
	claimed                   // believed because somebody says so
	ended                     // idioms of an end: came out, was let go
	duty                      // what people or programs have to do before or after something
	shown                     // is put where it is read
	bound                     // how much, how long or how often at most
)

var traits = newLexicon(map[class]string{
	free: `any anyone anybody anything anywhere anytime whoever whatever whichever wherever however everything everyone everybody as+they+come as+they+are as+it+is as+is
		as+it+comes as+they+arrive as+it+arrives as+often+as as+much+as as+many+as as+the+caller as+the+client every+client every+caller every+user every+visitor
		every+request every+sender every+card every+host every+device every+message every+account every+employee every+member every+partner every+customer every+guest
		every+new all+hosts all+users all+clients all+callers all+visitors all+subnets all+networks all+employees all+members all+staff all+branches all+shifts
		whole+campus whole+company whole+office whole+building whole+network whole+world all+of+them arbitrary beliebig* jede jeder jeden jedem jedes jegliche*
		sämtliche* egal wahllos* unbesehen* unterschiedslos ungefragt* at+will freely no+matter irrespective unconditional* bedingungslos* indiscriminate* blind blindly
		first+host answers+first unasked world internet public publicly öffentlich* wildcard wildcards permissive* open offen* unlimited unbegrenzt* unbounded 0.0.0.0
		0.0.0.0/0 ::/0 allen allem allesamt everywhere überall outsiders strangers fremde* whosoever whole+day full visitors all+boards all+topics allen+teamleitern any+time any+hour as+the+caller the+caller+names mirrors+the echoes+the reflects+the untouched unverändert a+ticket+names the+client+names allusers all_users allowall alwaysallow acceptany`,
	enough: `just merely simply enough suffices suffice sufficient sufficiently reicht reichen genügt genügen ausreich* one+click single+click ein+klick a+click one+person
		bloß lediglich only+takes only+needs mere sight+unseen single one+signature eine+unterschrift first+name by+name
		house+number customer+number birthday birthdate geburtsdatum kundennummer`,
	soon: `straight straightaway directly immediately instantly at+once on+its+own on+their+own on+his+own on+her+own itself themselves automatically automatic
		unattended by+itself sofort direkt* unmittelbar* selbst selber selbstständig* selbsttätig* automatisch* eigenständig* right+away auto-* on+the+spot auf+zuruf
		unprompted spontaneously without+waiting without+further ohne+weiteres ohne+warte* at+every+start auf+eigene*`,
	anyway: `anyway even+when even+if even+without even+on even+with regardless nevertheless nonetheless trotzdem dennoch gleichwohl auch+wenn auch+ohne auch+bei in+any+case either+way
		ungeachtet in+spite despite trotz goes+through go+through let+through passes passed+through come+what+may whether+or ends+green end+green stays+green
		all+the+same continues continue weiterhin carries+on`,
	same: `the+same same identical derselbe dieselbe dasselbe denselben demselben derselben teilen share shares shared sharing gemeinsam* geteilt* common uniform uniformly
		einheitlich* used+by+all one+for+all sammel* equals`,
	lasting: `permanent* dauerhaft* ständig* for+good forever all+the+time around+the+clock round+the+clock always immer stets any+time at+all+times until+further bis+auf+weiteres
		stays+so stay+so it+stays to+never indefinite* unbefristet* whole+day whole+night 24/7 endless* endlos* standing no+end half+a+year persistent*
		jederzeit rund+um+die+uhr`,
	later: `later+on them+later it+later looks+later afterwards afterward subsequently retroactive* nachträglich* hinterher später after+the+fact monatsende month's+end end+of+the+month now+and+then ab+und+zu
		occasionally gelegentlich* once+in+a+while when+time eventually best+effort best-effort hin+und+wieder on+fridays once+a+year once+a+month spot+check*
		stichprobe* overwritten überschrieben* thrown+away rotated+away`,
	shrug: `annoy* nag* nagged noise noisy nuisance nerv* lästig* slow slowed slows slower too+often too+long too+strict zu+streng zu+langsam zu+oft tripped in+the+way
		nobody+read nobody+reads nobody+looked nobody+looks nobody+used nobody+needs nobody+needed nobody+missed always+false always+failed always+missing never+found
		which+is+fine is+fine are+fine fine easier convenien* bequem* einfacher erleichter* hassle* cumbersome umständlich* tedious rude complain* beschwer* friction
		otherwise sonst made+no+difference no+difference false+alarms false+positives fehlalarme needs+it need+it needs+them asked+for+it wanted+it demanded+it like+it
		likes+it braucht+das braucht+es could+not couldn't konnte+nicht konnten+nicht blocked+releases blocked+the hampered hindered disturbed disturbs störte* stört
		behinder* bothered held+up aufhielt aufgehalten kept+failing failed+otherwise had+failed+with simpler for+simplicity for+convenience for+speed to+save+time
		der+einfachheit in+printing could+not+print trouble support+needs users+can customers+can partners+can reaches+it reaches+them reach+it zur+vereinfachung so+that+the+vendor so+that+partner* so+that+customers impractical unpraktisch* overkill pointless sinnlos* superfluous
		knows+about weiß+bescheid`,
	may: `may can might allowed+to darf dürfen kann können free+to at+liberty entitled berechtigt has+leave leave lets let lässt allows allow allowed permits permit
		permitted erlaubt* gestattet* granted grants`,
	blessed: `confirmed agreed approved accepted advises advised advise recommends recommended recommend recommendation empfiehl* empfohlen* empfehlung* official
		officially offiziell* by+phone vetted endorsed* signed+it+off signed+off acceptable with+the+consent abgestimmt* beschluss* beschlossen vereinbart* laut+beschluss
		consent einvernehmen einverstanden okay okayed waived sanctioned genehmigt* freigegeben* bestätigt* declared erklärt* cleared trusted`,
	missing: `without ohne no+longer nicht+mehr not+any+more any+more anymore no kein keine keinen keiner keinem none nor is+history has+not+run have+not+run not+run is+gone
		are+gone gone is+out are+out is+dead is+off are+off off aus weg vorbei away dropped removed deleted disabled inactive stopped ended skipped skips ignored ignores
		ignore skip disable drop cleared muted mute unset empty leer leere leeren bridged überbrückt* bypassed bypass bypasses unhooked retired waived lifted abolished
		abgeschafft* abgestellt* entfernt* entfällt entfallen deaktiviert* ausgeschaltet* abgeschaltet* gelöscht* gestrichen* aufgehoben* übersprungen* umgangen* eingestellt*
		not+checked not+asked not+asked is+not are+not do+not does+not doesn't don't isn't aren't has+not have+not wird+nicht werden+nicht unchecked ungeprüft* unread ungelesen raw roh unfiltered ungefiltert* replaced+by+a`,
	nobody: `nobody no+one no-one niemand niemandem niemanden no+person no+human without+anybody without+anyone nobody's kein+mensch keiner not+run has+not+run is+history unread ungelesen only+in+the+log nur+noch+ins`,
	device: `valve* ventil* press presse pump pumps pumpe* heater* heating heizung* boiler* kessel conveyor* förderband* door doors tür türen türöffner* tor lock locks schloss
		schlösser safe tresor* locker lockers alarm* siren* sirene* sprinkler* extinguish* interlock* verriegelung* light+barrier* lichtschranke* lichtgitter* e-stop
		emergency+stop* not-aus* notaus* not-halt* limit+switch* endschalter* watchdog* plc plcs sps scada crane* kran* elevator* aufzug* aufzüge furnace* ofen burner*
		brenner* chlor* dosage dosier* dose doses infus* ventilator* beatmung* brake* bremse* reactor overload überlast* overtemperature übertemperatur* thermostat*
		barrier schranke* camera* kamera* intercom* badge* ausweis* card+reader* relief drehzahl* overspeed smoke+detector* rauchmelder* gas+detector* gaswarn* inverter*
		charger* ladesäule* drone* drohne* forklift* gabelstapler* robot+arm* laser* centrifuge* zentrifuge* setpoint* sollwert* degrees grad temperature temperatur* bar pressure
		druck speed+limit*
		züge trains nurse nurses hoist* winch* fahrzeug* x-ray röntgen* radiation strahlung steam dampf turbine* autoclave* freezer* insulin syringe* defibrill* gerüst*
		notausgang* emergency+exit* evacuat* sauerstoff oxygen motor motors akku*`,
	cash: `pay pays paid payment* payout* invoice* rechnung* refund* gutschrift* erstattung* salar* gehalt* gehälter* transfer transfers überweis* wire wired wires purchase*
		order orders bestellung* spend* euro euros eur usd dollar* budget* bank banks payee* payroll lohn* löhne credit* kredit* kreditoren* discount* rabatt* voucher*
		gutschein* account+number* billing tax elster buchhaltung accounting bookkeep* treasury iban lottery bets price+list* limit+of+the+card checkout cash kasse* kassen*
		bonus* donation* spende* rent miete* deposit* kaution* supplier* lieferant*
		fees fines penalt* chargeback* debit* lastschrift* mahnung* dunning write-off* ausbuch* settlement* gebühr* fare fares reimburse* compensation* auszahl* abheb*`,
	people: `full+card patients' card+number* patient* customer* kunden* member+record* member* mitglied* employee* mitarbeiter* personnel personalabteilung* hr mailbox* postfach* postfächer* addresses home+address* adressen
		recording* aufzeichnung* photo* letters salar* location+data coordinates grades noten prüfung* papers pupils students student* schüler* contract* vertrag*
		passport* medical* health donor* spender* tenant* mieter* guest+list* resident* bewohner* card+number* applicant* bewerb* personal+data personenbezogen* voter*
		children kinder* client+files akten* diagnos* befund* transcripts conversations chats private+messages birthdates readings+of appraisals gutachten
		borrower* ausleih* minors genom* biometric* religio* witness* whistleblow* hinweisgeb* informant* loan+histor* reading+histor* health+data gesundheitsdaten* sozialdaten*`,
	entry: `upload* form formular* field* feld* request* anfrage* query* param* header* cookie* url urls link links attachment* anhang* anhänge* spreadsheet* file+name*
		filename* dateiname* html markdown tags csv payload* webhook* input* eingabe* comment* issue issues page pages seite seiten template* raw markup redirect*
		column spalte xml yaml pickle* archive+names path paths origin origins domain domains sender* absender* subject+line* e-mail e-mails email mail mails
		tickets ticket label labels ssh_original_command user-agent serialized deserial*
		todo.txt readme* cloned+repository`,
	ship: `merge* land lands release releases released deploy* main production prod rollout* publish* apply migrate* migration* push pushes pull+request* pipeline* ci job
		jobs batch build builds runner runners ausliefer* veröffentlich* freischalt* buchung* bucht books booked executes goes+live branch branches tag tags`,
	reach: `port ports tunnel* vpn broker* listener* wlan wi-fi wifi lan subnet* campus internet router* forwarded portforward* home+office from+home visitor* besucher* guest
		guests vnc rdp ssh mqtt telnet snmp smb nfs x11 ftp remote+access fernwartung* fernzugriff* remote+maintenance listens bind binds bound proxy socket sockets api endpoint*
		web+page console konsole* panel dashboard* interface admin server* dns network* netz* netze firewall* ufw iptables nftables ingress* host+line* bridge tailscale
		ngrok exposed reachable erreichbar* answers connects connect`,
	opener: `password* passwort* kennwort* pin pins code codes token tokens key keys schlüssel* session* sitzung* cookie* login* log+in logging+in sign+in anmeld* credential*
		passphrase* secret* zugangsdaten badge* certificate* zertifikat* seed seeds keystore* kubeconfig* ~/.ssh ~/.aws .env account+name username* user+name* api-key*
		passes card+number*`,
	account: `account accounts konto konten user role roles group wheel sudo* root uid+0 admin* owner owners group+membership rights rechte privileg* permission* berechtigung*
		scope scopes grant grants superuser* maintainer* cluster-admin hire hires ex-employees former intern interns praktikant* trainee* azubi* apprentice* contractor*
		technician* techniker* integrator* vendor* partner* supplier's`,
	mind: `agent agents assistant* assistent* bot bots *-bot relbot chatbot* robot copilot claude codex cursor llm model ki ki-* autopilot prompt prompts memory skill skills mcp
		instruction* anweisung* agents.md claude.md allowlist*
		sub-agent* subagent* tool+call* system+prompt*`,
	record: `sessions-log* backup* *sicherung sicherungen restore* rehearsal* snapshot* archive* archiv* tape tapes copy copies kopie* log logs *.log audit* trail history alert* alarm* alarme
		monitor* überwach* pager* watchdog* retention aufbewahr* journal* protokoll* report+of metrics notification* benachrichtig* incident* störung* on-call rufbereitschaft*
		errors+are failing+tests tests test scan scans *-scan *-check check checks prüfung* totals reconcil* abgleich* rule rules policy policies gate gates cap caps limit
		limits timeout* quota* deckel grenze* threshold*`,
	supply: `hash+list* md5 package* paket* firmware* update* image images mirror* spiegel* fork forks registry registries crate crates wheel wheels module modules library librar* dependency dependencies
		requirements* installer* install* setup* script* skript* binary binaries repo repository base+image* latest newest neueste* docker+hub npm pypi pip plugin* extension*
		add-on* key+server* toolchain* compiler* driver* treiber* template* usb+stick* stick download* iso time+server* dns+resolver* upstream feed* chart charts apt yum`,
	runs: `run runs running ran execute* executes eval exec shell command* befehl* interprets starts start starten startet calls call carried+out acted+on does follows obeys steer
		steers tells followed läuft laufen ausgeführt* führt+aus processes evaluates evaluated trusts trust taken+over apply applies takes take nimmt übernimmt übernommen*
		outrank* overrid* precedence binding vorrang* übersteuer*`,
	unknown: `own+it free+web+service translator* deepl* online+converter* google+translate forum forum+post blog+post community personal private privat* usb+stick* dealer* händler* stranger* third-party somebody gist blog* free+web free+online telegram whatsapp
		signal discord facebook gmail dropbox wetransfer pastebin mirror+of own+account owner's abandoned unmaintained successor* nachfolger* taken+over new+owner
		new+maintainer new+address new+number new+account cdn *.example.net *.example *.xyz *.top *.site *.online`,
	raised: `raised increased widened extended erhöht* erweitert* angehoben* verlängert* promoted elevated upped up+to bis+zu doubled verdoppelt* tripled`,
	checkup: `look looks looked looking watched read+by asked asks ask fragt fragen question questions rückfrage* confirm* bestätig* review* check checks checked prüf* geprüft*
		verif* inspect* approval* compare* vergleich* second+pair four+eyes sign-off wait waits waiting match matches screened tested reconciled call-back* callback* rehears*`,
	safe: `lost+write lost+usage lost+all has+lost no+write no+access no+permission no+rights has+no ohne+zugang ohne+zugriff eigenen+vlan now+only sees+nothing sees+only no+longer+disabled back+on in+addition only nur alone refuse* refuses reject* denies denied deny require* requires needs+a needs+two two+approvals second+factor in+addition zusätzlich restrict* limited begrenzt* beschränkt*
		reduced shrank lost+its lost+the lost+access verloren separated getrennt* pinned pins+every lock+the lock+for locks ends+after end+after enden closed geschlossen gesperrt*
		renewed erneuert* rotated encrypt* verschlüssel* masked strips stripped redact* leaves+out left+out+of own+accounts accounts+of+its eigenes eigene mandatory pflicht* hash*
		signed sha-256 digest in-house im+haus our+own two-person approves approvals prepares anonym* taken+out+of moved+into behind hinter hsm vault revoked entzogen*
		enforce* verify-full stops+the waits+for wait+for asks+for asks+twice call+back last+four found+nothing tightened strenger tougher separate quarantin*
		narrow* cut+down removed+from replaced+by+json stripped+of hidden+from abolished abgeschafft* locks+an
		lehnt weist abgewiesen* declines declined wiped+by expires expired+after works+once each+sensor of+its+own of+their+own of+his+own of+her+own own+namespace own+catalogue
		eigenen eigener second+approval second+copy zweite+kopie another+city protected geschützt closed+to lost+his lost+their reduced+to asks+before ask+before fragt+vor
		before+each before+it+hands vor+jedem tried+on binds+the as+a+parameter as+text stops+at still+ab both+hands brought+back cut+out+of keys+only computed+by+the+server
		in+ci by+digest nur+noch+die nur+noch+zahlen generated+names one+node+for normally+open jede+stunde jeden+tag jede+nacht every+hour every+night every+command each+command jeden+befehl täglich hourly stündlich public+holiday* waits+three within+three as+mandatory calibrated kalibriert new+batteries same+model
		reviews+every* reviews+all checks+every* checks+each`,
	mishap: `run+out ran+out failed failing fail fails failure failures outage* ausfall* ausgefallen fielen fiel hung hängen hing crashed crash crashes abgestürzt absturz error errors fehler during während
		timeout timeouts timed+out cured cause caused ursache restarted neugestartet broke broken gebrochen defekt* bug bugs stuck lost+power brown-out flapped panicked
		deadlock* leaked+memory oom rejected+every duplicated doppelt wrong falsch corrupt* delivered+later put+back recovered wiederhergestellt blieb blieben`,
	again: `again wieder erneut back+to reverted+to returned+to went+back once+more still immer+noch nach+wie+vor stay stays remain remains bleibt bleiben as+before wie+früher
		restored+to left+in+place in+place`,
	choice: `optional* voluntar* freiwillig* courtesy discretion* ermessen if+they+like if+they+wish when+they+have if+they+have when+somebody until+somebody wenn+jemand
		sobald+jemand when+asked auf+wunsch auf+anfrage who+asked who+ask feel feels fühlt for+themselves nach+gefühl hint hints advisory suggestion* recommendation*
		choose chooses chosen+by wählt wählen picks editable can+be+set+by by+hand von+hand manually unverbindlich* encouraged trusted+to honour+system when+time+permits
		wenn+zeit up+to+the up+to+each nach+eigenem at+their at+his at+her as+they+see as+needed nach+bedarf may+but where+possible möglichst`,
	self: `author authors autoren* verfasser* own+change* own+pull own+request* own+work own+report* own+expens* own+rights own+scope* own+merge own+code own+invoice* own+order* own+rule*
		own+permission* own+account+of themselves himself herself sich+selbst selbst selber same+person dieselbe+person derselben+person by+the+people by+the+one
		whoever+releases requester* antragsteller* self-* seller's+own verkäufers+selbst eigene+änderung* eigenen+änderung* eigene+regeln eigenen+regeln its+own+user
		application's+own by+its+owner by+their+owner whoever+wrote deren`,
	ambit: `except exception* excluding excluded ausgenommen* ausnahme* apart+from other+than not+apply not+cover not+include no+part+of not+part+of exempt* befreit* carve-out weekends
		wochenende* at+night nachts after+hours außerhalb outside+office feiertag* left+out ausgespart* unless es+sei+denn gilt+nicht gelten+nicht leaves+alone alone+as
		not+counted hidden unlisted off-list below+it out+of+scope`,
	assumed: `assumed assumes assume presumed deemed counts+as count+as counted+as treated+as taken+as taken+for gilt+als gelten+als gilt+bei zählt zählen silence schweigen implied
		implicit* stillschweigend* unterstellt* known+and expected as+read considered whatever+it whatever+was by+default reports+success always+green returns+ok says+yes
		answers+yes goes+green close+themselves closes+itself close+automatically schließen+sich verfällt lapses`,
	claimed: `says sagt names+the claims claim angibt angeben behauptet* self-declared self-reported browser client's by+the+header the+header in+the+address in+der+adresse
		user-supplied supplied as+it+was+typed as+typed typed enters eingetragen* einträgt eingegeben* submit submits announces+itself selbstauskunft* on+their+word word+of
		knows+the caller visitor visitors tell+it told+by asks+for ask+for bitte* according+to laut wants+it`,
	ended: `history came+out taken+out took+out let+go struck+off struck struck+out fell+away fallen+away left+the came+off taken+off took+off pulled stopped+holding not+fitted
		not+compared not+looked not+read not+written not+shipped not+stop not+stopped not+hold not+asked not+needed not+being+asked not+checked taped bridged wedged propped jumpered
		shorted tied+open tied+down held+open unscrewed abgeklemmt* ausgehängt* verplombt* weggefallen* entfällt entfiel ausgesetzt* außer+betrieb stillgelegt* cut+out
		dispensed sacrificed died lapse lapsed expired runs+free run+free went+silent never+comes never+asked was+last last+loaded last+tested observe+only not+have+been
		without+being without+deleting without+checking without+asking waived erlassen* verzicht*`,
	duty: `review* escort* background+check* training* schulung* sign-off* signature* signatur* unterschrift* second+person zweite+person zweiter+person second+look calibration
		kalibrierung inspection* inspekt* reconcil* abgleich* gleicht balance+check forgotten erasure löschung* deletion consent* einwillig* freeze tests approval* approve
		approved freigabe* zustimmung* waiting+time cooling-off wartezeit* quorum* check checks comparison compared compare reading+back trial+of drill* rehears* log-out
		logging+out abmeld* meldet+sich watchdog* alarm* alert* review+of four-eyes vier-augen* pseudonym* mask* wiped wipe trace trail journal records protokoll*
		zugriffsprotokoll* mitschreib* advisories findings scan scans scanner* proof nachweis* beleg* bestand manifest sbom list+of+what package-lock.json lockfile go.sum
		yarn.lock allerg* wristband prüfung* geprüft* prüft gesichert* sicherung* replica hotfix* änderung* red+build build's findings zeilenfilterung* filterung*
		sign-in* sign-ins antivirus virenfund* endpoint+agent alerts detector* duty pflicht* reason+why order+number bestellnummer* ceiling bounds`,
	shown: `prints print printed shows show shown displays displayed anzeigt zeigt angezeigt* lists+all listed contains contain includes include including enthält enthalten part+of+the
		part+of+every part+of+each part+of+what part+of+its returns+the returned written+to written+into put+into puts hangs hängt readable lesbar visible sichtbar carries
		carry exposes attached+to uploads+each public+link embedded baked+into pasted spoken read+out in+clear im+klartext plain+text as+plain`,
	bound: `limits limit+of ceiling* cap caps upper+bound obergrenze* deckel* höchst* maximum maximal* at+most höchstens threshold* schwelle* grenzwert* bounds tolerance*
		range interval* frist* deadline window waiting+time period attempts versuche times+a+day per+day pro+tag length+check size+check timeout* lifetime validity windstärke
		once+a+month im+monat once+a+year a+month a+year a+second six+wrong 24+hours weeks any+number number+of+times more+than+once last+six last+hour last+day from+30`,
	news: `fixed fix fixes bug minutes minuten seconds sekunden ms mb gb percent % translated loads split merged renamed refactored crash* icon colour color faster langsamer
		columns rows spalten tables button page+of memory+of size version upgraded rendered layout navbar typo docs documented measured dauert`,
})
