package safeguard

// class is a set of what a word may stand for.
type class uint64

const (
	guard     class = 1 << iota // keeps an attacker out
	watch                       // protects where the sentence is about security, and is everyday work elsewhere
	keep                        // lets one find out or restore afterwards: backups, retention, audit logs
	hole                        // is a lowered protection by its name
	weak                        // a way in that is better closed; says nothing by itself
	off                         // is gone, skipped or looser
	less                        // a smaller or larger number than is safe, an end of a limit
	denies                      // no, without: denies what stands right behind it
	hard                        // the safe direction
	secret                      // opens something: credentials
	data                        // must not leave the house
	public                      // a place or state in which many can read
	wide                        // everybody, everything
	opens                       // lets in
	access                      // can be let into
	power                       // rights of an administrator
	grants                      // gives rights
	source                      // is trusted to be genuine: registries, updates
	identity                    // who somebody or something is, and where money and mail go
	moved                       // is another one now
	fetched                     // is taken from
	sent                        // goes to
	outside                     // an address beyond the private networks
	stranger                    // somebody else's
	actor                       // an agent or a bot
	freely                      // without being asked
	office                      // vouches for something
	approved                    // the vouching
	flaw                        // a known hole in software
	dismiss                     // says that a flaw does not matter
	desk                        // people who can be talked into something
	secure                      // says that a sentence is about security
	gap                         // a hole where the sentence is about security
	span                        // how long something is kept
	flow                        // leaves a machine all the time: logs, telemetry
	elsewhere                   // a place that real data is not made for
	factory                     // a credential that everybody knows
	strong                      // rights that are named as such
	has                         // has rights, rather than being given them
	proof                       // is accepted because of who signed it
	accepts                     // takes as genuine
	venue                       // a place in which many can read what is put there
	exposed                     // open to the world
	stuff                       // files that hold anything, secrets among them
	life                        // how long a credential or a session is valid
	value                       // the value of an identity: a fingerprint, an account number
	longer                      // of a validity: a number of months, or no end
	dated                       // says when it began
	everyday                    // too common for core, whatever else it is
	core                        // is about security itself, whatever is said of it
	neutral                     // is everyday news of anything: measures, faults, fixes, looks
	handed                      // is given away, of anything
	input                       // text that an agent reads and should not obey
)

// vocabulary are the words of each class, English and German. A star stands for any
// letters, before, after or on both sides; a plus joins the words of a term.
var vocabulary = newLexicon(map[class]string{
	guard: `*interlock* *verriegelung* light+barrier* light+curtain* lichtschranke* lichtgitter* limit+switch* endschalter* overspeed+* relief+valve* *security-policy* sql+filter* xss+filter* html+filter*
		passkey* fido* hardware+key* yubikey* biometric* brute-force* fail2ban ip+restriction* geo-block* geofenc* segmentation sso saml oidc oauth* kerberos basic+auth*
		http+auth* auth auth+proxy auth-proxy nonce* replay+protect* samesite httponly secure+flag subresource sri upload+check* file+type+check* malware+scan* malware+filter*
		clamav antimalware defender crowdstrike osquery wazuh ossec tripwire hids nids snort suricata guardduty macie permission+check* least+privilege separation+of+duties
		segregation+of+duties dual+control dual-control change+board code+owner* required+check* required+status* status+check* protected+branch* tag+protection commit+signing
		provenance slsa sbom dependency+review hash+check* content+trust notary admission+control* pod+security disk+encryption filevault bitlocker luks screen+lock*
		bildschirmsperre* mdm masking maskierung* anonymis* anonymiz* pseudonymis* pseudonymiz* redaction pii+filter* human+in+the+loop spending+limit* transfer+limit*
		transaction+limit* überweisungslimit* throttl* drosselung* account+lock* sperre kontosperre* login+throttl* bot+detection honeypot* phishing+filter* dmarc dkim spf caa
		dnssec dependency+scan* container+scan* security+scan* security+gate* security+test* authorisation+test* authorization+test* auth+test* permission+test* access+review*
		zugriffsprüfung* zugriffskontroll* eingabeprüfung* eingangsprüfung* prüfpflicht* pflichtprüfung* codeprüfung* gegenzeichnung* identitätsprüfung* identity+check*
		id+check* caller+check* callback+check* countersign* session+timeout* idle+timeout* auto-lock* least-privilege apikey+check ip+filter* ip-filter* egress+filter*
		outbound+filter* acl acls iam+condition* scp tpm secure-boot tls* *_tls* *-tls *mtls* ssl* *_ssl* *-ssl* *certificat* *zertifikat* *signature* *signatur* *cosign*
		*verif* validat* *-validat* *_validat* *attestation* *checksum* *prüfsumme* signing* hmac digest+check* digests fingerprint+check* mfa* 2fa* otp totp hotp *zwei-faktor*
		*webauthn* second+factor* two+factor* two-factor* two-person* four-eyes* vier-augen* zwei-faktor* zweite*+faktor* second+person* *authentic* *authentif* *authoriz*
		*authoris* *authz* *password* *passwort* *kennwort* sandbox sandboxing *_sandbox bubblewrap *firewall* cors* *csrf* *hsts* csp content+security* clickjacking x-frame*
		*encrypt* *verschlüssel* *approval* *freigabe* *genehmigung* durchsicht review* code-review* pr-review* *_review* *codeowners* *branch-protection* *protected*
		*protection* *schutz* *gitleaks* *trufflehog* *scanner* *secret-scan* *virenscan* *antivirus* *endpoint-detection* semgrep codeql trivy snyk grype govulncheck bandit
		checkov tfsec kyverno gatekeeper falco *rate-limit* *ratelimit* rate+limit* *rbac* role+check* *rollenprüfung* *selinux* *apparmor* *seccomp* *allowlist* *whitelist*
		*blocklist* *denylist* *hostkey* *host-key* *known_hosts* *pinning* version+pin* pins lockfile* lock+file* *integrity* *jwt* *vpn* *keyring* vault *captcha* lockout*
		*sanitis* *sanitiz* *escaping* escape+of parameteris* parameteriz* prepared+statement* waf dlp siem ids ips edr intrusion* spam+filter* content+filter* input+filter*
		injection+filter* *prompt-injection* *guardrail* origin+check* token+check* key+check* access+control* access+check* security+check* security+patch* security+update*
		security+header* network+polic* secret+scan* virus+scan* image+scan* vulnerability+scan* code+scan* permission+prompt* *rückfrage* confirmation* *bestätigung*
		*anmeldung* sign-in login+requirement* log-in *quarantin* secure+boot key+rotation* rotation+of credential+rotation* token+rotation* *schlüsselwechsel* patching
		admission* quorum* *löschsperre* *prevent_destroy* mesh permission+boundar* dependabot* renovate+alert* expiry+of password+expiry egress+* *sha256* sha512* *gpgcheck*
		*mfa *_2fa helmet modsecurity limit_req gosec eslint-plugin-security access-control-allow-origin access-control* crs owasp* direct+push* *kontosperre* fehlversuch*
		sign-off* signed signiert* signtool codesign* jarsigner masked maskiert* escaped *tamper* *intrusion* pin row+access+polic* masking+polic*`,
	watch: `test tests check checks job jobs alert alerts alarm alarme alarms rule rules log logs monitoring gate gates hook hooks step stage limit limits scan scans linter
		linters lint prüfung prüfungen probe policy policies geprüft* gescannt* scanned checked inspected audited monitored überwacht*`,
	keep: `cloudtrail audit-log* journal+of+logins access+log* login+history change+log+of+permissions offsite* off-site* second+copy zweitkopie* trash+bin recycle+bin
		papierkorb* versionierung* unveränderlich* disaster+recovery dr+copy db+dump* bucket+lock* wiederanlauf* git+history *backup* *sicherung* wal wal-* wal_* archive_mode
		archiving volume+snapshot* disk+snapshot* database+snapshot* vm+snapshot* *retention* *aufbewahrung* auditd soft+delete* *soft-delete* *object-lock* object+lock*
		*versioning* restore+test* restore+drill* *wiederherstell* point-in-time* pitr deletion+lock* delete+protection* legal+hold* shell+history bash+history journald
		event+log* *protokollierung* trail auditlog* audit_* *_audit *-audit-log* audit+table* audit+record* audit+data auditing`,
	hole: `*pull_request_target* danger_accept* *accept_invalid* *accept-invalid* umask+000 umask+0 failurepolicy+ignore *anonymous-auth=true* *allowprivilegeescalation=true* *readonlyrootfilesystem=false*
		setuid+root *allow_url_include* *display_errors=on* *ptrace_scope=0* *randomize_va_space=0* imdsv1 gatewayports+yes x-debug *administratoraccess* *iam:passrole* *roles/owner*
		werkskennwort* werkspasswort* factory+password* default+credential* default+password+is vendor's+user vendor's+password without+a+token without+token ohne+token anonymous+client*
		anonymous+user* anonymous+connection* anonymous+request* anonymous+login* by+a+single+one durch+eine+einzelne durch+einen+einzelnen weltweit+erreichbar from+anywhere
		readable+from+the+internet listed+from+the+internet external+entities in+every+image as+uid+0 debug+keystore* debug+key debug+keys debug+certificate* *cap-add=all* --cap-add --net=host --network=host --pid=host *hostpid* *hostipc* *hostpath* no_root_squash *trustservercertificate=true* *sslmode=disable* *sslmode=allow* *sslmode=prefer*
		*tls_reject_unauthorized=0* *trust_remote_code* *allow_pickle=true* *shell=true* *autoescape=false* *dangerouslysetinnerhtml* *--unsafe* --force-yes --nogpgcheck --no-gpg* *alwaysallow* *acceptany*
		*allowany* *allow_any* *permitall* *permit_all* *gonosumdb* *gonosumcheck* *pythonhttpsverify=0* *git_ssl_no_verify* *docker_content_trust=0* --yolo bypasspermissions acceptedits --ignore-certificate* --allow-root
		*dangerously* danger-full-access full-auto *hostnetwork* cap_sys_admin *nocert* *no-cert* *no-tls* *no-ssl* *allow-unsigned* *allowunauthenticated*
		*allow-unauthenticated* *allow-untrusted* *trusted-host* *trusted_host* *skip-verify* *skip_verify* *skipverify* *ignore-scripts=false* self-signed+allowed*
		*rejectunauthorized* *ungesichert* *unauthorised* unauthorized+access* *nonexpiring* *non-expiring* unlimited+attempts* open+relay* anonymous+read* anonymous+write*
		anonymous+bind* guest+write* world+readable* without+password* without+a+password* without+login ohne+passwort* ohne+anmeldung* ohne+kennwort* without+credentials
		no+auth *insecure* *no-verify* *noverify* *nopasswd* *nosandbox* *no-sandbox* *backdoor* *allow-all* *allow_all* *trust-all* *trustall* *unsafe-* --privileged
		*no-check* *nocheck* *nosum* *public-read* *world-readable* *world-writable* *world-read* *unauthenticated* *unauthentifiziert* *unsigned* *unsigniert* *unverified*
		*ungeprüft* *unencrypted* *unverschlüsselt* *unprotected* *ungeschützt* *unreviewed* *unrestricted* *uneingeschränkt* *auto-approv* *autoapprov* auto-run *auto-dismiss*
		*passwordless* *passwortlos* plain+http *impersonate* 0.0.0.0/0 ::/0 detect-only report-only audit-only audit+only detection+only log+only master+password*
		generalpasswort* won't+fix bash(*) *rechteausweitung* without+a+look without+a+check without+looking without+any+check unseen ungesehen ohne+prüfung any+source*
		arbitrary+source* beliebigen+quellen beliebigen+adressen direct+push* direct+commit* direkte+push* single+custodian* single+operator* single+approv* single+signature
		one+custodian one+operator one+signature one+approver eine+unterschrift single+person one+person+may ein+einzelner readable+by+all readable+by+any* readable+by+every*
		readable+for+all writable+by+all writable+by+any* writable+by+every* writable+for+all für+alle+lesbar für+alle+schreibbar für+alle+offen für+jeden+lesbar
		für+alle+erreichbar open+to+all open+to+any* open+to+every* open+for+all no+credentials+needed no+credentials+required no+login+needed no+login+required
		no+password+needed no+password+required needs+no+login needs+no+password needs+no+credentials needs+no+token not+expire never+expires never+expire nie+ablaufen
		laufen+nie+ab laufen+nicht+mehr+ab`,
	gap: `*bypass* *skip-* *skip_* *disable-* unescaped unsanitis* unsanitiz* --no-* ungefiltert* unfiltered unchecked monitor+mode`,
	weak: `default+account* admin+password standing+access dauerzugriff* plain+ftp basic+auth self-signed* open+port* debug+mode debug+flag* hardcoded* root+login*
		login+by+password password+login* password+auth* passwortanmeldung* anonymous+* guest+access gastzugang* public+access debug+menu debug+endpoint* debug+port* telnet ftp
		sslv2 sslv3 tlsv1 rc4 3des md5 sha-1 exemption* exception+for ausnahme+für shared+account* shared+login* wildcard* old+key* hard-coded* default+password* verify*+false
		weak+cipher* export+cipher* anmeldung+mit+passwort* login+with+password* login+with+a+password login+mit+passwort* password-based password+sign-in*`,
	off: `axed decommission* defer* postpon* discard* disengag* excluded excludes excuse* given+up given+up+on killed left+open phased+out purged on+hold put+on+hold repeal*
		rescind* rolled+back scrap* shelved sidestep* struck sunset suppress* terminat* torn+down uninstall* unhook* unplug* voided withdraw* withdrew withdrawn dispensed+with
		done+away foregone stubbed no-op returns+true always+succeeds always+true always+passes non-blocking advisory+only informational allow-failure allow_failure
		continue-on-error best+effort lenient lax best-effort whitelisted allowlisted neutralis* neutraliz* nulled emptied cleared detached unenforced voluntary not+mandatory
		not+required not+needed not+enforced not+necessary not+verified not+validated not+encrypted not+run not+ask doesn't+ask no+longer+asks pulled+out stripped+out
		ripped+out bypassing passed+over waved+through wave+through off-limits+list not+covered lapses lapsed lapse expired+and+not dormant inactive overridden faked mocked
		hollowed abgesagt* abbestellt* abgehängt* ausgebaut* ausgeklammert* ausgelassen* außer+kraft beendet* erlassen* fallen+gelassen gekappt* herausgenommen* rausgenommen*
		stummgeschaltet* unterlassen* verworfen* wegfall* zurückgenommen* zurückgestellt* freiwillig* überspringt* umgeht* ignoriert* verzichte* fällt+weg entbehrlich*
		hinfällig* genügt reicht überbrückt* lahmgelegt* unterbleib* entschärft* gelöscht* herabgesetzt* durchgewunken* durchgewinkt* fallengelassen* abgestellt* stillgelegt*
		off disable disabled disables disabling deactivat* drop drops dropped dropping remove removes removed removal skip skips skipped skipping waive* lift lifted lifts
		relax* loosen* weaken* bypass bypassed bypasses exempt exempts exempted optional unnecessary unneeded ignore ignores ignored ignoring suspend* pause* retire retired
		insecure* unencrypted unverified unsigned needless superfluous obsolete lowered trusted mute mutes muted silence silenced silent abolish* cancel* stop stopped stops
		halt halted discontinued ended ceased circumvent* overrid* unset deleted delete unlocked unsealed lost loses gone waived omitted omits neglected ditched scrapped
		softened permissive relaxed revoked commented+out taken+out taken+off took+out takes+out took+off turned+off switched+off cut+out left+out opted+out signed+off+without
		never+expire* never+expires does+not+expire no+block* no+needed not+block* not+checked *abgeschaltet* *ausgeschaltet* *deaktiviert* *entfernt* *übersprungen*
		*aufgehoben* *ausgesetzt* entfällt entfallen entfiel unnötig* *gelockert* *umgangen* *abgeschafft* *ausgenommen* *gestrichen* *eingestellt* *gestoppt* *pausiert*
		*ignoriert* *hingenommen* *stillgelegt* *weggefallen* weggelassen* *auskommentiert* *überflüssig* *verzichtet* replaced+by replaced+with thinned+out filtered+out weg
		trimmed ausgedünnt* exits+with+0 exit+0 returns+0 always+green always+succeed* whatever+it+finds`,
	less: `weaker shorter lower fewer halved down+to schwächer* kürzer* herabgesetzt* downgraded abgesenkt* halbiert* schrumpft* cut shortened reduced shrunk lowered
		unlimited unbegrenzt* verkürzt* gekürzt* gesenkt* reduziert* infinite unbounded widened raised+to+unlimited once+a+year permanent if_available every+second+month`,
	hard: `removed+from+the+repo gone+from expire expires läuft+ab reinstated restored refuses tighter stricter strenger compulsory pflicht mandatory shortened+to+15
		quarantined encrypted verschlüsselt* blocking deny denied out+of vaulted synthetic anonymised anonymized pseudonymis* maskiert* fake künstlich* test+accounts only nur
		restricted restrict* limited limit+to beschränkt* eingeschränkt* rotated rotiert* renewed erneuert* regenerated revoked widerrufen* masked redact* hash* hashed sealed
		scrub* strip* geschwärzt* private privat localhost 127.0.0.1 loopback blocked blocks blockiert* refused rejected rejects abgelehnt* required require requires verlangt*
		enforced enforces denies verboten* forbid* forbidden prohibits closed geschlossen* gesperrt* sperrt safe tightened verschärft* hardened again+on turned+on switched+on
		eingeschaltet* aktiviert* enabled lengthened verlängert* extended longer+retention in-house behind+the taken+away entzogen* internal intern internen internes needs+two
		need+two requires+two needs+1 needs+a needs+an needs+one sealed-secrets keychain secret+manager secrets+manager from+the+environment need+one need+a need+an in+the+hsm
		into+the+hsm in+an+hsm in+hsm in+vault from+vault in+the+vault into+the+vault via+vault vault+path into+vault in+kms from+kms hardware+module hardware+token
		hardware+security fails+the turns+the runs+on+every läuft+bei+jedem needs+the asks+before ask+before runs+in+a+sandbox`,
	secret: `passwords kennwörter* passwörter* pins totp+seed* otp+seed* ssh-key* root+pw pw credentials zugang+zu client+secret* webhook+secret* service+account+json
		kubeconfig* bearer* session+id* session-id* api-schlüssel* zugangscode* türcode* door+code* pat access+code* verification+code* freischaltcode* einmalpasswör*
		license+key* seed *credential* *secret* *token* *password* *passwort* *kennwort* *api-key* *apikey* *api_key* *schlüssel* *zugangsdaten* *login* *anmeldedaten*
		*private_key* *passphrase* api+key* private+key* ssh+key* deploy+key* access+key* signing+key* encryption+key* service+key* master+key* root+key* release+key* host+key*
		key+file* whose+key* unseal* one-time+code* recovery+code* backup+code* einmalcode* tan tans *.env *.tfvars *.key id_rsa* id_ed25519* pgpass netrc *kubeconfig* *cookie*
		pin+code* seed+phrase* otp+code* *passcode* pin`,
	data: `vertragsdaten* live+data live+database live+db echte+kunden* echte+daten prod-dump* prod+dump* produktivdaten* produktivdatenbank* personenbezogen* user+records
		user+table* client+data client+records client+files kundenlist* gehaltsliste* payslip* card+data card+numbers cardholder* tax+data contract+data medical* student+data
		student+record* schülerlist* mandantendaten* incident+report* private+message* chat+history mailbox* postfächer* *echtdaten* *datenbankauszug* production+data*
		prod+data* production+database* production+db customer+data customer+record* customer+export* customer+list* real+customer* user+data personal+data patient+record*
		patient+data health+record* *kundendaten* *patientendaten* *schülerdaten* *personaldaten* *produktionsdaten* incident+data salary* payroll+data invoice+mail*
		crash+dump* core+dump* backup* *sicherung* database+dump* mailbox+copy* invoices *rechnungen db+dump* production+dump* dump+of dumps+of row+samples sample+rows rows+of
		samples`,
	public: `published posted pasted visible sichtbar* viewable browsable downloadable dictated hangs confluence notion teams discord channel channels forum trello
		query+string url+parameter* build+arg* image+layer* client+bundle javascript+bundle source+code dockerfile world-readable unverschlüsselt* offen+im offen+in cleartext
		post-it zettel aushang intranet e-mail+signature localstorage gemeinsam* sheet excel public publicly öffentlich* log logs logging *-log *-logs *debug-log* readme* *wiki
		gist pastebin plain plaintext klartext forks fork committed versioned checked+in shared unencrypted readable lesbar pinned+message* printed print prints echoed
		screenshot* whiteboard* sticky notice+board* google+drive dropbox personal+drive network+drive* netzlaufwerk* *netzlaufwerk* offenen+* repository's the+repository+so
		spreadsheet* google+doc* plain+text reversible shared+inbox forwarded weitergeleitet* ticket+comment* e-mailed guests internet everyone mailing+list* public+npm
		shared+chat`,
	wide: `jedermann* each sämtliche* public-facing whole+company whole+staff belegschaft* students trainees azubis praktikant* partners freelancers outsiders *anyone*
		world-wide lan company-wide unternehmensweit* team-wide every all any anyone anybody everyone everybody world internet public jeder jeden jedem jedes alle allen allem
		jedermann öffentlich guests gäste whoever anything *unlimited* interns contractors 0.0.0.0/0 ::/0 0.0.0.0 anywhere überall irgendwo beliebig* whatever expired
		abgelaufene* beliebige*`,
	opens: `opens+to widen* extended+to sees sieht sehen einsehbar* schreibbar* zugänglich* verfügbar* login+as log+in reach readable+by writeable grants freigeschaltet*
		öffnet erreichen einsehen unlocked open opened opens allow allows allowed accept accepts accepted permit permits permitted expose exposed exposes reachable readable
		writable accessible public offen* geöffnet* erlaubt* erreichbar* freigegeben* lesbar öffentlich* lets let lässt through durch listen listens bound trusts trust traut
		vertraut answers read see widened`,
	access: `console konsole* site share+point sharepoint wiki kibana argocd grafana+admin repo repos repositories mailbox* laufwerk* ordner folder folders tunnel ssh rdp
		vnc socket interface subnet ledger-db payroll cluster secrets vm vms server servers queue+admin broker+admin port ports *-port origin origins *-origin *network* *netz*
		*host *hosts *admin* *bucket* *database* *datenbank* *dashboard* *endpoint* share shares drive *laufwerk* file files *credential* access *zugriff* *ingress* *cors*
		namespace traffic inbound tenant* tenant's *invoices* panel *firewall* security+group* role roles service+account* redis elasticsearch mongodb jenkins *secrets* topic
		topics *sg-* load+balancer* 3306 5432 6379 27017 9200 22 3389`,
	power: `impersonat* domain+admin* org+owner* owners *superadmin* global+admin* break-glass prod-access privileg* rechte kontrollzugriff* all+scopes every+scope
		repo+scope admin+scope write+scope setuid docker+group wheel+group sudoers approver* *admin* *owner superuser* root+access root+right* as+root *sudo* write: *:write
		write+access write+right* write+permission* administrat* wildcard unlimited unrestricted *cluster-admin* production+access prod+access full+access vollzugriff*
		all+permission* all+repositories org-wide maintainer+right* force-push* break-glass* nopasswd* alle+rechte ownership accountadmin sysadmin securityadmin super dba
		grant+all`,
	grants: `joined belongs+to member+of added+to put+into lands+in extended enrolled gehört+jetzt gehören+jetzt hinzugefügt* aufgenommen* befördert* eingeräumt* erteilt*
		verliehen* zugewiesen* vergeben* promoted+to is+now+a inherits inherited got given granted grants receives received gets gained erhält erhielt bekam bekommt bekommen
		promoted elevated assigned made`,
	strong: `read-write+access rw+access schreibend* produktionszugriff* prod-zugriff* root-rechte* adminzugang* vollzugriff* sudo+right* merge+right* merge+permission*
		admin+permission* push+access push+right* deploy+right* unrestricted+access lesezugriff+auf+alle* admin+access admin+token* write+access write+right* *schreibrecht*
		*schreibzugriff* *cluster-admin* production+access prod+access full+access all+permission* alle+rechte root+access admin+right* adminrecht* roles/owner roles/editor
		owner+role admin+role superuser break-glass+account* ownership+on accountadmin all+privileges grant+all super+access dba+role roles+owner roles+editor`,
	has: `has have had hat haben holds hold keeps besitzt besitzen`,
	source: `dependency dependencies abhängigkeit* library libraries bibliothek* crate gem gems composer conda channel module modules binary binaries binärdatei* extension
		extensions action actions workflow+template* base-image* runtime agent+update* drivers treiber* bootloader iso template templates toolchain compiler patches rules+feed
		feed mcp+server* model+weights submodule* sdk apk ota *registry* *mirror* *repository* *installer* *gpg* *signing* *firmware* *update* *package* *paket* *image*
		*artifact* *artefact* *proxy* *endpoint* *webhook* *receiver* *backup* *sicherung* *dns* *resolve* *aufgelöst* *nameserver* *upstream* *cdn* *pypi* *npm* *download*
		*identity* *issuer* *idp* *callback* *remote* code *wheel* index package+index* *-index-url* formula* brew homebrew tap pip apt yum helm+chart* chart charts plugin*
		*modul* goproxy maven nuget crates rubygems scope base+image* docker+pull ntp time-server timeserver zeitserver time zeit`,
	identity: `payout* paypal wallet+address bitcoin+address beneficiary remittance* swift bic routing+number sort+code account+number billing+account rechnungskonto*
		empfängerkonto* lieferantenkonto* hotline+number emergency+contact* escalation+contact* incident+contact* admin+e-mail admin+mail registrant whois ns+record* a+record*
		cname dns+record* mx-record* mx-eintr* spf+record* dkim+key* saml+metadata saml+certificate* sso+url jwks* trust+bundle ca+bundle root+store keyserver thumbprint
		host+certificate* publisher package+owner code-signing* signing+certificate* backup+e-mail backup+mail recovery+contact* rescue+mail reset+address phone+number+of
		domain+contact* zone+transfer* glue+record* ersatz-e-mail* notfallnummer* kontoverbindung* zahlungsempfänger* vendor+account fingerprints hostschlüssel* maintainers
		deploy+source chat+bridge support+number support+address abuse+address login+url login+page+url recovery+mail recovery+e-mail recovery+email recovery+address
		recovery+phone recovery+number sms+recovery wiederherstellungs* pgp gpg+key pgp+key signing+key signing+keys signaturschlüssel* host+key host+keys hostkey fingerprint*
		fingerabdruck* root+ca root+certificate* iban bank+details bank+account* bankverbindung* konto kontonummer* payee* payment+detail* wire+detail* mx nameserver*
		registrar* security+contact* abuse+contact* sicherheitskontakt* codeowners scope maintainer* maintainership ownership issuer* identity+provider* idp admin+contact*
		e-mail+of+the+root root+account* notfallkontakt* trust+anchor* truststore* on-call+number* supplier+account* sepa update+channel* update+server* update-server*
		technical+contact tech+contact admin+contact billing+contact admin-c tech-c`,
	moved: `altered updated amended swapped exchanged reassigned repointed rerouted relocated ported taken+over delegated assigned resolves resolve diverted lautet lauten
		zeigt zeigen umgeleitet* gewechselt* getauscht* übernommen* abgetreten* delegiert* künftig ab+sofort changed change changes moved moves now new replaced switched
		renamed instead goes go migrated redirected points point from as since seit jetzt neu neue neuer ab umgezogen* geändert* ersetzt* umgestellt* handed+over transferred`,
	outside: `tap ppa third-party fork+by fork+of fork+at mirror+of`,
	fetched: `obtain* sourced originates stammt stammen zieht ziehen points+to pointed+at reads+from bezogen pulls+from fetch fetched fetches pull pulled pulls download
		downloaded downloads serve served serves install installed installs load loaded loads clone cloned take takes taken come comes came gets read reads geladen
		heruntergeladen installiert bezieht lädt holt kommt kommen via through extra-index* index-url*`,
	sent: `sits stands steht stehen hinterlegt* gespeichert* abgelegt* stored published written saved gesichert* synced replicated replicates replizier* synchronis*
		backed+up mirror mirrors emitted relayed dumped pasted geschickt* verschickt* streamt* streams abgeliefert* collected collects reports reported sammelt forwards+to
		receives sent send sends ship shipped ships post posted posts forward forwarded forwards forwarding go goes went land lands upload uploaded uploads copied copy mailed
		stream streamed pushed exported mirrored writes delivered store lie live kept keep geht gehen gesendet geschickt geschrieben liegt liegen landet landen weitergeleitet*
		kopiert* hochgeladen* übertragen* put became gelegt geschoben`,
	span: `deleted+after gelöscht+nach purged+after history+of lifecycle *retention* *aufbewahrung* kept retained aufbewahrt* ttl gelöscht* deleted purged wiped`,
	flow: `log logs logging *-logs telemetry telemetrie analytics crash+report* crash+dump* traces metrics log+forwarding *syslog* stderr transcripts prompts mails copy
		copies kopie kopien *protokoll*`,
	elsewhere: `notebook+of notebooks playground* sandbox+environment demo+system* demo+environment dev+environment development+database entwicklungs* testumgebung*
		testsystem* dev-db qa+environment shared+drive usb+stick* pendrive* privatgerät* private+device* byod private+phone* jupyter public+demo laptop laptops *laptops*
		staging staging* test+system* home+office usb* personal privat+computer* developer+machine* google+drive dropbox`,
	factory: `common ein+gemeinsames same+password vendor's+default initial+password anfangspasswort* admin/admin empty leeres leer blank universal factory default
		werkseinstellung* standardpasswort* werks standard shared gemeinsames letmein`,
	proof: `plugin plugins extensions modules webhooks callbacks assertions tickets binaries wheels payloads requests+from sender senders logins sessions peers clients+with
		signatures issuer issuers *firmware* *update *updates *signature* *certificat* *zertifikat* token tokens key keys *images *packages commits`,
	accepts: `honour* honor* recognis* recognize* takes+any lets+through lässt+durch takes übernimmt anerkannt* accept accepts accepted trust trusts trusted vertraut*
		akzeptiert* angenommen* hingenommen* nimmt nehmen followed obeyed executed carried+out befolgt* ausgeführt*`,
	core: `credentials *-credential* private+key* ssh+key* deploy+key* access+key* signing+key* encryption+key* pgp gpg secret+key* s3+key* wallet kennwort* passwords
		passwort* mfa* 2fa* totp otp *authentication* *authorization* *authorisation* *authentif* *berechtigung* permission permissions rights privilege* *privileg* sudo* uid+0
		superuser* admin+right* cluster-admin rbac *firewall* security+group* docker+socket socket+mounted exposed *-api-server ingress+rule* open+relay relays *certificat*
		*zertifikat* tls* mtls *signature* *signatur* pgp+key cert+pin* sandbox *approval* *freigabe* allowlist* *whitelist* bank iban konto überweisung* payment+detail*
		payout* wire+transfer* wired csp cors* waf captcha* sso saml oidc cookie+flag* session+cookie* cookie cookies httponly *vulnerab* cve-* findings *schwachstelle* card+numbers cvv
		customer+data kundendaten* production+data personal+data emergency notfallzugang* notfall* kill+switch change+board md5 sha1 sha-1 eval stack+trace*
		environment+variables+to impersonat* strangers fremde* ids ips edr siem dlp ransomware phishing malware unlocked x11 docker+in+docker *x-real* *x-forwarded*
		subcontractor* verification seal+key* unseal* executes ausführen dateien+ausführen install+scripts plugins+von trust* secret secrets anyone+who any+name as+root
		root+user root+account patient+data patient+folder* patient+record* patientendaten* personal+access+token* logging+into log+in username usernames login+attempt*
		*login_attempts* max_attempts root+ca commands+from run+commands runs+commands any+command* befehle+aus direct+push* anywhere delivery+address* request+bod* tracebacks
		gpgcheck ftp lockouts lock-out requests+from be+paid+to payable+to zahlbar* notfallzug* *hsm* custodian* key+component* lmk quorum* ownership accountadmin sysadmin
		all+privileges tamper*`,
	neutral: `upgraded upgrade updated fixed fix fixes failed fails failure failing flaky bug minutes minute minuten seconds sekunden ms mb gb tb kb rows icon logo colour
		color blue dark translated documented docs renamed rename meets meeting page form button dialog label menu layout dashboard chart column columns version versions took
		takes dauert measured shows prints supports support unterstützt wurde+auf crashed crash found finds counts test tests spelling typo typos training handled team schedule
		mondays tuesdays wednesdays thursdays fridays täglich weekly daily nightly hours percent % refactored split merged rewritten rewrote rendered renders parses parsed
		invoice listens port version+of migrated verified checked checks prüft geprüft validated validates verifies signs signed asks fragt carry carries lists ursache cause
		caused connection heartbeat abgelaufen* expired hängen named benannt restart restarted fell rose grew dropped+to installed installiert shut added+to+the+glossary
		number+of called hieß heißt described learned chose bought valid gültig until bis`,
	everyday: `review reviews reviewed reviewer reviewers verif* verified verify validat* rate+limit* *ratelimit* *rate-limit* *scanner* lockfile* lock+file* token tokens
		*owner *owners *codeowners* vault vpn confirmation* *bestätigung* invoice* provenance gatekeeper renovate* dependabot* wal *backup* *sicherung* sign-* seed pins
		approval+e-mail* auth oauth* approver* approval+mail* scope maintainer* cookie cookies kyverno semgrep trivy snyk api api-* *unescaped* *audit-report* audit+report*
		audit *-audit tests login logins login-* *-login hardcoded* hard-coded* reviews-* review-* *certificat* *zertifikat* approvals signed signiert* masked maskiert* escaped
		pin network+polic* issuer issuers owners ownership`,
	handed: `posted sent shipped forwarded uploaded mailed copied exported streamed pushed+to relayed submitted transmitted geschickt* gesendet* hochgeladen* übertragen*
		kopiert* weitergeleitet* übermittelt*`,
	input: `web+content tool+output tool+results retrieved+text emails e-mails attachments pasted+text downloaded+files .cursorrules cursorrules issues pull+request+text
		issue+comments mcp+tools plugin+descriptions instruction instructions anweisung* agents.md claude.md readme* comment comments prompt prompts skill skills mcp+server*
		issue+text* web+page* webseite*`,
	venue: `jira ticket tickets confluence notion teams discord channel channels forum trello spreadsheet sheet sheets excel csv repo repos repository repositories monorepo
		codebase source image images dockerfile bundle comment comments handbook handbuch wiki e-mail mail mails sms whatsapp telegram url urls header headers signature zettel
		note notes onenote evernote screenshot video folder ordner laufwerk drive intranet variables+of+all artefacts artifacts konsole chatverlauf ausgabe configmap configmaps
		cache caches *.yml *.yaml *.md *.txt *.toml *.tf *.sh *.py *.json *.ini *.conf ci+cache git slack chat shared+chat`,
	exposed: `public publicly öffentlich* *world-readable* world internet guests gäste pastebin gist dropbox personal+drive google+drive anyone everyone everybody jedermann*
		open+share unauthenticated search+engines google+indexed anonymous*`,
	stuff: `dump dumps backup backups *backups *sicherung* export exports archiv* archive archives data daten logs log-files reports invoices rechnungen snapshots mails
		recordings aufzeichnungen bucket uploads files attachments`,
	longer: `year years jahr jahre jahren month months monate monaten unlimited unbegrenzt* extended lengthened verlängert* forever indefinite* never permanent* dauerhaft*
		unbefristet*`,
	life: `lifetime lifetimes validity gültigkeit* session+length session+duration token+ttl expiry+of ablaufzeit* sitzungsdauer* laufzeit+der session+cookies+live`,
	stranger: `outside+firm dienstleisters subsidiary reseller analytics+firm former+employee* ehemalige* friend freundes private+account privatkonto* own+dropbox own+drive
		marketing+firm recruiter* tochterfirma* fremdfirma* law+firm agency partner partners vendor vendors vendor's supplier suppliers third-party third+party contractor
		contractors freelancer* personal privat* gmail agentur dienstleister* external extern* outsider* consultant consultants minsk offshore customer's server+von server+of
		servers+of`,
	actor: `agenten ki-assistent* robot claude-code agent agents assistant assistants assistent assistenten bot bots copilot claude codex ki-agent* autopilot`,
	freely: `unprompted without+being+asked without+a+prompt without+prompt* without+sign-off without+supervision no+confirmation without+human ohne+nachfrage*
		ohne+zu+fragen ohne+bestätigung* auto-run auto-accept* skip-permission* arbitrary+command* arbitrary+code any+tool any+file any+shell any+domain any+site
		outside+the+workspace outside+the+sandbox merge+their+own merge+its+own approve+their+own approves+its+own own+pull+request* self-merging purchase* rm+-rf
		delete+production drop+tables deploy+to+production push+to+main spend+up spend+money without+asking without+confirm* without+approval* without+review* unattended
		autonomously unsupervised ohne+rückfrage* ohne+freigabe* shell+command* any+command* all+tools run+commands force-push* deleting+branch* auto-approve auto-merge
		self-approve* self-merge* trusted trust trusts execute run+anything selbständig* eigenmächtig* without+a+human outside+the+container outside+its+container
		outside+a+container`,
	office: `board vorstand auditor's lawyers legal+team dpo datenschutzbeauftragte* betriebsrat penetration+tester* pentester* bsi insurer head+of+it security audit auditor
		auditors compliance legal management sicherheit datenschutz revision leitung ciso cto ceo it-sicherheit infosec regulator`,
	approved: `green-lit greenlit sanctioned signed+it+off gave+the+go-ahead go-ahead ok'ed okay'd accepted befürwortet* akzeptiert* abgesegnet* durchgewunken* freigab
		unbedenklich* declared+safe reviewed+and+allowed vetted certified approved approves cleared waived allowed agreed blessed okayed ok'd signed+off signed-off genehmigt*
		freigegeben* erlaubt* zugestimmt* abgenommen* confirmed bestätigt*`,
	flaw: `zero-day* 0-day* rce xss ssrf idor sql+injection path+traversal heap+overflow buffer+overflow pentest+result* scanner+result* dependabot+alert* security+alert*
		sicherheitshinweis* sicherheitsmeldung* breach datenleck* leak+report* red+team+finding* sast+finding* malware+alert* virus+alert* virenfund* intrusion+alert* cve-*
		*vulnerab* advisory advisories finding findings *schwachstelle* *sicherheitslücke* *sicherheitslücken* exploit* critical+finding* pentest+finding* ghsa-* flaw flaws
		weakness sicherheitsmangel lücke`,
	dismiss: `not+applicable n/a out+of+scope not+reachable dead+code noise misreport* tolerable downgraded informational deprioritis* deprioritiz* waived allowlisted
		no+fix+planned can+be+ignored may+be+ignored will+not+be+fixed not+be+fixed no+need kein+handlungsbedarf fehlalarm* vernachlässigbar* irrelevant* ungefährlich*
		betrifft+nur does+not+apply doesn't+apply doesn't+affect no+risk low+priority not+a+risk only+affects won't+be+fixed nicht+ausnutzbar* .trivyignore trivyignore snoozed
		muted hidden not+affect* unaffected not+exploitable unexploitable not+vulnerable false+positive* false+alarm* all+false dismissed auto-dismissed won't+fix wontfix
		accepted+risk risk+accepted as+safe safe harmless irrelevant theoretical ignored ignorable closed+as as+noise not+relevant betrifft+uns+nicht unbedenklich harmlos*
		akzeptiert* no+patch needs+no nicht+betroffen suppressed`,
	desk: `helpdesk help+desk customer+support support+team support+staff support+agent* support+desk support+may at+support tech+support der+support am+support
		support-team* kundendienst* call+centre call+center reception empfang hotline phone telefon telefonisch caller callers anrufer* kundennummer* staff+number front+desk
		service+desk* read+out over+the+phone by+phone by+sms per+sms per+telefon over+whatsapp via+whatsapp geburtsdatum* date+of+birth birthday mother's+maiden help+line
		helpline`,
	secure: `*security* *sicherheit* *permission* *berechtigung* *auth* *login* *secret* *vulnerab* *intrusion* *break-glass* *admin* *root* access+control* *crypto*
		*exploit* *attack* *angriff* *malware* *phishing* *privilege*`,
})
