package main

import (
	"encoding/json"
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"
)

// field sets a variable to a field of the last output, which is a JSON object
// or a list whose first element counts:
//
//	field PROPOSAL proposal
func field(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: field VARIABLE name")
	}
	var data any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &data))
	if list, ok := data.([]any); ok {
		if len(list) == 0 {
			ts.Fatalf("the list is empty")
		}
		data = list[0]
	}
	object, ok := data.(map[string]any)
	if !ok || object[args[1]] == nil {
		ts.Fatalf("no field %q in the output", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(object[args[1]]))
}

// anotherCode sets a variable to the code of no digest, given that of the only
// one:
//
//	anothercode OTHER K7Q2
func anotherCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: anothercode VARIABLE code")
	}
	other := "Z9Z9"
	if args[1] == other {
		other = "A2A2"
	}
	ts.Setenv(args[0], other)
}
