package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
	"github.com/testigo/testigo/search"
	"github.com/testigo/testigo/witness"
)

// ForgetParams name what a person wants erased: one fact's versions, all of them when none are listed.
type ForgetParams struct {
	Project  string `json:"project,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Key      string `json:"key"`
	Versions []int  `json:"versions,omitempty"`
}

// ForgetResult says what was erased, or would be, and whether any of it is still in the store's files.
type ForgetResult struct {
	Name     string               `json:"name"`
	Project  *string              `json:"project"`
	Versions []int                `json:"versions"`
	Already  []int                `json:"already_erased,omitempty"`
	Done     bool                 `json:"done"`
	Scrub    *testigo.ScrubReport `json:"scrub,omitempty"`
	Outside  []string             `json:"cannot_reach"`
	preview  []testigo.Version    // what would go, for PlanForget's caller
}

// Preview lists the versions that would be erased, whole.
func (r ForgetResult) Preview() []testigo.Version { return r.preview }

// cannotReach is said before every erasure: copies that are not ours to remove.
var cannotReach = []string{
	"transcripts that the agents' hosts keep",
	"backups and copies of the database file",
	"exports made earlier",
	"what an agent has already read",
}

// EraseHash is the leaf data of an erasure record.
func EraseHash(e testigo.Erasure) testigo.Hash { return testigo.BodyHash(nil, canonical.Erasure(e)) }

// PlanForget says what Forget would remove. It changes nothing.
func (s *Service) PlanForget(ctx context.Context, c Caller, p ForgetParams) (ForgetResult, error) {
	project, err := s.Project(ctx, c, p.Project)
	if err != nil {
		return ForgetResult{}, err
	}
	name, err := NewName(project.ID, p.Scope, p.Key)
	if err != nil {
		return ForgetResult{}, err
	}
	var res ForgetResult
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		cur, err := Lookup(ctx, r, project, name, 0)
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			return NotFound(ctx, r, project, name)
		}
		if err != nil {
			return err
		}
		res, err = forgetPlan(ctx, r, cur, p.Versions)
		return err
	})
	return res, err
}

func forgetPlan(ctx context.Context, r testigo.FactReader, cur testigo.Version, numbers []int) (ForgetResult, error) {
	res := ForgetResult{Name: cur.Name.String(), Project: projectField(cur.Name.Project), Versions: []int{}, Outside: cannotReach}
	if len(numbers) == 0 {
		for n := range cur.Number {
			numbers = append(numbers, n+1)
		}
	}
	for _, n := range numbers {
		v, err := r.VersionOf(ctx, cur.Name, n)
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			return res, testigo.Errorf(testigo.CodeNotFound, "%s has no version %d; it has %d", cur.Name, n, cur.Number)
		}
		if err != nil {
			return res, err
		}
		if v.Erased() {
			res.Already = append(res.Already, n)
			continue
		}
		res.Versions = append(res.Versions, n)
		res.preview = append(res.preview, v)
	}
	return res, nil
}

// Forget removes the content of versions everywhere the store keeps it. Hashes stay, so the chain still verifies, and an
// erasure record in the log says who removed what and when. Only a person may call it; the face sees to that.
func (s *Service) Forget(ctx context.Context, c Caller, p ForgetParams) (ForgetResult, error) {
	plan, err := s.PlanForget(ctx, c, p)
	if err != nil || len(plan.Versions) == 0 {
		return plan, err
	}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		for _, v := range plan.preview {
			if err := eraseVersion(ctx, tx, c, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return ForgetResult{}, err
	}
	plan.Done = true
	words, err := s.traces(ctx, plan.preview)
	if err != nil {
		return plan, err
	}
	scrub, err := s.store.Scrub(ctx, words)
	if err != nil {
		return plan, err
	}
	plan.Scrub = &scrub
	return plan, nil
}

func eraseVersion(ctx context.Context, tx testigo.Tx, c Caller, v testigo.Version) error {
	log, err := tx.Log(ctx)
	if err != nil {
		return err
	}
	e := testigo.Erasure{Leaf: log.Size, VersionSeq: v.Seq, Name: v.Name, Number: v.Number, Target: v.Hash, By: c.Agent, At: tx.Now()}
	e.Hash = EraseHash(e)
	if err := tx.Erase(ctx, e); err != nil {
		return err
	}
	if err := tx.SetLog(ctx, witness.Append(log, e.Hash)); err != nil {
		return err
	}
	if v.Session == "" {
		return nil
	}
	// The words of this version also stand in the context of what was written right after it.
	next, err := tx.Neighbours(ctx, v.Author, v.Session, v.Name.Project, v.Seq, true, contextFacts)
	if err != nil {
		return err
	}
	for _, n := range next {
		if !n.Current() || n.Erased() {
			continue
		}
		text, err := indexText(ctx, tx, n)
		if err != nil {
			return err
		}
		if err := tx.PutIndexText(ctx, n.Seq, text); err != nil {
			return err
		}
	}
	return nil
}

// maxTraces bounds how many words the raw files are searched for.
const maxTraces = 64

// traces picks words of the erased content that no current fact holds: only they prove anything when they are found.
func (s *Service) traces(ctx context.Context, erased []testigo.Version) ([]string, error) {
	var words []string
	seen := map[string]bool{}
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		for _, v := range erased {
			name := search.Index(testigo.Version{Name: v.Name}, nil).Body // the name stays
			for _, w := range strings.Fields(search.Index(v, nil).Body) {
				if len(w) < 5 || seen[w] || len(words) >= maxTraces || containsWord(name, w) {
					continue
				}
				seen[w] = true
				found, err := r.Candidates(ctx, testigo.SearchQuery{Terms: []string{w}, Limit: 1})
				if err != nil {
					return err
				}
				if found.Total == 0 {
					words = append(words, w)
				}
			}
		}
		return nil
	})
	return words, err
}

func containsWord(list, w string) bool { return strings.Contains(" "+list+" ", " "+w+" ") }

// Describe puts a plan into one sentence for people.
func (r ForgetResult) Describe() string {
	return fmt.Sprintf("%d of the versions of %s lose value, tags, sources and salt; hashes stay", len(r.Versions), r.Name)
}
