package locomo

import (
	"fmt"
	"slices"
	"strings"
)

// Depth is how many answers a question is judged by.
const Depth = 10

// Searcher is what is measured. Evaluate adds all turns of all conversations, each conversation in its order, and then
// asks every question.
type Searcher interface {
	// Add writes a turn as a fact; see the package comment for its form.
	Add(conversation int, t Turn) error
	// Search returns the ids of the best turns of the conversation, best first, limit at most.
	Search(conversation int, question string, limit int) ([]string, error)
}

// Score is the mean over some questions.
type Score struct {
	Questions     int
	Recall5       float64
	Recall10      float64
	MRR           float64
	sum5, sum10   float64
	sumReciprocal float64
}

// Report holds the scores of one run.
type Report struct {
	All, Even, Odd Score
	Category       map[int]Score
}

// Flush is implemented by a Searcher that gathers turns and writes them together.
type Flush interface{ Flush() error }

// Evaluate runs the data set against s.
func Evaluate(data *Data, s Searcher) (Report, error) {
	for n, turns := range data.Conversations {
		for _, t := range turns {
			if err := s.Add(n, t); err != nil {
				return Report{}, fmt.Errorf("conversation %d, turn %s: %w", n, t.ID, err)
			}
		}
	}
	if f, ok := s.(Flush); ok {
		if err := f.Flush(); err != nil {
			return Report{}, err
		}
	}
	r := Report{Category: map[int]Score{}}
	for _, q := range data.Questions {
		found, err := s.Search(q.Conversation, q.Text, Depth)
		if err != nil {
			return Report{}, fmt.Errorf("conversation %d, a question of category %d: %w", q.Conversation, q.Category, err)
		}
		half := &r.Even
		if q.Conversation%2 == 1 {
			half = &r.Odd
		}
		category := r.Category[q.Category]
		for _, score := range []*Score{&r.All, half, &category} {
			score.add(q.Evidence, found)
		}
		r.Category[q.Category] = category
	}
	return r, nil
}

// add counts one question's answers.
func (s *Score) add(evidence, found []string) {
	found = found[:min(len(found), Depth)]
	s.Questions++
	s.sum5 += recall(evidence, found[:min(len(found), 5)])
	s.sum10 += recall(evidence, found)
	for i, id := range found {
		if slices.Contains(evidence, id) {
			s.sumReciprocal += 1 / float64(i+1)
			break
		}
	}
	n := float64(s.Questions)
	s.Recall5, s.Recall10, s.MRR = s.sum5/n, s.sum10/n, s.sumReciprocal/n
}

// recall is the share of evidence among found.
func recall(evidence, found []string) float64 {
	n := 0
	for _, id := range evidence {
		if slices.Contains(found, id) {
			n++
		}
	}
	return float64(n) / float64(len(evidence))
}

// String returns the report as a Markdown table.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString("| questions | n | R@5 | R@10 | MRR |\n|---|---|---|---|---|\n")
	row := func(name string, s Score) {
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f | %.3f |\n", name, s.Questions, s.Recall5, s.Recall10, s.MRR)
	}
	row("all", r.All)
	row("even conversations", r.Even)
	row("odd conversations", r.Odd)
	for n := 1; n <= len(Categories); n++ {
		row(Categories[n], r.Category[n])
	}
	return b.String()
}
