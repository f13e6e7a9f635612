package weekly_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
)

// D10, S1.16, S1.21: an answer that breaks the contract in one place changes nothing, and
// the error names the gate.
func TestInvalidAnswersSkipTheUser(t *testing.T) {
	t.Parallel()
	const good = `{'id':'#2','reason':'unique'}`
	merge := func(fields string) string { return `{'keep':[],'merge':[` + fields + `],'delete':[]}` }
	for name, c := range map[string]struct {
		answer string
		gate   weekly.Gate
	}{
		"unparseable":                {`I merged #0 and #1 for you.`, weekly.GateUnparseable},
		"empty":                      {``, weekly.GateUnparseable},
		"a list":                     {`[]`, weekly.GateUnparseable},
		"null":                       {`null`, weekly.GateUnparseable},
		"cut off":                    {`{'keep':[` + good + `],'merge':[],'delete':[{'id':'#0'`, weekly.GateUnparseable},
		"prose after the object":     {`{'keep':[],'merge':[],'delete':[]} Done.`, weekly.GateUnparseable},
		"two objects":                {`{'keep':[],'merge':[],'delete':[]}{'keep':[],'merge':[],'delete':[]}`, weekly.GateUnparseable},
		"foreign id in keep":         {`{'keep':[{'id':'zzzzzz','reason':'unique'}],'merge':[],'delete':[]}`, weekly.GateForeignID},
		"foreign id in merge":        {merge(`{'ids':['#0','zzzzzz'],'merged_content':'x','category':'life','importance':5}`), weekly.GateForeignID},
		"foreign id in delete":       {`{'keep':[],'merge':[],'delete':[{'id':'zzzzzz','reason':'outdated'}]}`, weekly.GateForeignID},
		"a memory's real id":         {`{'keep':[],'merge':[],'delete':[{'id':'mem_00000000000000000000000001','reason':'outdated'}]}`, weekly.GateForeignID},
		"overlap of keep and delete": {`{'keep':[{'id':'#0','reason':'unique'}],'merge':[],'delete':[{'id':'#0','reason':'outdated'}]}`, weekly.GateOverlap},
		"overlap of two merges": {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':5},` +
			`{'ids':['#1','#2'],'merged_content':'y','category':'life','importance':5}`), weekly.GateOverlap},
		"one id twice in a merge":  {merge(`{'ids':['#0','#0'],'merged_content':'x','category':'life','importance':5}`), weekly.GateOverlap},
		"merge with 1 id":          {merge(`{'ids':['#0'],'merged_content':'x','category':'life','importance':5}`), weekly.GateFewIDs},
		"merge with no id":         {merge(`{'ids':[],'merged_content':'x','category':'life','importance':5}`), weekly.GateFewIDs},
		"importance 11":            {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':11}`), weekly.GateImportance},
		"importance 0":             {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':0}`), weekly.GateImportance},
		"importance 7.5":           {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':7.5}`), weekly.GateImportance},
		"importance as text":       {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':'8'}`), weekly.GateImportance},
		"importance huge":          {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':1e999}`), weekly.GateImportance},
		"missing delete":           {`{'keep':[],'merge':[]}`, weekly.GateMissingField},
		"delete null":              {`{'keep':[],'merge':[],'delete':null}`, weekly.GateMissingField},
		"missing reason":           {`{'keep':[],'merge':[],'delete':[{'id':'#0'}]}`, weekly.GateMissingField},
		"missing merged_content":   {merge(`{'ids':['#0','#1'],'category':'life','importance':5}`), weekly.GateMissingField},
		"missing importance":       {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life'}`), weekly.GateMissingField},
		"unknown field at the top": {`{'keep':[],'merge':[],'delete':[],'note':'done'}`, weekly.GateUnknownField},
		"unknown field in a merge": {merge(`{'ids':['#0','#1'],'merged_content':'x','category':'life','importance':5,'user':'ben'}`), weekly.GateUnknownField},
		"another case":             {`{'Keep':[],'merge':[],'delete':[]}`, weekly.GateUnknownField},
		"a field twice":            {`{'keep':[],'merge':[],'delete':[],'delete':[{'id':'#0','reason':'outdated'}]}`, weekly.GateUnknownField},
		"delete is an object":      {`{'keep':[],'merge':[],'delete':{}}`, weekly.GateFieldType},
		"an id is a number":        {`{'keep':[],'merge':[],'delete':[{'id':1,'reason':'outdated'}]}`, weekly.GateFieldType},
		"empty merged text":        {merge(`{'ids':['#0','#1'],'merged_content':' ','category':'life','importance':5}`), weekly.GateEmptyText},
		"text with a zero byte":    {merge(`{'ids':['#0','#1'],'merged_content':'x\u0000y','category':'life','importance':5}`), weekly.GateEmptyText},
		"text with an escape":      {merge(`{'ids':['#0','#1'],'merged_content':'x\u001b[2Jy','category':'life','importance':5}`), weekly.GateEmptyText},
		"delete all beside a merge": {`{'keep':[],'merge':[{'ids':['#0','#1'],'merged_content':'Drinks green tea every morning.','category':'life','importance':5}],` +
			`'delete':[{'id':'#2','reason':'outdated'}]}`, weekly.GateDeleteAll},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.add("Drinks green tea every morning.")
			u.add("Drinks green tea in the morning.")
			u.add("Has a cat.")
			_, err := u.decide(c.answer)
			var broken *weekly.InvalidError
			if !errors.As(err, &broken) || !errors.Is(err, weekly.ErrInvalid) {
				t.Fatalf("error %v, want an invalid answer", err)
			}
			if broken.Gate != c.gate {
				t.Errorf("gate %s (%s), want %s", broken.Gate, broken.Reason, c.gate)
			}
			for _, m := range u.memories {
				if strings.Contains(err.Error(), m.Text) {
					t.Errorf("the error quotes a memory: %v", err)
				}
			}
		})
	}
}

// The contract tolerates one code fence, which models put around JSON.
func TestCodeFenceIsTolerated(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"```json\n{'keep':[],'merge':[],'delete':[]}\n```", "```\n{'keep':[],'merge':[],'delete':[]}```\n", "\ufeff {'keep':[],'merge':[],'delete':[]} ",
		"```JSON\r\n{'keep':[],'merge':[],'delete':[]}\r\n```",
	} {
		u := newUser(t)
		u.fill(3)
		if out := u.valid(answer); out.After != 3 {
			t.Errorf("%q leaves %d of 3", answer, out.After)
		}
	}
	for _, answer := range []string{"```sql\n{'keep':[],'merge':[],'delete':[]}\n```", "```json\n{'keep':[],'merge':[],'delete':[]}", "Here: ```json\n{'keep':[],'merge':[],'delete':[]}\n```"} {
		u := newUser(t)
		u.fill(3)
		if _, err := u.decide(answer); !errors.Is(err, weekly.ErrInvalid) {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

// S1.17: an empty merge keeps all, also what the answer deletes.
func TestEmptyMergeKeepsAll(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.fill(30)
	out := u.valid(`{'keep':[{'id':'#0','reason':'unique'}],'merge':[],'delete':[{'id':'#1','reason':'outdated'}]}`)
	if out.After != 30 || len(out.Archives) != 0 || len(out.Keeps) != 30 || out.Note == "" {
		t.Errorf("outcome %+v", out)
	}
	if set := u.apply(out); len(set.MemoryUpdates)+len(set.Memories)+len(set.Decisions)+len(set.Events) != 0 {
		t.Errorf("the change touches memories: %+v", set)
	}
}

// S1.18: nothing but merges may cover every memory, and an empty merge with all deleted
// keeps all.
func TestNeverDeletesAll(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.add("Drinks green tea every morning.")
	u.add("Drinks green tea in the morning.")
	out := u.valid(`{'keep':[],'merge':[],'delete':[{'id':'#0','reason':'old'},{'id':'#1','reason':'old'}]}`)
	if out.After != 2 {
		t.Errorf("an empty merge leaves %d of 2", out.After)
	}
	out = u.valid(`{'keep':[],'merge':[{'ids':['#0','#1'],'merged_content':'Drinks green tea every morning.','category':'life','importance':5}],'delete':[]}`)
	if out.After != 1 || len(out.Merges) != 1 {
		t.Errorf("a merge of all is valid coverage: %+v", out)
	}
}

// S1.21, S1.6: 51 kept is over the limit, 50 is not; the run says so and changes what it can.
func TestFiftyOneKeptIsOverTheLimit(t *testing.T) {
	t.Parallel()
	for n, over := range map[int]bool{50: false, 51: true} {
		u := newUser(t)
		u.fill(n - 1)
		u.add("Drinks green tea every morning.")
		last := u.add("Drinks green tea in the morning.")
		out := u.valid(strings.NewReplacer("A", "#"+itoa(last-1), "B", "#"+itoa(last)).Replace(
			`{'keep':[],'merge':[{'ids':['A','B'],'merged_content':'Drinks green tea every morning.','category':'life','importance':5}],'delete':[]}`))
		if out.Before != n+1 || out.After != n || out.OverLimit != over {
			t.Errorf("%d remain: before %d, after %d, over the limit %v; refused %+v", n, out.Before, out.After, out.OverLimit, out.Refused)
		}
	}
}

// S1.3: 20 no, 21 yes.
func TestDueAboveTwenty(t *testing.T) {
	t.Parallel()
	if weekly.Due(20) || !weekly.Due(21) {
		t.Error("a user takes part from 21 memories on")
	}
}
