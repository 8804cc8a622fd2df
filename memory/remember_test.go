package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
	"github.com/testigo/testigo/memory"
)

func TestRememberAddsVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	first := w.remember(a, "db/host", `"one"`)
	second := w.remember(a, "db/host", `"two"`)
	if first.Version != 1 || second.Version != 2 || second.Superseded != 1 {
		t.Fatalf("%+v then %+v", first, second)
	}
	if first.Confidence != testigo.DefaultConfidence {
		t.Errorf("confidence %v", first.Confidence)
	}
	old := w.recall(a, memory.RecallParams{Key: "db/host", Version: 1})
	if string(old.Fact.Value) != `"one"` || old.Fact.Current || old.Fact.SupersededAt == nil {
		t.Errorf("version 1 is %+v", old.Fact)
	}
	if cur := w.recall(a, memory.RecallParams{Key: "db/host"}); string(cur.Fact.Value) != `"two"` || !cur.Fact.Current {
		t.Errorf("current is %+v", cur.Fact)
	}
}

// A new version starts with its writer's confidence, never with the old one's, and the old one keeps what it had.
func TestConfidenceIsNotInherited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "a/b", `1`, func(p *memory.RememberParams) { p.Confidence = ptr(0.9) })
	if res := w.remember(a, "a/b", `2`); res.Confidence != 0.7 {
		t.Errorf("new version starts with %v", res.Confidence)
	}
	if old := w.recall(a, memory.RecallParams{Key: "a/b", Version: 1}); old.Fact.Confidence != 0.9 {
		t.Errorf("old version has %v", old.Fact.Confidence)
	}
}

// Numbers are kept as written: neither large integers nor 1 and 1.0 are ever the same float.
func TestNumbersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	for i, n := range []string{"12345678901234567890123", "1", "1.0", "1e2", "-0", "0.1000"} {
		w.remember(a, "n/x", n)
		if got := w.recall(a, memory.RecallParams{Key: "n/x"}); string(got.Fact.Value) != n || got.Fact.Version != i+1 {
			t.Errorf("%s came back as %s v%d", n, got.Fact.Value, got.Fact.Version)
		}
	}
}

// Two writers of an equal value agree: no version is added, whoever writes.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout"), w.agent("executor")
	w.remember(a, "a/b", `{"x":1,"y":2}`, func(p *memory.RememberParams) { p.Tags = []string{"T", "t", "u"} })
	w.now = w.now.Add(time.Hour)
	res := w.remember(b, "a/b", `{ "y": 2, "x": 1 }`, func(p *memory.RememberParams) {
		p.Tags, p.ExpectedVersion = []string{"t", "u"}, ptr(99) // unchanged is decided before the expected version
	})
	if !res.Unchanged || res.Version != 1 {
		t.Fatalf("%+v", res)
	}
	f := w.recall(a, memory.RecallParams{Key: "a/b"}).Fact
	if f.ConfirmedBy != "executor" || f.ConfirmedAt == nil || !f.ConfirmedAt.Equal(w.now) || f.Confidence != 0.7 {
		t.Errorf("%+v", f)
	}
	w.remember(b, "a/b", `{"x":1,"y":2}`, func(p *memory.RememberParams) { p.Tags, p.Confidence = []string{"t", "u"}, ptr(0.95) })
	h, err := w.svc.History(w.ctx, a, memory.HistoryParams{Key: "a/b"})
	if err != nil || len(h.Versions) != 1 || h.Versions[0].Confidence != 0.95 {
		t.Fatalf("%+v %v", h, err)
	}
	m := h.Versions[0].Moves
	if len(m) != 1 || m[0].Before != 0.7 || m[0].After != 0.95 || m[0].Outcome != "" || h.Versions[0].Outcomes != nil {
		t.Errorf("an opinion is an audit row and no outcome: %+v", m)
	}
	if res := w.remember(a, "a/b", `{"x":1,"y":2}`); res.Unchanged || res.Version != 2 {
		t.Errorf("other tags are another version: %+v", res)
	}
}

func TestExpectedVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	expect := func(n int) func(*memory.RememberParams) {
		return func(p *memory.RememberParams) { p.ExpectedVersion = &n }
	}
	w.remember(a, "a/b", `1`, expect(0))
	_, err := w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "a/b", Value: json.RawMessage(`2`), ExpectedVersion: ptr(0)})
	e := wantCode(t, err, testigo.CodeConflict, "")
	if b, _ := json.Marshal(e.Data); !bytes.Contains(b, []byte(`"version":1`)) || !bytes.Contains(b, []byte(`"value":1`)) {
		t.Errorf("the conflict does not carry the current version and value: %s", b)
	}
	w.remember(a, "a/b", `2`, expect(1))
	_, err = w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "a/none", Value: json.RawMessage(`2`), ExpectedVersion: ptr(3)})
	wantCode(t, err, testigo.CodeConflict, "")
	if n := w.recall(a, memory.RecallParams{Key: "a/b"}).Fact.Version; n != 2 {
		t.Errorf("refused writes left version %d", n)
	}
}

// D17, T03: a retry with the same key is answered like the first call and does nothing; other content is a conflict.
func TestRequestKeyD17T03(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout"), w.agent("executor")
	key := func(p *memory.RememberParams) { p.RequestKey = "r1" }
	first := w.remember(a, "a/b", `1`, key)
	w.remember(b, "a/b", `2`)
	again := w.remember(a, "a/b", `1`, key)
	if !again.Repeated || again.Version != first.Version || again.Hash != first.Hash {
		t.Errorf("first %+v, again %+v", first, again)
	}
	_, err := w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "a/b", Value: json.RawMessage(`3`), RequestKey: "r1"})
	wantCode(t, err, testigo.CodeConflict, "")
	if res := w.remember(b, "a/b", `3`, key); res.Repeated || res.Version != 3 {
		t.Errorf("another agent's key is its own: %+v", res)
	}
}

func TestRememberBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	good := func() memory.RememberParams {
		return memory.RememberParams{Scope: "a", Key: "b", Value: json.RawMessage(`1`)}
	}
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	many := make([]string, 33)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for name, tc := range map[string]struct {
		field  string
		change func(*memory.RememberParams)
	}{
		"no key":           {"key", func(p *memory.RememberParams) { p.Key = "" }},
		"scope slash":      {"scope", func(p *memory.RememberParams) { p.Scope = "/a" }},
		"no value":         {"value", func(p *memory.RememberParams) { p.Value = nil }},
		"empty value":      {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage("  ") }},
		"broken value":     {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(`{"a":`) }},
		"two values":       {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(`1 2`) }},
		"duplicate keys":   {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(`{"a":1,"a":2}`) }},
		"lone surrogate":   {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(`"\ud800"`) }},
		"invalid UTF-8":    {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage("\"\xff\xfe\"") }},
		"too deep":         {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(deep) }},
		"too large":        {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage(`"` + strings.Repeat("x", 256<<10) + `"`) }},
		"long number":      {"value", func(p *memory.RememberParams) { p.Value = json.RawMessage("1" + strings.Repeat("0", 1000)) }},
		"confidence high":  {"confidence", func(p *memory.RememberParams) { p.Confidence = ptr(1.01) }},
		"confidence low":   {"confidence", func(p *memory.RememberParams) { p.Confidence = ptr(-0.01) }},
		"tag empty":        {"tags", func(p *memory.RememberParams) { p.Tags = []string{" "} }},
		"tag long":         {"tags", func(p *memory.RememberParams) { p.Tags = []string{strings.Repeat("x", 65)} }},
		"tag bidi":         {"tags", func(p *memory.RememberParams) { p.Tags = []string{"a\u202eb"} }},
		"too many tags":    {"tags", func(p *memory.RememberParams) { p.Tags = many }},
		"negative version": {"expected_version", func(p *memory.RememberParams) { p.ExpectedVersion = ptr(-1) }},
		"key of request":   {"request_key", func(p *memory.RememberParams) { p.RequestKey = "a\nb" }},
		"project hidden":   {"project", func(p *memory.RememberParams) { p.Project = "a\u200eb" }},
		"project star":     {"project", func(p *memory.RememberParams) { p.Project = "*" }},
	} {
		p := good()
		tc.change(&p)
		_, err := w.svc.Remember(w.ctx, a, p)
		if testigo.CodeOf(err) != testigo.CodeInvalid || testigo.AsError(err).Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	st, err := w.svc.Stats(w.ctx, a, memory.StatsParams{})
	if err != nil || st.Versions != 0 || st.LogSize != 0 {
		t.Errorf("refused writes left %+v %v", st, err)
	}
}

// X02, X04: a secret inside a value is masked and counted; a value that is a secret, or a name that holds one, is refused.
func TestSecretsX02X04(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	res := w.remember(a, "notes/deploy", `{"how":"run export GITHUB_TOKEN=`+secret+` and then make deploy in the release folder of the repository"}`)
	if len(res.Redacted) == 0 {
		t.Fatalf("nothing was masked: %+v", res)
	}
	if f := w.recall(a, memory.RecallParams{Key: "notes/deploy"}).Fact; strings.Contains(string(f.Value), secret) || !strings.Contains(string(f.Value), "[redacted:") {
		t.Errorf("stored %s", f.Value)
	}
	_, err := w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "notes/token", Value: json.RawMessage(`"` + secret + `"`)})
	e := wantCode(t, err, testigo.CodeRefused, "value")
	if strings.Contains(e.Error(), secret) {
		t.Error("the error repeats the secret")
	}
	_, err = w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "notes/" + secret, Value: json.RawMessage(`1`)})
	wantCode(t, err, testigo.CodeRefused, "key")
}

// The chain and the log verify after any mix of writes, and a second implementation of the hash agrees.
func TestChainVerifies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		a := w.agent("scout")
		for range rapid.IntRange(1, 25).Draw(rt, "writes") {
			key := rapid.SampledFrom([]string{"a/b", "a/c", "語/ß"}).Draw(rt, "key")
			w.remember(a, key, fmt.Sprint(rapid.IntRange(0, 3).Draw(rt, "value")), func(p *memory.RememberParams) {
				p.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(rt, "tags")
			})
			w.now = w.now.Add(time.Second)
		}
		v, err := w.svc.Verify(w.ctx, nil)
		if err != nil || !v.OK {
			rt.Fatalf("%+v %v", v, err)
		}
		if v.LogSize != v.Versions || v.Erasures != 0 {
			rt.Fatalf("%+v", v)
		}
		checkByHand(rt, w)
	})
}

// checkByHand recomputes the chain of a fact from docs/format.md's description alone.
func checkByHand(t *rapid.T, w *world) {
	err := w.store.Read(w.ctx, func(r testigo.Reader) error {
		vs, err := r.Versions(w.ctx, testigo.Name{Scope: "a", Key: "b"}, 0, 100)
		if err != nil {
			return err
		}
		var prev testigo.Hash
		for _, v := range vs {
			tags, _ := json.Marshal(append([]string{}, v.Tags...))
			body := fmt.Sprintf(`{"author":"scout","created_at":%q,"key":"b","project":null,"scope":"a","sources":[],"tags":%s,"value":%s,"version":%d}`,
				v.CreatedAt.Format("2006-01-02T15:04:05.000Z"), tags, v.Value, v.Number)
			if got := string(canonical.Body(v)); got != body {
				t.Fatalf("body is\n%s, want\n%s", got, body)
			}
			prev = testigo.LinkHash(prev, testigo.BodyHash(v.Salt, []byte(body)))
			if prev != v.Hash {
				t.Fatalf("version %d has hash %s, want %s", v.Number, v.Hash, prev)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
