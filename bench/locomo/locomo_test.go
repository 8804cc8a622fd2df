package locomo_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo/bench/locomo"
)

// load reads the data set. Where there is none the test is skipped, except in CI, which has it beside the checkout.
func load(t *testing.T) *locomo.Data {
	t.Helper()
	path := os.Getenv("LOCOMO")
	if path == "" {
		path = filepath.Join("..", "..", locomo.DefaultPath)
	}
	data, err := locomo.Load(path)
	if os.IsNotExist(err) && os.Getenv("CI") != "true" {
		t.Skipf("no data set at %s; LOCOMO names another path", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The data set is the one the numbers in the documents are about.
func TestLoadCounts(t *testing.T) {
	t.Parallel()
	data := load(t)
	turns := 0
	for _, c := range data.Conversations {
		turns += len(c)
	}
	if len(data.Conversations) != 10 || turns != 5882 || len(data.Questions) != 1536 {
		t.Errorf("%d conversations, %d turns, %d questions", len(data.Conversations), turns, len(data.Questions))
	}
}

// The floors leave room for a hundredth of noise below what was measured when the weights were chosen.
func TestMemoryRecall(t *testing.T) {
	t.Parallel()
	r, err := locomo.Evaluate(load(t), locomo.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", r)
	if r.All.Recall10 < 0.755 || r.Odd.Recall10 < 0.74 || r.All.MRR < 0.60 {
		t.Errorf("search got worse:\n%s", r)
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ written, want string }{
		{"D1:3", "D1:3"}, {"D8:6; D9:17", "D8:6 D9:17"}, {"D9:1 D4:4 D4:6", "D9:1 D4:4 D4:6"}, {"D30:05", "D30:5"},
		{"D:11:26", "D11:26"}, {"D", ""}, {"", ""}, {"D1:3, D1:03", "D1:3"},
	} {
		if got := strings.Join(locomo.Evidence([]string{tt.written}), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.written, got, tt.want)
		}
	}
}

const sample = `[{"conversation": {
	"speaker_a": "Ada", "speaker_b": "Ben", "session_2_date_time": "2 May", "session_10_date_time": "never held",
	"session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "I planted a lemon tree."}],
	"session_2": [
		{"speaker": "Ben", "dia_id": "D2:1", "text": "My kettle broke.", "blip_caption": "a kettle"},
		{"speaker": "Ada", "dia_id": "D2:2", "text": "Mine too."}]},
	"qa": [
		{"question": "What did Ada plant?", "category": 4, "evidence": ["D1:1"]},
		{"question": "Whose kettles broke?", "category": 1, "evidence": ["D2:01; D2:2"]},
		{"question": "unanswerable", "category": 5, "evidence": ["D1:1"]},
		{"question": "without evidence", "category": 3, "evidence": []}]}]`

func loadSample(t *testing.T) *locomo.Data {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.json")
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := locomo.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoad(t *testing.T) {
	t.Parallel()
	data := loadSample(t)
	turns := data.Conversations[0]
	if len(turns) != 3 || turns[1].ID != "D2:1" || turns[1].Said != "2 May" || turns[0].Said != "" {
		t.Errorf("turns %+v", turns)
	}
	if got, want := string(turns[1].Value()), `{"text":"My kettle broke.","image":"a kettle","said":"2 May"}`; got != want {
		t.Errorf("value %s", got)
	}
	if turns[1].Key() != "D2-1" || locomo.TurnID(turns[1].Key()) != turns[1].ID {
		t.Errorf("key %s", turns[1].Key())
	}
	if len(data.Questions) != 2 {
		t.Errorf("questions %+v", data.Questions)
	}
}

// fixed answers every question alike.
type fixed struct {
	answers []string
	added   int
	flushed bool
}

func (f *fixed) Add(int, locomo.Turn) error { f.added++; return nil }
func (f *fixed) Flush() error               { f.flushed = f.added == 3; return nil }

func (f *fixed) Search(int, string, int) ([]string, error) { return f.answers, nil }

func TestEvaluate(t *testing.T) {
	t.Parallel()
	far := strings.Fields("D9:9 D2:1 x x x x x D1:1 x x D2:2")
	s := &fixed{answers: far}
	r, err := locomo.Evaluate(loadSample(t), s)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if !s.flushed || r.All.Questions != 2 || r.Odd.Questions != 0 || r.Even.Questions != 2 {
		t.Errorf("flushed %v, report %+v", s.flushed, r)
	}
	// The lemon tree is eighth; of the two kettles one is second and one beyond the tenth.
	if !near(r.All.Recall5, 0.25) || !near(r.All.Recall10, 0.75) || !near(r.All.MRR, (1.0/8+1.0/2)/2) {
		t.Errorf("scores %+v", r.All)
	}
	if got := strings.Count(r.String(), "\n"); got != 2+3+4 {
		t.Errorf("%d lines:\n%s", got, r)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	r, err := locomo.Evaluate(loadSample(t), locomo.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	if r.All.Recall5 != 1 {
		t.Errorf("report %+v", r)
	}
}
