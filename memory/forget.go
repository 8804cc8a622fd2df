package memory

import (
	"context"
	"fmt"
	"slices"
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
	// Searched is how many pieces of the erased content the raw files were searched for; 0 proves nothing.
	Searched int               `json:"searched"`
	Outside  []string          `json:"cannot_reach"`
	preview  []testigo.Version // what would go, for PlanForget's caller
}

// Preview lists the versions that would be erased, whole.
func (r ForgetResult) Preview() []testigo.Version { return r.preview }

// cannotReach is said before every erasure: copies that are not ours to remove.
var cannotReach = []string{
	"the fact's name, in this store and in the packets that pin it",
	"packets, notes and other facts that say the same in their own words",
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
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	for _, n := range numbers {
		v, err := r.VersionOf(ctx, cur.Name, n)
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			return res, testigo.Errorf(testigo.CodeNotFound, "%s has no version %d; it has %d", cur.Name, n, cur.Number).
				WithNext("history %s", cur.Name)
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
	if err != nil {
		return plan, err
	}
	if len(plan.Versions) == 0 { // the rows are done; an earlier run may have been kept from the files
		scrub, err := s.store.Scrub(ctx, nil)
		plan.Scrub = &scrub
		return plan, err
	}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		for _, v := range plan.preview {
			if err := s.eraseVersion(ctx, tx, c, v); err != nil {
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
	plan.Scrub, plan.Searched = &scrub, len(words)
	return plan, nil
}

func (s *Service) eraseVersion(ctx context.Context, tx testigo.Tx, c Caller, v testigo.Version) error {
	log, err := tx.Log(ctx)
	if err != nil {
		return err
	}
	e := testigo.Erasure{Leaf: log.Size, VersionSeq: v.Seq, Name: v.Name, Number: v.Number, Target: v.Hash, By: c.Agent, At: tx.Now()}
	e.Hash = EraseHash(e)
	if err := tx.Erase(ctx, e); err != nil {
		return err
	}
	s.texts.forget(v.Hash)
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
		text, err := s.indexText(ctx, tx, n)
		if err != nil {
			return err
		}
		if err := tx.PutIndexText(ctx, n.Seq, text); err != nil {
			return err
		}
	}
	return nil
}

// What is searched for in the raw files: pieces of traceBytes bytes of what was erased, at most maxTraces of them. Pieces
// of that length are found nowhere else by accident; single words are.
const (
	traceBytes = 24
	maxTraces  = 128
)

// traces picks pieces of the erased content, as rows and as index text hold it, that nothing which stays contains.
func (s *Service) traces(ctx context.Context, erased []testigo.Version) ([]string, error) {
	var pieces []string
	for _, v := range erased {
		pieces = append(pieces, cutPieces(string(v.Value))...)
		pieces = append(pieces, cutPieces(search.Index(v, nil).Body)...)
	}
	if len(pieces) > maxTraces { // spread over everything, not only its beginning
		for i := range maxTraces {
			pieces[i] = pieces[i*len(pieces)/maxTraces]
		}
		pieces = pieces[:maxTraces]
	}
	if len(erased) == 0 {
		return nil, nil
	}
	var kept strings.Builder // other versions of the same fact often share most of their text
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		vs, err := r.Versions(ctx, erased[0].Name, 0, 1000)
		for _, v := range vs {
			kept.WriteString(string(v.Value) + "\n" + search.Index(v, nil).Body + "\n")
		}
		return err
	})
	pieces = slices.DeleteFunc(pieces, func(p string) bool {
		return strings.Contains(kept.String(), p) || strings.Contains(erased[0].Name.String(), p)
	})
	return pieces, err
}

// cutPieces cuts a text into pieces; a short one is a piece itself when it says enough.
func cutPieces(s string) []string {
	if len(s) < traceBytes {
		if s = strings.Trim(s, `"[]{} `); len(s) < 4 {
			return nil
		}
		return []string{s}
	}
	var out []string
	for at := 0; at+traceBytes <= len(s); at += traceBytes {
		out = append(out, s[at:at+traceBytes])
	}
	return out
}

// Describe puts a plan into one sentence for people.
func (r ForgetResult) Describe() string {
	return fmt.Sprintf("%s of %s: value, tags, sources and salt go; the name and the hashes stay", Count(len(r.Versions), "version", "versions"), r.Name)
}
