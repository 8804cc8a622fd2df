package testigo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/testigo/testigo"
)

// Every code has an exit code and an HTTP status, and damage and bad arguments have exits of their own.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, c := range testigo.Codes() {
		if c.Exit() == 0 || c.HTTPStatus() < 400 {
			t.Errorf("%s: exit %d, status %d", c, c.Exit(), c.HTTPStatus())
		}
	}
	if testigo.CodeDamaged.Exit() != 3 || testigo.CodeInvalid.Exit() != 2 || testigo.CodeNotFound.Exit() != 1 {
		t.Error("the exit codes of the contract moved")
	}
}

func TestAsErrorLeaksNothing(t *testing.T) {
	t.Parallel()
	cause := errors.New("SQL logic error near FROM")
	e := testigo.AsError(fmt.Errorf("wrapped: %w", cause))
	if e.Code != testigo.CodeInternal || strings.Contains(e.Error(), "SQL") {
		t.Errorf("got %q", e.Error())
	}
	if !errors.Is(e, cause) {
		t.Error("the cause is lost for logs")
	}
}

// A key with slashes is folded into the scope: (a, b/c) and (a/b, c) are one fact.
func TestNameFolding(t *testing.T) {
	t.Parallel()
	for _, parts := range [][2]string{{"a", "b/c"}, {"a/b", "c"}, {"", "a/b/c"}} {
		n, err := testigo.NewName("p", parts[0], parts[1])
		if err != nil || n.Scope != "a/b" || n.Key != "c" || n.String() != "a/b/c" {
			t.Errorf("%q: %+v, %v", parts, n, err)
		}
	}
}

func TestNamesRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 201)
	for _, tc := range []struct{ scope, key, field string }{
		{"", "", "key"},
		{"", "alone", "scope"},
		{"/a", "k", "scope"},
		{"a/", "k", "scope"},
		{"a//b", "k", "scope"},
		{"a", "k/", "key"},
		{"a", "/k", "scope"},
		{"a", "v@12", "key"},
		{"a\x00", "k", "scope"},
		{"a", "k\u202e", "key"},
		{"a", "k\xff", "key"},
		{long, "k", "scope"},
		{"a", long, "key"},
		{" a", "k", "scope"},
	} {
		_, err := testigo.NewName("", tc.scope, tc.key)
		var e *testigo.Error
		if !errors.As(err, &e) || e.Code != testigo.CodeInvalid {
			t.Errorf("%q %q: %v", tc.scope, tc.key, err)
			continue
		}
		if e.Field != tc.field {
			t.Errorf("%q %q: blames %s, want %s", tc.scope, tc.key, e.Field, tc.field)
		}
	}
	if _, err := testigo.NewName("", "a", strings.Repeat("語", 200)); err != nil {
		t.Errorf("200 characters are allowed, whatever their bytes: %v", err)
	}
}

func TestParseRef(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in      string
		name    string
		version int
	}{
		{"a/b", "a/b", 0}, {"a/b@3", "a/b", 3}, {"a/b@c", "a/b@c", 0}, {"me@home/b@2", "me@home/b", 2}, {"a/b@", "a/b@", 0},
	} {
		r, err := testigo.ParseRef(tc.in)
		if err != nil || r.Scope+"/"+r.Key != tc.name || r.Version != tc.version {
			t.Errorf("%q: %+v, %v", tc.in, r, err)
		}
	}
	for _, bad := range []string{"", "a", "a/b@0", "/b", "a/b@1@2", "a/b\n"} {
		if r, err := testigo.ParseRef(bad); err == nil {
			t.Errorf("%q: passed as %+v", bad, r)
		}
	}
}

func TestRefJSON(t *testing.T) {
	t.Parallel()
	var r testigo.Ref
	if err := json.Unmarshal([]byte(`{"project":"none","scope":"a","key":"b/c","version":2}`), &r); err != nil || r.String() != "a/b/c@2" || *r.Project != "none" {
		t.Errorf("%+v %v", r, err)
	}
	for _, bad := range []string{`{"scope":"a"}`, `{"scope":"a","key":"b","extra":1}`, `7`, `{"scope":"a","key":"b","version":-1}`, `null`} {
		if err := json.Unmarshal([]byte(`[`+bad+`]`), &[]testigo.Ref{}); err == nil {
			t.Errorf("%s passed", bad)
		}
	}
}

// A parsed ref prints to a text that parses to the same ref.
func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"a/b", "a/b@3", "x@1/y@2", "a/b@99999999999999999999", "日/本@1", "a/b@c@4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := testigo.ParseRef(s)
		if err != nil {
			if testigo.CodeOf(err) != testigo.CodeInvalid {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		again, err := testigo.ParseRef(r.String())
		if err != nil || again != r {
			t.Fatalf("%q → %+v → %+v, %v", s, r, again, err)
		}
	})
}

// Whatever is reported, confidence stays inside 0..1, success never lowers and failure never raises it.
func TestConfidenceStaysInBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0, 1).Draw(t, "c")
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(testigo.OutcomeKinds()), 1, 50).Draw(t, "kinds") {
			next := k.Move(c)
			if next < 0 || next > 1 {
				t.Fatalf("%s moved %v to %v", k, c, next)
			}
			if k == testigo.Success && next < c || k != testigo.Success && next > c {
				t.Fatalf("%s moved %v the wrong way to %v", k, c, next)
			}
			c = next
		}
	})
}

func TestOutcomeNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind         testigo.OutcomeKind
		before, want string
	}{
		{testigo.Success, "0.80", "0.84"}, {testigo.Failure, "0.60", "0.39"}, {testigo.MinorFailure, "1.00", "0.85"},
		{testigo.CriticalFailure, "0.50", "0.20"}, {testigo.UnknownOutcome, "0.70", "0.70"},
	} {
		var c float64
		fmt.Sscan(tc.before, &c)
		if got := fmt.Sprintf("%.2f", tc.kind.Move(c)); got != tc.want {
			t.Errorf("%s: %s → %s, want %s", tc.kind, tc.before, got, tc.want)
		}
	}
}

// All pairs of states: what the table allows is what the contract says.
func TestHandoffTransitions(t *testing.T) {
	t.Parallel()
	legal := map[string]bool{
		"open>claimed": true, "open>expired": true, "open>withdrawn": true, "open>closed": true,
		"claimed>open": true, "claimed>claimed": true, "claimed>returned": true, "claimed>closed": true, "claimed>withdrawn": true,
		"returned>closed": true,
	}
	for _, from := range testigo.HandoffStates() {
		for _, to := range testigo.HandoffStates() {
			if got := testigo.CanMove(from, to); got != legal[string(from)+">"+string(to)] {
				t.Errorf("%s → %s: %v", from, to, got)
			}
		}
	}
	for _, s := range []testigo.HandoffState{testigo.Closed, testigo.Expired, testigo.Withdrawn} {
		if !s.Final() {
			t.Errorf("%s is not final", s)
		}
	}
}

func TestAgentNames(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{"a", "scout-2", "person:keeper", "team/x@host", strings.Repeat("a", 200)} {
		if err := testigo.CheckAgentName("agent", ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "-a", ".a", "a b", "a\n", "ä", strings.Repeat("a", 201), "a\u202e"} {
		if err := testigo.CheckAgentName("agent", bad); testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
