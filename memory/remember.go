package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
	"github.com/testigo/testigo/witness"
	"github.com/testigo/testigo/workspace"
)

// RememberParams are the arguments of remember.
type RememberParams struct {
	Project    string           `json:"project,omitempty"`
	Scope      string           `json:"scope"`
	Key        string           `json:"key"`
	Value      json.RawMessage  `json:"value"`
	Tags       []string         `json:"tags,omitempty"`
	Confidence *float64         `json:"confidence,omitempty"`
	Sources    []testigo.Source `json:"sources,omitempty"`
	// ExpectedVersion makes the write conditional: the fact's current version, or 0 for "must not exist".
	ExpectedVersion *int   `json:"expected_version,omitempty"`
	RequestKey      string `json:"request_key,omitempty"`
}

// RememberResult says what is now stored.
type RememberResult struct {
	Name       string  `json:"name"`
	Project    *string `json:"project"`
	Version    int     `json:"version"`
	Confidence float64 `json:"confidence"`
	Hash       string  `json:"hash"`
	// Unchanged: an equal value was already current, and is now confirmed by the caller.
	Unchanged bool `json:"unchanged,omitempty"`
	// Repeated: this request key was answered before; nothing was done now.
	Repeated   bool     `json:"repeated,omitempty"`
	Superseded int      `json:"superseded_version,omitempty"`
	Redacted   Redacted `json:"redacted,omitempty"`
	Notes      []string `json:"notes,omitempty"`
}

// draft is a checked write, ready for the transaction.
type draft struct {
	name    testigo.Name
	value   []byte
	tags    []string
	sources []testigo.Source
	params  RememberParams
	content testigo.Hash
	gate    Gate
}

// Remember stores a value as a fact's new current version, durably. An equal value adds no version. Errors: invalid for
// an argument, refused for a secret, conflict when the expected version or a request key does not match.
func (s *Service) Remember(ctx context.Context, c Caller, p RememberParams) (RememberResult, error) {
	d, err := s.draft(ctx, c, p)
	if err != nil {
		return RememberResult{}, err
	}
	salt := make([]byte, testigo.SaltBytes)
	if _, err := io.ReadFull(s.random, salt); err != nil {
		return RememberResult{}, err
	}
	var res RememberResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		var err error
		if res, err = s.write(ctx, tx, c, d, salt); err != nil {
			return err
		}
		c.Seen.Add(d.name, res.Version, tx.Now())
		done, err = CheckIn(ctx, tx, c)
		return err
	})
	if err != nil {
		return RememberResult{}, err
	}
	done()
	res.Redacted = d.gate.Found()
	res.Notes = append(res.Notes, s.Warnings(ctx)...)
	return res, nil
}

// draft checks the arguments and does everything that needs no transaction.
func (s *Service) draft(ctx context.Context, c Caller, p RememberParams) (*draft, error) {
	project, err := s.Project(ctx, c, p.Project)
	if err != nil {
		return nil, err
	}
	if p.Project == "*" {
		return nil, testigo.Invalid("project", "a fact belongs to one project, or to none")
	}
	d := &draft{params: p}
	if d.name, err = NewName(project.ID, p.Scope, p.Key); err != nil {
		return nil, err
	}
	if err := d.gate.Clean("key", d.name.String()); err != nil {
		return nil, err
	}
	if d.tags, err = d.cleanTags(p.Tags); err != nil {
		return nil, err
	}
	if err := checkConfidence(p.Confidence); err != nil {
		return nil, err
	}
	if p.ExpectedVersion != nil && *p.ExpectedVersion < 0 {
		return nil, testigo.Invalid("expected_version", "must be 0 (must not exist) or a version number")
	}
	if err := CheckRequestKey("request_key", p.RequestKey); err != nil {
		return nil, err
	}
	value, err := canonical.Value("value", p.Value)
	if err != nil {
		return nil, err
	}
	clean, err := d.gate.JSON("value", value)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(clean, value) { // a redacted name may sort elsewhere
		if clean, err = canonical.Value("value", clean); err != nil {
			return nil, err
		}
	}
	d.value = clean
	if len(p.Sources) > 0 {
		if d.sources, err = workspace.CheckSources(project.Root, p.Sources); err != nil {
			return nil, err
		}
	}
	d.content = contentHash(d)
	return d, nil
}

func (d *draft) cleanTags(tags []string) ([]string, error) {
	if len(tags) > testigo.MaxTags {
		return nil, testigo.Invalid("tags", "has %d tags; at most %d are allowed", len(tags), testigo.MaxTags)
	}
	var out []string
	for _, t := range tags {
		if err := d.gate.Clean("tags", t); err != nil { // as written: many rules know capitals
			return nil, err
		}
		t = strings.ToLower(norm.NFC.String(strings.TrimSpace(t)))
		switch {
		case t == "":
			return nil, testigo.Invalid("tags", "a tag must not be empty")
		case !utf8.ValidString(t):
			return nil, testigo.Invalid("tags", "must be valid UTF-8")
		case utf8.RuneCountInString(t) > testigo.MaxTagLen:
			return nil, testigo.Invalid("tags", "a tag has %d characters; at most %d are allowed", utf8.RuneCountInString(t), testigo.MaxTagLen)
		}
		if r, bad := testigo.HasHidden(t); bad {
			return nil, testigo.Invalid("tags", "a tag contains the control or direction character U+%04X", r)
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, nil
}

func checkConfidence(c *float64) error {
	if c != nil && !(*c >= 0 && *c <= 1) { // also refuses NaN
		return testigo.Invalid("confidence", "must be between 0 and 1")
	}
	return nil
}

// CheckRequestKey checks an optional request key under the argument name field.
func CheckRequestKey(field, key string) error {
	if key == "" {
		return nil
	}
	if _, err := OneLine(field, key, testigo.MaxRequestKeyLen); err != nil {
		return err
	}
	return (&Gate{}).Clean(field, key)
}

// contentHash covers everything the caller asked for, so that a request key used for something else is noticed.
func contentHash(d *draft) testigo.Hash {
	b, err := json.Marshal([]any{d.name, string(d.value), d.tags, d.sources, d.params.Confidence, d.params.ExpectedVersion})
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return testigo.BodyHash(nil, b)
}

// write is the transaction of remember: request key, then unchanged, then expected version, then append.
func (s *Service) write(ctx context.Context, tx testigo.Tx, c Caller, d *draft, salt []byte) (RememberResult, error) {
	if d.params.RequestKey != "" {
		if res, found, err := answered(ctx, tx, c, d); found || err != nil {
			return res, err
		}
	}
	head, err := tx.Current(ctx, d.name)
	exists := err == nil
	if err != nil && testigo.CodeOf(err) != testigo.CodeNotFound {
		return RememberResult{}, err
	}
	var res RememberResult
	switch {
	case exists && sameContent(head, d):
		res, err = confirm(ctx, tx, c, d, head)
	case d.params.ExpectedVersion != nil && *d.params.ExpectedVersion != head.Number:
		return res, versionConflict(tx, d, head, exists)
	default:
		res, err = s.appendVersion(ctx, tx, c, d, head, exists, salt)
	}
	if err != nil || d.params.RequestKey == "" {
		return res, err
	}
	return res, keepAnswer(ctx, tx, c, d, res)
}

func sameContent(v testigo.Version, d *draft) bool {
	if v.Erased() || !bytes.Equal(v.Value, d.value) || !slices.Equal(v.Tags, d.tags) {
		return false
	}
	return slices.EqualFunc(v.Sources, d.sources, func(a, b testigo.Source) bool {
		return a.Path == b.Path && a.SHA256 == b.SHA256 && a.Commit == b.Commit
	})
}

// confirm records that the caller holds the same value true; a confidence given with it is an opinion on the version.
func confirm(ctx context.Context, tx testigo.Tx, c Caller, d *draft, head testigo.Version) (RememberResult, error) {
	if err := tx.SetConfirmed(ctx, head.Seq, c.Agent, tx.Now()); err != nil {
		return RememberResult{}, err
	}
	res := result(head)
	res.Unchanged = true
	if d.params.Confidence == nil {
		return res, nil
	}
	res.Confidence = *d.params.Confidence
	if res.Confidence != head.Confidence {
		res.Notes = append(res.Notes, fmt.Sprintf("the confidence moved from %.2f to %.2f, as an opinion of yours", head.Confidence, res.Confidence))
	}
	if err := tx.SetOpinion(ctx, head.Seq, res.Confidence, head.Counts); err != nil {
		return res, err
	}
	return res, tx.PutOutcome(ctx, testigo.Outcome{Seq: tx.NextSeq(), VersionSeq: head.Seq,
		Pin: testigo.Pin{Name: head.Name, Version: head.Number}, OutcomeRef: "remember", Agent: c.Agent, Session: c.Session,
		At: tx.Now(), Before: head.Confidence, After: res.Confidence})
}

func (s *Service) appendVersion(ctx context.Context, tx testigo.Tx, c Caller, d *draft, head testigo.Version, exists bool, salt []byte) (RememberResult, error) {
	log, err := tx.Log(ctx)
	if err != nil {
		return RememberResult{}, err
	}
	v := testigo.Version{
		Seq: tx.NextSeq(), Name: d.name, Number: head.Number + 1, Value: d.value, Tags: d.tags, Sources: d.sources,
		Confidence: testigo.DefaultConfidence, Author: c.Agent, Session: c.Session, CreatedAt: tx.Now(),
		Salt: salt, PrevHash: head.Hash, Leaf: log.Size,
	}
	if d.params.Confidence != nil {
		v.Confidence = *d.params.Confidence
	}
	v.BodyHash = testigo.BodyHash(salt, canonical.Body(v))
	v.Hash = testigo.LinkHash(v.PrevHash, v.BodyHash)
	text, err := s.indexText(ctx, tx, v)
	if err != nil {
		return RememberResult{}, err
	}
	if err := tx.PutVersion(ctx, v, text); err != nil {
		return RememberResult{}, err
	}
	if err := tx.SetLog(ctx, witness.Append(log, v.Hash)); err != nil {
		return RememberResult{}, err
	}
	res := result(v)
	res.Superseded = head.Number
	res.Notes = dropped(head, v)
	if exists || d.name.Project == testigo.NoProject {
		return res, nil
	}
	shared := testigo.Name{Scope: d.name.Scope, Key: d.name.Key}
	switch _, err := tx.Current(ctx, shared); testigo.CodeOf(err) {
	case "":
		res.Notes = append(res.Notes, `a fact of this name that all projects share exists too; it was not changed (project "none" names it)`)
	case testigo.CodeNotFound:
	default:
		return res, err
	}
	return res, nil
}

// dropped says what the version before had and the new one has not: nothing is inherited, which a writer may not expect.
func dropped(old, now testigo.Version) []string {
	var notes []string
	if len(old.Tags) > 0 && len(now.Tags) == 0 {
		notes = append(notes, fmt.Sprintf("version %d had the tags %s; this one has none", old.Number, strings.Join(old.Tags, ", ")))
	}
	if len(old.Sources) > 0 && len(now.Sources) == 0 {
		notes = append(notes, fmt.Sprintf("version %d cited %s; this one cites none", old.Number, Count(len(old.Sources), "source", "sources")))
	}
	return notes
}

// contextFacts is how many facts written just before lend their words to a new one: two gave almost the whole gain of
// a context column in the search study.
const contextFacts = 2

// indexText makes the searchable form of v with its context: what the same agent wrote just before in the same session
// and project, so that nothing crosses a border and erasure can find it again.
func (s *Service) indexText(ctx context.Context, r testigo.FactReader, v testigo.Version) (testigo.IndexText, error) {
	if v.Session == "" {
		return s.texts.of(v, nil), nil
	}
	before, err := r.Neighbours(ctx, v.Author, v.Session, v.Name.Project, v.Seq, false, contextFacts)
	if err != nil {
		return testigo.IndexText{}, err
	}
	texts := make([]testigo.IndexText, 0, len(before))
	for _, b := range before {
		if !b.Erased() && b.Name != v.Name {
			texts = append(texts, s.texts.plain(b))
		}
	}
	return s.texts.of(v, texts), nil
}

func result(v testigo.Version) RememberResult {
	return RememberResult{Name: v.Name.String(), Project: projectField(v.Name.Project), Version: v.Number,
		Confidence: v.Confidence, Hash: v.Hash.String()}
}

func versionConflict(tx testigo.Tx, d *draft, head testigo.Version, exists bool) error {
	if !exists {
		return testigo.Errorf(testigo.CodeConflict, "%s does not exist, so it has no version %d; nothing was written", d.name, *d.params.ExpectedVersion).
			WithNext("remember with expected_version 0, or without it")
	}
	e := testigo.Errorf(testigo.CodeConflict, "%s is at version %d (by %s), not %d; nothing was written",
		d.name, head.Number, head.Author, *d.params.ExpectedVersion)
	return e.WithData(map[string]any{"current": view(head, tx.Now(), listValueBytes)}).
		WithNext("read the current value, merge, then remember with expected_version %d", head.Number)
}

// answered looks a request key up.
func answered(ctx context.Context, tx testigo.Tx, c Caller, d *draft) (RememberResult, bool, error) {
	req, err := tx.Request(ctx, c.Agent, d.params.RequestKey)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return RememberResult{}, false, nil
	}
	if err != nil {
		return RememberResult{}, false, err
	}
	if len(req.Result) == 0 {
		return RememberResult{}, true, testigo.Errorf(testigo.CodeGone, "what request_key %q stored was erased on request; nothing was written", d.params.RequestKey).
			WithNext("use a new request_key to store a new value")
	}
	if req.Tool != "remember" || req.Content != d.content {
		return RememberResult{}, true, RequestConflict(d.params.RequestKey, req.Tool)
	}
	var res RememberResult
	if err := json.Unmarshal(req.Result, &res); err != nil {
		return res, true, errors.Join(testigo.Errorf(testigo.CodeDamaged, "the kept answer of a request key cannot be read"), err)
	}
	res.Repeated = true
	return res, true, nil
}

// RequestConflict is the error for a request key that was used for something else.
func RequestConflict(key, tool string) error {
	return testigo.Errorf(testigo.CodeConflict, "the key %q was used before for a %s with other content; nothing was written", key, tool).
		WithNext("use a new key for a new request")
}

func keepAnswer(ctx context.Context, tx testigo.Tx, c Caller, d *draft, res RememberResult) error {
	b, err := json.Marshal(res)
	if err != nil {
		return err
	}
	v, err := tx.VersionOf(ctx, d.name, res.Version)
	if err != nil {
		return err
	}
	return tx.PutRequest(ctx, testigo.Request{Agent: c.Agent, Key: d.params.RequestKey, Tool: "remember",
		Content: d.content, Result: b, VersionSeq: v.Seq, At: tx.Now()})
}

func projectField(id string) *string {
	if id == testigo.NoProject {
		return nil
	}
	return &id
}
