package restate

import "testing"

// D3: who shares subject and details with a stored statement may say another thing all the
// same. An opponent of each class in three trades, in English and German, each beside the
// statement that it is not; the words throughout are those of a repeat.
func TestDifferencesAreNoRepeats(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range []struct{ class, stored, fresh string }{
		{"roles", "The guest key is issued to the porter by the landlord.", "The porter issues the landlord a guest key."},
		{"roles", "Claims of the garage are checked by the insurer.", "The garage checks the claims of the insurer."},
		{"roles", "The signal that the tower sends is confirmed by the pilot.", "The tower confirms the signal sent by the pilot."},
		{"roles", "Die Werte des Labors werden von der Klinik geprüft.", "Das Labor prüft die Werte der Klinik."},
		{"roles", "The lease held by `harvest` blocks `mirror` from starting.", "`harvest` cannot start while the lease that `mirror` holds blocks it."},
		{"place", "Loans are limited to five books per reader in the branch library.", "In the branch library five books may be lent per household."},
		{"place", "The nightly bake runs on the spare oven, since it is the cheapest.", "Since it's the cheapest, the bake of the night runs on the new oven."},
		{"place", "The forecast depends on the sensor of the river.", "The river's gauge decides what is forecast, as the forecast depends on it."},
		{"place", "Die Frühschicht darf Kräne bedienen, aber keine Lasten freigeben.", "Kräne bedienen darf die Spätschicht, Lasten freigeben darf sie nicht."},
		{"circumstance", "Parcels without a stamp are refused by the depot.", "The depot refuses parcels without a stamp on public holidays."},
		{"circumstance", "The choir is recorded by the radio station.", "The radio station records the choir at open rehearsals."},
		{"end", "The old ferry is still served by the `north` crew.", "The `north` crew has stopped serving the old ferry."},
		{"contrary", "When a stall is given up, its sign is removed.", "Giving up a stall keeps its sign."},
		{"order", "The press warms up before it trims, so a damp sheet is dried first.", "The press trims before it warms up, so a damp sheet is dried first."},
		{"order", "At closing time the guard locks the gate after he counts the visitors.", "After he locks the gate at closing time, the guard counts the visitors."},
		{"order", "Der Bäcker heizt den Ofen, bevor er den Teig knetet, damit nichts zu lange ruht.", "Damit nichts zu lange ruht, knetet der Bäcker den Teig, bevor er den Ofen heizt."},
		{"regrouped", "Adult members pay for lessons in crowns and everybody else in guilders.", "In crowns others pay, while adult members pay for their lessons in guilders."},
		{"regrouped", "Bookings by pupils arrive on line 4; line 9 is for complaints of the teachers.", "Pupils' bookings arrive on line 9, and complaints of the teachers on line 4."},
		{"denied", "The crane halts at crates without a seal.", "Where a crate has its seal, the crane halts."},
		{"denied", "Unlabelled jars are put on the upper shelf of the cellar by the helper.", "The helper puts labelled jars on the upper shelf of the cellar."},
		{"copy", "If two readers order the same book, the later order waits in the list.", "If two readers order the same book, the later order is struck from the list."},
	} {
		fresh, stored := a.Text(c.fresh), a.Text(c.stored)
		if Holds(fresh, stored) || !Objects(fresh, stored) {
			_, objection := compare(fresh, stored)
			t.Errorf("%s: %q is taken for %q (restates %v, objection %q)", c.class, c.fresh, c.stored, Holds(fresh, stored), objection)
		}
	}
}

// The same sentences told again are met by no objection: each class looks for a difference,
// and not for another order.
func TestNoDifference(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range [][2]string{
		{"The guest key is issued to the porter by the landlord.", "The landlord issues the porter a guest key."},
		{"Claims of the garage are checked by the insurer.", "The insurer checks the claims of the garage."},
		{"Die Werte des Labors werden von der Klinik geprüft.", "Die Klinik prüft die Werte des Labors."},
		{"The signal that the tower sends is confirmed by the pilot.", "The pilot confirms the signal sent by the tower."},
		{"Parcels without a stamp are refused by the depot.", "The depot refuses parcels that have no stamp."},
		{"Loans are limited to five books per reader in the branch library.", "In the branch library five books may be lent per reader."},
		{"Entries are sorted by date and then by name, so a second run changes nothing.", "A second run changes nothing, as entries are sorted first by date and second by name."},
		{"A full survey takes 90 seconds on the small boat.", "On the small boat a full survey takes a minute and a half."},
		{"Eine Füllung des Beckens dauert anderthalb Stunden.", "Das Becken zu füllen dauert 90 Minuten."},
		{"The crane halts at crates without a seal.", "At a crate that has no seal, the crane halts."},
		{"Unlabelled jars are put on the upper shelf of the cellar by the helper.", "The helper puts jars that are not labelled on the cellar's upper shelf."},
		{"The press warms up before it trims, so a damp sheet is dried first.", "A damp sheet is dried first because the press trims after it warms up."},
		{"Before: the mill had two millers and a helper on each shift.", "Before the strike each shift of the mill had two millers and a helper."},
		{"The loom kept its pattern after the power was lost.", "After losing power, the loom keeps its pattern."},
	} {
		if Objects(a.Text(c[1]), a.Text(c[0])) {
			_, objection := compare(a.Text(c[1]), a.Text(c[0]))
			t.Errorf("%q is not taken for %q: %q", c[1], c[0], objection)
		}
	}
}
