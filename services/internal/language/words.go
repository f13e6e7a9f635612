package language

import "github.com/winnowhq/winnow/services/internal/memory"

// Function words carry no topic. Words of negation and obligation are among them: a
// search for "must not deploy on Friday" wants what is said of Friday deployments, and
// the specifics guard compares the rest.
var (
	functionEN = memory.WordSet(`a about above after again against all also am an and any are aren't as at be because been before being below
 between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
 further had hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him himself his how i i'd i'll i'm
 i've if in into is isn't it it's its itself just let's me might more most must mustn't my myself no nor not now of off on
 once only or other ought our ours ourselves out over own same shall she she'd she'll she's should shouldn't so some such
 than that that's the their theirs them themselves then there there's these they they'd they'll they're they've this those
 through to too under until up us very was wasn't we we'd we'll we're we've were weren't what what's when where where's
 which while who who's whom whose why will with won't would wouldn't yes you you'd you'll you're you've your yours yourself
 yourselves`)

	functionDE = memory.WordSet(`aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
 beim bin bis bist da damit dann das dass dasselbe dazu dein deine dem den denn der des dessen die dies diese diesem diesen
 dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure für gegen gewesen hab habe haben
 hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder
 jedes jene jetzt kann kein keine keinem keinen keiner können könnte mal man manche mein meine mich mir mit muss müssen musste
 nach nein nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollte
 sondern sonst über um und uns unser unsere unter viel vom von vor wann war waren warst warum was weil welche welchem welchen
 welcher welches wenn wer werde werden wem wen wie wieder will wir wird wirst wo wohin wollen wollte worden wurde wurden würde
 würden zu zum zur zwar zwischen`)
)
