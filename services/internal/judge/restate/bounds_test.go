package restate

import "testing"

// D3: an opponent keeps the words of a stored statement and takes its bound away, or turns it
// round. Three sentences of each kind, in English and German; each stands beside the statement
// that it is not, and a repeat of the same statement that keeps the bound.
func TestOtherBoundsAreNoRepeats(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range []struct{ kind, stored, other, repeat string }{
		{"span", "Members may cancel a lesson at any time.", "Members may cancel a lesson in the first ten days.", "A lesson may be cancelled by members at any time."},
		{"span", "Guests may use the pool at any hour.", "Guests may use the pool in the last two hours.", "The pool may be used by guests at any hour."},
		{"span", "Leihräder können jederzeit zurückgegeben werden.", "Leihräder können in den ersten zwei Stunden zurückgegeben werden.", "Zurückgegeben werden können Leihräder jederzeit."},

		{"denied verb", "Seed bags are sorted by harvest, never blended.", "Seed bags are blended across harvests when they are sorted.", "Seed bags are never blended, they are sorted by harvest."},
		{"denied verb", "Old maps are scanned in colour, not folded.", "Old maps are folded along the colour they are scanned in.", "Old maps are not folded, they are scanned in colour."},
		{"denied verb", "Rooms are booked per floor, never shared.", "Rooms are shared across floors when they are booked.", "Rooms are never shared, they are booked per floor."},

		{"concession", "The pump stops at 6 bar, a running rinse is not stopped by it.", "The pump stops at 6 bar, even in the middle of a rinse.", "At 6 bar the pump stops, but a running rinse is not stopped by it."},
		{"concession", "The gate closes at dusk; a ship in the lock does not have to wait.", "The gate closes at dusk, regardless of a ship in the lock.", "At dusk the gate closes; a ship in the lock does not have to wait."},
		{"concession", "Die Heizung schaltet um 22 Uhr ab, eine Probe wird davon nicht unterbrochen.", "Die Heizung schaltet um 22 Uhr ab, selbst während einer Probe.", "Um 22 Uhr schaltet die Heizung ab, eine Probe wird davon nicht unterbrochen."},

		{"only one", "At handover the skipper signs two forms, the list of the crew and the list of the cargo.", "At handover the skipper signs only the list of the cargo, the list of the crew is optional.", "Two forms are signed by the skipper at handover: the list of the crew and the list of the cargo."},
		{"only one", "The archive keeps both the negative and the print of a photo.", "The archive keeps only the print of a photo.", "Of a photo the archive keeps both the print and the negative."},
		{"only one", "Beim Umzug meldet der Hausmeister drei Stände: Strom, Gas und Wasser.", "Beim Umzug meldet der Hausmeister nur Strom und Gas, Wasser meldet niemand.", "Der Hausmeister meldet beim Umzug drei Stände: Strom, Gas und Wasser."},

		{"only one", "Every lodge has a boat.", "Only new lodges have a boat.", "A boat belongs to every lodge."},
		{"only one", "All deckhands carry a radio.", "Only the first deckhand carries a radio.", "A radio is carried by all deckhands."},
		{"only one", "Guides keep only the map of the trail.", "Guides keep both the map of the trail and its log.", "The map of the trail is all that guides keep."},

		{"side", "Seats are numbered within a row of the hall.", "Across rows of the hall the seats are numbered.", "Within a row of the hall the seats are numbered."},
		{"side", "Bikes are locked inside the fence of the depot.", "Outside the fence of the depot bikes are locked.", "Inside the depot's fence bikes are locked."},
		{"side", "Fahrräder stehen innerhalb des Zauns vom Depot.", "Außerhalb des Zauns vom Depot stehen Fahrräder.", "Innerhalb des Zauns vom Depot stehen Fahrräder."},

		{"end of a scale", "The clerk hands new cases to the least experienced judge.", "New cases are handed by the clerk to the most experienced judge.", "New cases are handed by the clerk to the least experienced judge."},
		{"end of a scale", "The ferry picks the least windy berth of the harbour.", "Of the harbour's berths the ferry picks the windiest.", "Of the harbour's berths the ferry picks the least windy."},
		{"end of a scale", "Der Disponent gibt neue Touren dem am wenigsten belasteten Fahrer.", "Neue Touren gibt der Disponent dem am stärksten belasteten Fahrer.", "Neue Touren gibt der Disponent dem am wenigsten belasteten Fahrer."},

		{"ahead", "The oven logs the weight after baking.", "The weight is logged by the oven ahead of baking.", "The weight is logged by the oven after baking."},
		{"ahead", "The nurse labels samples after cooling.", "Samples are labelled by the nurse prior to cooling.", "Samples are labelled by the nurse after cooling."},
		{"ahead", "The printer cuts sheets before folding.", "Sheets are cut by the printer subsequent to folding.", "Sheets are cut by the printer ahead of folding."},

		{"the same verb again", "Closing a club freezes its accounts.", "If a club is closed its accounts are closed too.", "If a club is closed, its accounts are frozen."},
		{"the same verb again", "Selling a boat transfers its berth.", "When a boat is sold its berth is sold as well.", "When a boat is sold, its berth is transferred."},
		{"the same verb again", "Cancelling a tour refunds its tickets.", "If a tour is cancelled its tickets are cancelled too.", "If a tour is cancelled, its tickets are refunded."},

		{"who tells whom", "Der Pächter meldet Schäden an den Förster.", "Der Förster meldet dem Pächter Schäden.", "Schäden meldet der Pächter dem Förster."},
		{"who tells whom", "Der Arzt schickt Befunde an den Hausmeister.", "Der Hausmeister schickt dem Arzt Befunde.", "Befunde schickt der Arzt an den Hausmeister."},
		{"who tells whom", "Der Lotse sendet Signale an den Kapitän.", "Der Kapitän sendet dem Lotsen Signale.", "Signale sendet der Lotse an den Kapitän."},

		{"consequence", "When two cranes share a track, crates get lost.", "Crates run twice when two cranes share a track.", "Crates get lost when two cranes share a track."},
		{"consequence", "If the courier skips the depot, parcels are returned.", "Parcels are burned if the courier skips the depot.", "Parcels are returned if the courier skips the depot."},
		{"consequence", "When the valve of the boiler sticks, the basement floods.", "The basement cools when the boiler's valve sticks.", "The basement floods when the boiler's valve sticks."},
	} {
		if other, stored := a.Text(c.other), a.Text(c.stored); Holds(other, stored) || !Objects(other, stored) {
			f, objection := compare(other, stored)
			t.Errorf("%s: %q is taken for %q (restates %v, objection %q, %.1f)", c.kind, c.other, c.stored, Holds(other, stored), objection, f.weigh())
		}
		if repeat, stored := a.Text(c.repeat), a.Text(c.stored); Objects(repeat, stored) {
			f, objection := compare(repeat, stored)
			t.Errorf("%s: %q is not taken for %q: %q, %.1f %q", c.kind, c.repeat, c.stored, objection, f.weigh(), match(read(repeat), read(stored)).contradiction())
		}
	}
}

// D3: a stranger's text ends where a word that bounds, or begins a condition, has nothing behind
// it; it is compared all the same, in either direction.
func TestBoundsOfNothing(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	stored := "When two cranes share a track, the least busy of both cranes waits within the yard ahead of noon."
	for _, end := range []string{"if", "when", "most", "the most least", "from most to least", "least", "every", "both", "only", "even", "within", "ahead", "ahead of", "prior", "meldet an", "est"} {
		text := a.Text("Two cranes share a track " + end)
		if Objects(text, text) {
			t.Errorf("%q objects to itself", text.Clean)
		}
		other := a.Text(stored)
		if Holds(text, other) || Holds(other, text) {
			t.Errorf("%q is taken for %q", text.Clean, stored)
		}
		Objects(text, other) // whatever it says, it comes to an end
		Objects(other, text)
	}
}
