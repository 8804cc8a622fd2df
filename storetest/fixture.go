package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/testigo/testigo"
)

// fixture is one test with a store of its own.
type fixture struct {
	*testing.T
	ctx     context.Context
	store   testigo.Store
	clock   *Clock
	open    Opener
	options Options
	rooms   int // how often furnish was called
}

func newFixture(t *testing.T, open Opener, o Options) *fixture {
	clock := NewClock()
	o.Place, o.Clock = t.TempDir(), clock.Now
	f := &fixture{T: t, ctx: context.Background(), clock: clock, open: open, options: o}
	f.store = f.another()
	return f
}

// another opens one more handle on the same store.
func (f *fixture) another() testigo.Store {
	f.Helper()
	s := f.open(f.T, f.options)
	f.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.Errorf("closing: %v", err)
		}
	})
	return s
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// want fails unless err carries code.
func (f *fixture) want(code testigo.Code, err error) {
	f.Helper()
	if testigo.CodeOf(err) != code {
		f.Fatalf("got error %v (code %q), want code %q", err, testigo.CodeOf(err), code)
	}
}

// write runs fn in a transaction that has to succeed.
func (f *fixture) write(fn func(tx testigo.Tx) error) {
	f.Helper()
	f.must(f.store.Write(f.ctx, fn))
}

// read asks one question that has to have an answer.
func read[T any](f *fixture, ask func(r testigo.Reader) (T, error)) T {
	f.Helper()
	return readFrom(f, f.store, ask)
}

func readFrom[T any](f *fixture, s testigo.Store, ask func(r testigo.Reader) (T, error)) T {
	f.Helper()
	var answer T
	f.must(s.Read(f.ctx, func(r testigo.Reader) (err error) {
		answer, err = ask(r)
		return err
	}))
	return answer
}

// refused asks one question whose answer has to be an error with this code.
func (f *fixture) refused(code testigo.Code, ask func(r testigo.Reader) error) {
	f.Helper()
	f.want(code, f.store.Read(f.ctx, ask))
}

// equal compares what a store answered with what it was given. Nil and empty lists are the same, times are instants.
func equal[T any](f *fixture, what string, got, want T) {
	f.Helper()
	if diff := cmp.Diff(want, got, sameness); diff != "" {
		f.Fatalf("%s differs (-want +got):\n%s", what, diff)
	}
}

var sameness = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9)}

// draft is a version on its way into a store.
type draft struct {
	testigo.Version
	text testigo.IndexText
}

type edit func(*draft)

func body(terms string) edit   { return func(d *draft) { d.text.Body = terms } }
func around(terms string) edit { return func(d *draft) { d.text.Context = terms } }
func filter(terms string) edit { return func(d *draft) { d.text.Filter = terms } }
func by(author, session string) edit {
	return func(d *draft) { d.Author, d.Session = author, session }
}
func confidence(c float64) edit { return func(d *draft) { d.Confidence = c } }
func value(json string) edit    { return func(d *draft) { d.Value = []byte(json) } }

// remember writes the next version of a fact the way the use case does: chained, logged and indexed.
func remember(ctx context.Context, tx testigo.Tx, n testigo.Name, edits ...edit) (testigo.Version, error) {
	prev, err := tx.Current(ctx, n)
	if err != nil && testigo.CodeOf(err) != testigo.CodeNotFound {
		return prev, err
	}
	log, err := tx.Log(ctx)
	if err != nil {
		return prev, err
	}
	d := draft{Version: testigo.Version{
		Seq: tx.NextSeq(), Name: n, Number: prev.Number + 1,
		Value: json.RawMessage(`"something"`), Confidence: testigo.DefaultConfidence,
		Author: "scout", Session: "morning", CreatedAt: tx.Now(),
		Salt: []byte("0123456789abcdef"), PrevHash: prev.Hash, Leaf: log.Size,
	}}
	for _, e := range edits {
		e(&d)
	}
	d.BodyHash = testigo.BodyHash(d.Salt, fmt.Append(nil, n, d.Number, string(d.Value)))
	d.Hash = testigo.LinkHash(d.PrevHash, d.BodyHash)
	if err := tx.PutVersion(ctx, d.Version, d.text); err != nil {
		return d.Version, err
	}
	return d.Version, appendLog(ctx, tx, d.Hash)
}

// appendLog moves the log's state by one leaf. Stores keep the state and do not compute it, so that any hashes serve.
func appendLog(ctx context.Context, tx testigo.Tx, leaf testigo.Hash) error {
	log, err := tx.Log(ctx)
	if err != nil {
		return err
	}
	log.Size++
	log.Frontier = append(log.Frontier, leaf)
	log.Root = testigo.LinkHash(log.Root, leaf)
	return tx.SetLog(ctx, log)
}

// remembered is remember in a transaction of its own.
func (f *fixture) remembered(n testigo.Name, edits ...edit) testigo.Version {
	f.Helper()
	var v testigo.Version
	f.write(func(tx testigo.Tx) (err error) {
		v, err = remember(f.ctx, tx, n, edits...)
		return err
	})
	return v
}

// forget erases a version the way the use case does.
func forget(ctx context.Context, tx testigo.Tx, v testigo.Version) (testigo.Erasure, error) {
	log, err := tx.Log(ctx)
	if err != nil {
		return testigo.Erasure{}, err
	}
	e := testigo.Erasure{Leaf: log.Size, VersionSeq: v.Seq, Name: v.Name, Number: v.Number, Target: v.Hash,
		By: "person:keeper", At: tx.Now(), Hash: sha256.Sum256(fmt.Append(nil, "erasure of ", v.Hash))}
	if err := tx.Erase(ctx, e); err != nil {
		return e, err
	}
	return e, appendLog(ctx, tx, e.Hash)
}

func (f *fixture) current(n testigo.Name) testigo.Version {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Version, error) { return r.Current(f.ctx, n) })
}

func (f *fixture) version(n testigo.Name, number int) testigo.Version {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Version, error) { return r.VersionOf(f.ctx, n, number) })
}

func (f *fixture) versions(n testigo.Name, after, limit int) []testigo.Version {
	f.Helper()
	return read(f, func(r testigo.Reader) ([]testigo.Version, error) { return r.Versions(f.ctx, n, after, limit) })
}

func (f *fixture) search(q testigo.SearchQuery) testigo.Candidates {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Candidates, error) { return r.Candidates(f.ctx, q) })
}

func (f *fixture) handoff(id string) testigo.Handoff {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Handoff, error) { return r.Handoff(f.ctx, id) })
}

// fact names a fact of a project.
func fact(project, scope, key string) testigo.Name {
	return testigo.Name{Project: project, Scope: scope, Key: key}
}

// numbers lists what a list of versions consists of.
func numbers(list []testigo.Version) []int {
	var n []int
	for _, v := range list {
		n = append(n, v.Number)
	}
	return n
}
