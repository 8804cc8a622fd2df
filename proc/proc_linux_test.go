package proc

import "testing"

func TestParseStat(t *testing.T) {
	t.Parallel()
	rest := " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 99 100"
	for stat, want := range map[string]struct {
		started string
		st      state
	}{
		"7 (cat) S" + rest:          {"4242", running},
		"7 (a) b) R 1 (c) S" + rest: {"4242", running},
		"7 (cat) Z" + rest:          {"", ended},
		"7 (cat) S 1 2":             {"", unclear},
		"7 cat S" + rest:            {"", unclear},
		"":                          {"", unclear},
		"7 (\n) S" + rest:           {"4242", running},
		"7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 start 1": {"", unclear},
	} {
		if started, st := parseStat(stat); started != want.started || st != want.st {
			t.Errorf("%q: %q, %d", stat, started, st)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (cat) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 99 100")
	f.Fuzz(func(t *testing.T, stat string) {
		if started, st := parseStat(stat); (started != "") != (st == running) {
			t.Errorf("%q: %q, %d", stat, started, st)
		}
	})
}
