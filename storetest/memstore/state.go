package memstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/testigo/testigo"
)

// state is everything the store holds at one moment. Copying it takes a snapshot; rows behind pointers are never changed,
// only replaced.
type state struct {
	seq int64
	log testigo.LogState

	versions table[int64, *testigo.Version] // by Seq
	numbers  table[testigo.Pin, int64]      // to the Seq
	heads    table[testigo.Name, head]
	docs     table[int64, *doc] // index texts of current versions by Seq
	said     table[saidKey, int64]
	leaves   table[int64, leafRef]         // by position
	erasures table[int64, testigo.Erasure] // by the version's Seq

	outcomes table[outcomeKey, *testigo.Outcome]
	touched  table[touchKey, touch]
	agents   table[string, testigo.Agent]
	settings table[string, json.RawMessage]
	requests table[requestKey, *testigo.Request]
	events   table[eventKey, *testigo.Event]

	handoffs table[int64, *testigo.Handoff] // by Seq
	pending  table[int64, *testigo.Handoff] // those of them in a state that something follows
	ids      table[string, int64]
	sent     table[sentKey, int64]

	connections table[connectionKey, testigo.Connection]

	deliveries deliveryTables
}

func newState() *state {
	return &state{
		versions: newTable[int64, *testigo.Version](cmp.Compare[int64]),
		numbers:  newTable[testigo.Pin, int64](comparePins),
		heads:    newTable[testigo.Name, head](compareNames),
		docs:     newTable[int64, *doc](cmp.Compare[int64]),
		said:     newTable[saidKey, int64](saidKey.compare),
		leaves:   newTable[int64, leafRef](cmp.Compare[int64]),
		erasures: newTable[int64, testigo.Erasure](cmp.Compare[int64]),
		outcomes: newTable[outcomeKey, *testigo.Outcome](outcomeKey.compare),
		touched:  newTable[touchKey, touch](touchKey.compare),
		agents:   newTable[string, testigo.Agent](strings.Compare),
		settings: newTable[string, json.RawMessage](strings.Compare),
		requests: newTable[requestKey, *testigo.Request](requestKey.compare),
		events:   newTable[eventKey, *testigo.Event](eventKey.compare),
		handoffs: newTable[int64, *testigo.Handoff](cmp.Compare[int64]),
		pending:  newTable[int64, *testigo.Handoff](cmp.Compare[int64]),
		ids:      newTable[string, int64](strings.Compare),
		sent:     newTable[sentKey, int64](sentKey.compare),

		connections: newTable[connectionKey, testigo.Connection](connectionKey.compare),

		deliveries: newDeliveryTables(),
	}
}

// head is what is remembered of a fact beside its versions, and where its current version is.
type head struct {
	testigo.Head
	seq int64
}

// touch carries the order in which it was put: lists never follow a clock.
type touch struct {
	testigo.Touch
	order int64
}

// leafRef says whose leaf a position of the log is: a version's, or its erasure's.
type leafRef struct {
	versionSeq int64
	erasure    bool
}

// The keys below begin with what is asked for and end with the Seq that orders the answer.

type saidKey struct {
	author, session, project string
	seq                      int64
}

func (a saidKey) compare(b saidKey) int {
	return cmp.Or(strings.Compare(a.author, b.author), strings.Compare(a.session, b.session),
		strings.Compare(a.project, b.project), cmp.Compare(a.seq, b.seq))
}

// by drops the sequence number.
func (a saidKey) by() saidKey { a.seq = 0; return a }

type outcomeKey struct{ version, seq int64 }

func (a outcomeKey) compare(b outcomeKey) int {
	return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.seq, b.seq))
}

type touchKey struct {
	agent, session string
	name           testigo.Name
}

func (a touchKey) compare(b touchKey) int {
	return cmp.Or(strings.Compare(a.agent, b.agent), strings.Compare(a.session, b.session), compareNames(a.name, b.name))
}

type requestKey struct{ agent, key string }

func (a requestKey) compare(b requestKey) int {
	return cmp.Or(strings.Compare(a.agent, b.agent), strings.Compare(a.key, b.key))
}

type connectionKey struct{ sender, recipient string }

func (a connectionKey) compare(b connectionKey) int {
	return cmp.Or(strings.Compare(a.sender, b.sender), strings.Compare(a.recipient, b.recipient))
}

type eventKey struct {
	subject string
	seq     int64
}

func (a eventKey) compare(b eventKey) int {
	return cmp.Or(strings.Compare(a.subject, b.subject), cmp.Compare(a.seq, b.seq))
}

type sentKey struct {
	from, session string
	content       testigo.Hash
	seq           int64
}

func (a sentKey) compare(b sentKey) int {
	return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.session, b.session),
		bytes.Compare(a.content[:], b.content[:]), cmp.Compare(a.seq, b.seq))
}

func compareNames(a, b testigo.Name) int {
	return cmp.Or(strings.Compare(a.Project, b.Project), strings.Compare(a.Scope, b.Scope), strings.Compare(a.Key, b.Key))
}

func comparePins(a, b testigo.Pin) int {
	return cmp.Or(compareNames(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
}
