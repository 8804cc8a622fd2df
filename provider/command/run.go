package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// runTurn and postTurn are the turn ids of both modes. They differ, so that a receipt of one is never taken for the
// other's when an agent's settings change.
func runTurn(requestID string) string  { return "run-" + requestID }
func postTurn(requestID string) string { return "post-" + requestID }

// environ is a turn's environment: its own identity last, which therefore wins.
func (p *Provider) environ(s settings, turn testigo.Turn, textFile string) []string {
	set := append([]string{}, turn.Env...)
	set = append(set, "TESTIGO_AGENT="+turn.Agent, "HANDOFFS_AGENT="+turn.Agent, "HANDOFFS_AGENT_ID="+turn.Agent,
		"HANDOFFS_REQUEST_ID="+turn.RequestID, "HANDOFFS_TEXT_FILE="+textFile, "TESTIGO_ATTEMPT="+strconv.Itoa(turn.Attempt))
	if p.o.DB != "" {
		set = append(set, "TESTIGO_DB="+p.o.DB, "HANDOFFS_DB="+p.o.DB)
	}
	if turn.Claim != "" {
		set = append(set, "TESTIGO_CLAIM="+turn.Claim)
	}
	return supervise.Environment(p.o.Environ, s.env, s.inheritEnv, set...)
}

// folder is where a turn runs: the target's folder, or its owner's home.
func (p *Provider) folder(t testigo.Target) string {
	if t.Cwd != "" {
		return t.Cwd
	}
	if home := value(p.o.Environ, "HOME"); filepath.IsAbs(home) {
		return home
	}
	return filepath.Dir(p.o.Runs)
}

func value(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func (p *Provider) prepareRun(s settings, t testigo.Target) error {
	dir := p.folder(t)
	if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
		return &testigo.Refusal{Kind: testigo.NotSent, Why: fmt.Sprintf("its folder %s is not there", dir)}
	}
	program := placeholders(t, "", "").Replace(s.argv[0])
	if !findProgram(program, dir, value(p.environ(s, testigo.Turn{}, ""), "PATH")) {
		return &testigo.Refusal{Kind: testigo.NotSent, Why: fmt.Sprintf("there is no program %s that could be run", program)}
	}
	return nil
}

// findProgram looks as the turn itself will: in its folder and its PATH.
func findProgram(name, dir, path string) bool {
	var places []string
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		places = []string{name}
	} else {
		for _, d := range filepath.SplitList(path) {
			if filepath.IsAbs(d) {
				places = append(places, filepath.Join(d, name))
			}
		}
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || os.PathSeparator == '\\') {
			return true
		}
	}
	return false
}

// placeholders replaces in one pass: what a value brings in is never replaced again.
func placeholders(t testigo.Target, requestID, textFile string) *strings.Replacer {
	return strings.NewReplacer("{text_file}", textFile, "{request_id}", requestID, "{endpoint}", t.Endpoint, "{cwd}", t.Cwd)
}

func (p *Provider) run(ctx context.Context, s settings, t testigo.Target, turn testigo.Turn) (testigo.Started, error) {
	runFile, err := filepath.Abs(supervise.RunFile(p.o.Runs, turn.RequestID))
	if err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	text := supervise.TextFile(runFile)
	replace := placeholders(t, turn.RequestID, text)
	argv := make([]string, len(s.argv))
	for i, a := range s.argv {
		argv[i] = replace.Replace(a)
	}
	h, err := supervise.Start(ctx, supervise.Spec{
		RunFile: runFile, Request: turn.RequestID, Agent: turn.Agent,
		Token: supervise.Token{Lease: turn.Lease, Deadline: turn.Deadline},
		Argv:  argv, Dir: p.folder(t), Env: p.environ(s, turn, text), Text: turn.Text,
		Timeout: s.timeout, Grace: p.o.Grace, Drain: p.o.Drain, Note: note{Target: targetKey(t)}.json(), Self: p.o.Self,
	})
	switch {
	case errors.Is(err, supervise.ErrTooLate):
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: err.Error()}
	case err != nil:
		return testigo.Started{}, err
	case h.State.Phase.Unsent():
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: h.State.Error}
	case noteOf(h.State).Target != targetKey(t):
		return testigo.Started{}, fmt.Errorf("request %s was started for another target", turn.RequestID)
	}
	return testigo.Started{
		TurnID: runTurn(turn.RequestID), ClientUserMessageID: turn.RequestID, Provider: evidence(h.State, runFile),
	}, nil
}

// evidence is what a receipt keeps of a run.
func evidence(st supervise.State, runFile string) json.RawMessage {
	b, err := json.Marshal(struct {
		Run      string   `json:"run"`
		Phase    string   `json:"phase"`
		PID      int      `json:"pid,omitempty"`
		ExitCode *int     `json:"exitCode,omitempty"`
		Signal   string   `json:"signal,omitempty"`
		TimedOut bool     `json:"timedOut,omitempty"`
		Tail     []string `json:"outputTail,omitempty"`
		Bytes    int64    `json:"outputBytes,omitempty"`
	}{runFile, string(st.Phase), st.Command.PID, st.Exit, st.Signal, st.TimedOut, st.Tail, st.Bytes})
	if err != nil { // texts and numbers always marshal
		panic(err)
	}
	return b
}

// killTime bounds what an observation spends on ending a turn whose supervisor died and whose time is up.
const killTime = 12 * time.Second

func (p *Provider) observeRun(ctx context.Context, st *supervise.State, path string) (testigo.Observation, error) {
	if st == nil { // nobody was first: the run may begin any moment, and only DeclareNotSent can say that it will not
		return testigo.Observation{Detail: "there is no record of this run"}, nil
	}
	if st.Phase == supervise.Orphaned && !p.o.Now().Before(st.Until) {
		// Its supervisor would have done this. Nothing is written to the session.
		ctx, cancel := context.WithTimeout(ctx, killTime)
		defer cancel()
		now, err := supervise.Kill(ctx, path)
		if err != nil {
			return testigo.Observation{}, err
		}
		*st = now
	}
	if st.Phase == supervise.Interrupted {
		supervise.Sweep(path, *st)
	}
	o := observation(*st)
	o.TurnID, o.Provider = runTurn(st.Request), evidence(*st, path)
	if o.Absent || o.State == "" {
		o.TurnID = ""
	}
	return o, nil
}

func observation(st supervise.State) testigo.Observation {
	switch st.Phase {
	case supervise.Starting, supervise.Running:
		return testigo.Observation{State: testigo.Running, Detail: fmt.Sprintf("the command runs (process %d)", st.Command.PID)}
	case supervise.Orphaned:
		return testigo.Observation{State: testigo.Running, Detail: fmt.Sprintf("the command runs (process %d) although its supervisor ended", st.Command.PID)}
	case supervise.NotStarted, supervise.NotSent:
		return testigo.Observation{Absent: true, Detail: st.Error}
	case supervise.Interrupted:
		return testigo.Observation{State: testigo.Failed, Interrupted: true, Detail: st.Error}
	case supervise.Ended:
		return result(st)
	}
	return testigo.Observation{Detail: "it cannot be told from here whether the command still runs"}
}

func result(st supervise.State) testigo.Observation {
	last := ""
	if n := len(st.Tail); n > 0 {
		last = "; its last line: " + st.Tail[n-1]
	}
	switch {
	case st.TimedOut:
		return testigo.Observation{State: testigo.Failed, Interrupted: true, Detail: "the command took too long and was ended" + last}
	case st.Stopped:
		return testigo.Observation{State: testigo.Failed, Interrupted: true, Detail: "the command was stopped" + last}
	case st.Exit == nil:
		return testigo.Observation{State: testigo.Failed, Interrupted: true, Detail: "the command was ended by a signal: " + st.Signal + last}
	case *st.Exit != 0:
		return testigo.Observation{State: testigo.Failed, Detail: fmt.Sprintf("the command ended with exit code %d%s", *st.Exit, last)}
	}
	return testigo.Observation{State: testigo.TurnEnded, Detail: "the command ended with exit code 0"}
}

// turnState is what a run means for the activity of its target.
func turnState(st supervise.State) testigo.TurnState {
	switch o := observation(st); {
	case st.Phase.Unsent(), o.State == testigo.TurnEnded:
		return testigo.TurnFinished
	case o.State == testigo.Running:
		return testigo.TurnOpen
	case o.Interrupted:
		return testigo.TurnStopped
	case o.State == testigo.Failed:
		return testigo.TurnFailed
	}
	return testigo.TurnUnknown
}
