package corpus

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/redact"
	"github.com/testigo/testigo/search"
)

// The same seed gives the same writes in any order, another seed gives others.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	a, b := New(7), New(7)
	for _, i := range []int{500, 3, 77, 0} {
		if d := cmp.Diff(a.Write(i), b.Write(i)); d != "" {
			t.Errorf("write %d: %s", i, d)
		}
		if d := cmp.Diff(a.Question(i, 1000), b.Question(i, 1000)); d != "" {
			t.Errorf("question %d: %s", i, d)
		}
	}
	if New(8).Write(3).Text == a.Write(3).Text {
		t.Error("the seed does not matter")
	}
}

// Every write is one that remember takes as it is, and its version number is what the store will give it.
func TestWrites(t *testing.T) {
	t.Parallel()
	c := New(1)
	const n = 3000
	versions := map[string]int{}
	scopes := map[string]int{}
	bytes := 0
	for i := range n {
		w := c.Write(i)
		if _, err := testigo.NewName("p", w.Scope, w.Key); err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
		if len(w.Text) < 200 || len(w.Text) > 440 || !json.Valid(w.Value) {
			t.Fatalf("write %d has %d bytes: %s", i, len(w.Text), w.Value)
		}
		if i%10 == 0 && redact.Text(w.Text).Total() > 0 {
			t.Errorf("write %d looks like a secret: %s", i, w.Text)
		}
		name := w.Scope + "/" + w.Key
		if versions[name]++; versions[name] != w.Number {
			t.Fatalf("write %d makes version %d of %s, not %d", i, versions[name], name, w.Number)
		}
		scopes[w.Scope]++
		bytes += len(w.Value)
	}
	if len(versions) != Facts(n) || Facts(Writes(900)) != 900 {
		t.Errorf("%d facts, not %d", len(versions), Facts(n))
	}
	if len(scopes) != Scopes || bytes/n < 250 || bytes/n > 360 {
		t.Errorf("%d scopes, %d bytes a value", len(scopes), bytes/n)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	c := New(1)
	for i := range 200 {
		q := c.Question(i, 1000)
		if terms := search.Parse(q.Text).Terms(); len(terms) < 2 || len(terms) > 24 {
			t.Errorf("%q asks for %d terms", q.Text, len(terms))
		}
	}
	scope, key := c.Name(3, 1000)
	if scope == "" || key == "" {
		t.Error("no name")
	}
}
