package page

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Done returns the answer to a reply that was carried out. undoWithin is how long it
// can be undone; 0 leaves that out.
func Done(language string, p Plan, undoWithin time.Duration) string {
	w := phrasesOf(language)
	if p.Later {
		return w.postponed
	}
	by := map[string][]string{}
	for _, a := range p.Actions {
		phrase, name := w.promoted, strconv.Itoa(a.Number)
		switch {
		case a.Spot && a.Do == DoRetract:
			phrase, name = w.retracted, "p"+name
		case a.Spot:
			phrase, name = w.kept, "p"+name
		case a.Do == DoReject:
			phrase = w.rejected
		case a.Do == DoReplace:
			phrase = w.replaced
		case a.Text != "":
			phrase = w.edited
		}
		by[phrase] = append(by[phrase], name)
	}
	for _, n := range p.Already {
		by[w.already] = append(by[w.already], strconv.Itoa(n))
	}
	for _, n := range p.Open {
		by[w.left] = append(by[w.left], strconv.Itoa(n))
	}
	var parts []string
	for _, phrase := range []string{w.promoted, w.edited, w.replaced, w.rejected, w.kept, w.retracted, w.already, w.left} {
		if names := by[phrase]; len(names) > 0 {
			parts = append(parts, fmt.Sprintf(phrase, strings.Join(names, ", ")))
		}
	}
	if len(parts) == 0 {
		return w.nothingDone
	}
	text := fmt.Sprintf(w.done, strings.Join(parts, "; "))
	if len(p.Actions) > 0 && undoWithin > 0 {
		text += fmt.Sprintf(w.undoWithin, hours(undoWithin))
	}
	return text
}

// Undone returns the answer to an undo, with the number of undone decisions.
func Undone(language string, decisions int) string {
	w := phrasesOf(language)
	if decisions == 0 {
		return w.nothingDone
	}
	return w.undone.of(decisions)
}

// Refused returns in words why a reply did nothing. It is for the errors of [Parse],
// [CheckReply] and [Resolve]; for any other error it only says that there is no such
// digest.
func Refused(language string, err error) string {
	w := phrasesOf(language)
	var unclear *NotUnderstoodError
	var missing *NoItemError
	var moved *MovedError
	switch {
	case errors.As(err, &unclear):
		text := fmt.Sprintf(w.notUnderstood, harmless(unclear.Rest), w.complaints[unclear.Why])
		if len(unclear.Understood) > 0 {
			text += fmt.Sprintf(w.understood, strings.Join(unclear.Understood, ", "))
		}
		return text
	case errors.As(err, &missing):
		return fmt.Sprintf(w.unknownItem, strings.Join(missing.Names, ", "))
	case errors.As(err, &moved):
		parts := make([]string, len(moved.Items))
		for i, m := range moved.Items {
			state, known := w.states[m.State]
			if !known {
				state = w.elsewhere
			}
			parts[i] = fmt.Sprintf("%d %s", m.Number, state)
		}
		return fmt.Sprintf(w.moved, strings.Join(parts, ", "))
	case errors.Is(err, ErrExpired):
		return w.lapsed
	}
	return w.foreign
}

// hours formats a duration in hours, or in minutes where it is not whole hours.
func hours(d time.Duration) string {
	if d%time.Hour != 0 {
		return strconv.Itoa(int(d/time.Minute)) + " min"
	}
	return strconv.Itoa(int(d/time.Hour)) + " h"
}
