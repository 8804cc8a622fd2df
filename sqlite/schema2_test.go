package sqlite

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

// sendNow writes a message to an agent the way programs since schema 2 do.
func sendNow(t *testing.T, s *Store, id, to string) {
	t.Helper()
	err := s.Write(t.Context(), func(w testigo.Tx) error {
		return w.PutHandoff(t.Context(), testigo.Handoff{Seq: w.NextSeq(), ID: id, Kind: testigo.KindMessage, State: testigo.Open,
			From: "scout", To: to, Thread: id, CreatedAt: w.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// enrolNow takes a handoff up as an engine does.
func enrolNow(t *testing.T, s *Store, id string) {
	t.Helper()
	err := s.Write(t.Context(), func(w testigo.Tx) error {
		return w.PutDelivery(t.Context(), testigo.Delivery{ID: id, Recipient: "executor", RequestID: "r", State: testigo.Waiting,
			CreatedAt: w.Now(), UpdatedAt: w.Now(), NextCheck: w.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func unenrolledOf(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	if err := s.Read(t.Context(), func(r testigo.Reader) error {
		list, err := r.Unenrolled(t.Context(), time.Now(), 100)
		for _, h := range list {
			ids = append(ids, h.ID)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// fill2 puts at least one row into every table that schema 2 brought, and gives executor an address.
func (p *older) fill2(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	err := p.Write(ctx, func(w testigo.Tx) error {
		return errors.Join(
			w.PutAgent(ctx, testigo.Agent{Name: "executor", Provider: "codex", Endpoint: "thread", AddressedAt: w.Now()}),
			w.PutConnection(ctx, testigo.Connection{Sender: "scout", Recipient: "executor", Allow: true, UpdatedAt: w.Now()}),
			w.PutSetting(ctx, "hops", []byte(`3`)),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	sendNow(t, p.Store, "h_one", "executor")
	sendNow(t, p.Store, "h_two", "executor")
	sendNow(t, p.Store, "h_inbox", "keeper")
}

// A store of schema 2 is migrated with all of its rows, and an engine takes up what was sent to an address before.
func TestSchema2IsMigrated(t *testing.T) {
	t.Parallel()
	path := newSchema(t, 2)
	old := openOlderAs(t, path, "schema2")
	old.fill2(t)
	columns := columnsOf(t, old.db)
	delete(columns, "store") // its schema is what changes
	before := contents(t, old.db, columns)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}

	s := reopen(t, path, Options{})
	if diff := cmp.Diff(before, contents(t, s.db, columns)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	info, err := s.Info(t.Context())
	if err != nil || info.Schema != 3 || info.ID != "a store of schema 2" {
		t.Errorf("info %+v, %v", info, err)
	}
	var breaks int
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&breaks); err != nil || breaks != 1 {
		t.Errorf("user_version %d, %v", breaks, err)
	}
	if ids := unenrolledOf(t, s); !slices.Equal(ids, []string{"h_one", "h_two"}) {
		t.Errorf("unenrolled: %q", ids)
	}
}

// A program of schema 2 that had the store open before the migration goes on: what it sends is delivered, and what it does
// to a handoff that was enrolled does not enrol it again.
func TestProgramOfSchema2GoesOn(t *testing.T) {
	t.Parallel()
	path := newSchema(t, 2)
	old := openOlderAs(t, path, "schema2")
	old.fill2(t)
	s := reopen(t, path, Options{})
	enrolNow(t, s, "h_one")

	sendNow(t, old.Store, "h_late", "executor")
	if ids := unenrolledOf(t, s); !slices.Equal(ids, []string{"h_two", "h_late"}) {
		t.Errorf("unenrolled: %q", ids)
	}
	for _, id := range []string{"h_one", "h_two"} { // taken and put back, unread
		h := handoffOf(t, s, id)
		back := h
		h.State, h.Claim = testigo.Claimed, testigo.Claim{Agent: "executor", Session: "s", Generation: 1, At: h.CreatedAt, RenewedAt: h.CreatedAt}
		back.Claim.Generation = 1
		err := old.Write(t.Context(), func(w testigo.Tx) error {
			return errors.Join(w.MoveHandoff(t.Context(), h, testigo.Open, 0), w.MoveHandoff(t.Context(), back, testigo.Claimed, 1))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ids := unenrolledOf(t, s); !slices.Equal(ids, []string{"h_two", "h_late"}) {
		t.Errorf("unenrolled after the older program put them back: %q", ids)
	}
	read := handoffOf(t, s, "h_late")
	read.ReadAt = time.Now()
	if err := old.Write(t.Context(), func(w testigo.Tx) error { return w.MoveHandoff(t.Context(), read, testigo.Open, 0) }); err != nil {
		t.Fatal(err)
	}
	if ids := unenrolledOf(t, s); !slices.Equal(ids, []string{"h_two"}) {
		t.Errorf("unenrolled after the older program read one: %q", ids)
	}
	if ids := idsOf(t, old.Store, testigo.HandoffFilter{To: "executor", Newest: true}); !slices.Equal(ids, []string{"h_late", "h_two", "h_one"}) {
		t.Errorf("the older program lists %q", ids)
	}
	if info, _ := old.Info(t.Context()); info.Schema != 2 {
		t.Errorf("the older program believes in schema %d", info.Schema)
	}
}
