package command

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// Options say where a provider works.
type Options struct {
	// Runs is the folder of run files, <db>.runs.
	Runs string
	// DB is the store that turns work with, as they are told.
	DB string
	// Environ is the engine's environment, os.Environ() when nil.
	Environ []string
	// CallbackURL is where endpoints report; the request id is appended. Without it no target may ask for callback.
	CallbackURL string
	// Self, Grace and Drain are passed to supervise.Start.
	Self         []string
	Grace, Drain time.Duration
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// Provider runs programs and posts to URLs.
type Provider struct{ o Options }

var _ testigo.Provider = (*Provider)(nil)

// New returns a provider. It makes nothing before the first Start.
func New(o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	return &Provider{o}
}

// Activity is that of the target's latest turn; a target without one is idle, and so is one with broken settings: Prepare says
// what is wrong with them.
func (p *Provider) Activity(ctx context.Context, t testigo.Target) (testigo.Activity, error) {
	s, err := parse(t.Settings)
	if err != nil {
		return testigo.Activity{State: testigo.TurnFinished}, nil //nolint:nilerr // Prepare reports it
	}
	request := p.latest(targetKey(t))
	if request == "" {
		return testigo.Activity{State: testigo.TurnFinished}, nil
	}
	st, err := supervise.Look(supervise.RunFile(p.o.Runs, request))
	if errors.Is(err, fs.ErrNotExist) {
		return testigo.Activity{State: testigo.TurnFinished}, nil
	}
	if err != nil {
		return testigo.Activity{State: testigo.TurnUnknown}, err
	}
	if s.url != nil {
		return p.postActivity(ctx, s, st), nil
	}
	return testigo.Activity{State: turnState(st), TurnID: runTurn(request)}, nil
}

// Prepare checks the settings, the folder and the program, or the files with secrets.
func (p *Provider) Prepare(_ context.Context, t testigo.Target) error {
	s, err := parse(t.Settings)
	if err != nil {
		return err
	}
	if s.url != nil {
		return p.preparePost(s)
	}
	return p.prepareRun(s, t)
}

// Start runs the program or posts, once for each request ever. An earlier start's answer is given again.
func (p *Provider) Start(ctx context.Context, t testigo.Target, turn testigo.Turn) (testigo.Started, error) {
	if err := p.Prepare(ctx, t); err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	s, err := parse(t.Settings)
	if err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	unlock, err := p.lock(t, turn.Agent)
	if err != nil { // nothing was written yet
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: err.Error()}
	}
	defer unlock()
	if why := p.busy(t, turn); why != "" {
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.RefusedBusy, Why: why}
	}
	if s.url != nil {
		return p.post(ctx, s, t, turn)
	}
	return p.run(ctx, s, t, turn)
}

// Observe looks at the run file, and for a post at the status URL. The target's own settings decide how.
func (p *Provider) Observe(ctx context.Context, t testigo.Target, requestID string, r testigo.Receipt) (testigo.Observation, error) {
	s, err := parse(t.Settings)
	if err != nil {
		return testigo.Observation{}, err
	}
	st, path, err := p.find(t, requestID, r)
	if err != nil {
		return testigo.Observation{}, err
	}
	if s.url != nil {
		return p.observePost(ctx, s, st, requestID, r)
	}
	return p.observeRun(ctx, st, path)
}

// asRefusal makes a refusal of an error before anything was written.
func asRefusal(err error) error {
	var r *testigo.Refusal
	if errors.As(err, &r) {
		return r
	}
	return &testigo.Refusal{Kind: testigo.Refused, Why: err.Error()}
}

// note is our part of a run file.
type note struct {
	// Target is whose turn it is: run files are believed only about their own target.
	Target string `json:"target"`
	// What follows is for posts.
	Accepted bool            `json:"accepted,omitempty"`
	Status   int             `json:"httpStatus,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	// Token is what the endpoint must show to report, Report the latest that it reported.
	Token  string  `json:"token,omitempty"`
	Report *report `json:"report,omitempty"`
}

func noteOf(st supervise.State) note {
	var n note
	_ = json.Unmarshal(st.Note, &n) // a foreign note names no target of ours
	return n
}

func (n note) json() json.RawMessage {
	b, err := json.Marshal(n)
	if err != nil { // strings, and JSON that was valid when it was read
		panic(err)
	}
	return b
}

// find returns the state of a request's run: from our folder, or, for a run that was started with another one, from the
// place that its receipt names. A receipt is believed only if the file has exactly the expected name, request and target.
func (p *Provider) find(t testigo.Target, requestID string, r testigo.Receipt) (*supervise.State, string, error) {
	ours := supervise.RunFile(p.o.Runs, requestID)
	paths := []string{ours}
	var named struct {
		Run string `json:"run"`
	}
	if json.Unmarshal(r.Provider, &named) == nil && filepath.IsAbs(named.Run) && filepath.Base(named.Run) == filepath.Base(ours) && named.Run != ours {
		paths = append(paths, filepath.Clean(named.Run))
	}
	for _, path := range paths {
		st, err := supervise.Look(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && path == ours {
			return nil, "", err
		}
		if err == nil && (path == ours && st.Phase == supervise.NotSent || st.Request == requestID && noteOf(st).Target == targetKey(t)) {
			return &st, path, nil
		}
	}
	return nil, "", nil
}

func targetKey(t testigo.Target) string {
	h := t.Hash()
	return hex.EncodeToString(h[:])
}
