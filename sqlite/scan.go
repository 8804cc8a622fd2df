package sqlite

import (
	"database/sql"
	"encoding/json"
	"time"

	"github.com/testigo/testigo"
)

// versionRow receives the columns of fragment "version", and of "candidate" when text is wanted. It is used for all rows of
// an answer, so that a row costs what it keeps and no more.
type versionRow struct {
	v                             testigo.Version
	fact                          int64
	value, tags, sources          sql.RawBytes
	created                       int64
	superseded, confirmed, erased sql.NullInt64
	confirmedBy                   sql.NullString
	salt, prev, body, hash        sql.RawBytes
	text                          testigo.IndexText
	dest                          [30]any
	// lenient rows go on without what cannot be read; bad names it.
	lenient bool
	bad     parts
}

func newVersionRow() *versionRow {
	r := &versionRow{}
	v := &r.v
	r.dest = [30]any{&v.Name.Project, &v.Name.Scope, &v.Name.Key, &v.Seq, &r.fact, &v.Number, &v.Author, &v.Session,
		&r.value, &r.tags, &r.sources, &v.Confidence, &v.Counts.Success, &v.Counts.MinorFailure, &v.Counts.Failure,
		&v.Counts.CriticalFailure, &v.Counts.Unknown, &r.created, &r.superseded, &r.confirmed, &r.confirmedBy, &r.erased,
		&r.salt, &r.prev, &r.body, &r.hash, &v.Leaf, &r.text.Filter, &r.text.Body, &r.text.Context}
	return r
}

// scan reads the next version.
func (r *versionRow) scan(rows *sql.Rows) (testigo.Version, error) { return r.read(rows, 27) }

// scanCandidate reads the next version with its index text.
func (r *versionRow) scanCandidate(rows *sql.Rows) (testigo.Candidate, error) {
	v, err := r.read(rows, 30)
	return testigo.Candidate{Version: v, Text: r.text}, err
}

func (r *versionRow) read(rows *sql.Rows, columns int) (testigo.Version, error) {
	if err := scan(rows, r.dest[:columns]...); err != nil {
		return testigo.Version{}, err
	}
	v := r.v
	r.bad = nil
	v.Value, v.Tags, v.Sources, v.Salt = nil, nil, nil, nil
	if r.value != nil {
		v.Value = r.bad.raw("value", append(json.RawMessage{}, r.value...))
	}
	parseInto(&r.bad, "tags", r.tags, &v.Tags)
	if len(r.sources) > 0 && unmarshalSources(r.sources, &v.Sources) != nil {
		v.Sources, r.bad = nil, append(r.bad, "sources")
	}
	if r.salt != nil {
		v.Salt = append([]byte{}, r.salt...)
	}
	v.CreatedAt = r.bad.time("time of writing", sql.NullInt64{Int64: r.created, Valid: true})
	v.SupersededAt = r.bad.time("time of the version after it", r.superseded)
	v.ConfirmedAt = r.bad.time("time of confirmation", r.confirmed)
	v.ErasedAt = r.bad.time("time of erasure", r.erased)
	v.ConfirmedBy = r.confirmedBy.String
	// A hash that is not as long as a hash is damage, which verification finds by its value.
	copyHash(&v.PrevHash, r.prev)
	copyHash(&v.BodyHash, r.body)
	copyHash(&v.Hash, r.hash)
	if len(r.bad) > 0 && !r.lenient {
		return v, unreadableRow(v.Name.Ref(v.Number), r.bad.String(), nil)
	}
	return v, nil
}

func copyHash(h *testigo.Hash, b []byte) {
	*h = testigo.Hash{}
	copy(h[:], b)
}

// sourceRow is a source as it is stored: with the hints of this machine, which the domain keeps out of its JSON.
type sourceRow struct {
	testigo.Source
	Size    int64 `json:"size,omitempty"`
	ModTime int64 `json:"mtime,omitempty"` // ms
}

func marshalSources(list []testigo.Source) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rows := make([]sourceRow, len(list))
	for i, s := range list {
		rows[i] = sourceRow{Source: s, Size: s.Size}
		if !s.ModTime.IsZero() {
			rows[i].ModTime = s.ModTime.UnixMilli()
		}
	}
	return marshal(rows)
}

func unmarshalSources(b []byte, list *[]testigo.Source) error {
	var rows []sourceRow
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	*list = make([]testigo.Source, len(rows))
	for i, r := range rows {
		(*list)[i] = r.Source
		(*list)[i].Size = r.Size
		if r.ModTime != 0 {
			(*list)[i].ModTime = time.UnixMilli(r.ModTime).UTC()
		}
	}
	return nil
}

// marshal is JSON text for a column.
func marshal(x any) (string, error) {
	b, err := json.Marshal(x)
	return string(b), err
}

// marshalList is JSON text for a list, NULL for an empty one.
func marshalList[T any](list []T) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return marshal(list)
}

// unmarshalOr reads a JSON column that may be NULL.
func unmarshalOr(b []byte, dest any) error {
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, dest)
}

// jsonText is a JSON value for a text column; NULL for none.
func jsonText(b json.RawMessage) any {
	if b == nil {
		return nil
	}
	return string(b)
}
