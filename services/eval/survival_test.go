package eval

import (
	"encoding/json"
	"testing"
)

func TestYear(t *testing.T) {
	r, err := Survival(SurvivalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(r.Year)
	t.Logf("%s", raw)
}

func TestMonth(t *testing.T) {
	r, err := simulateMonth(SurvivalOptions{Seed: survivalSeed, Days: 32})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(r)
	t.Logf("%s", raw)
}
