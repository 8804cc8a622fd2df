package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

func TestSendParses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want sendOptions
	}{
		{[]string{"executor", "hi"}, sendOptions{To: "executor", Message: "hi"}},
		{[]string{"scout", "executor", "hi"}, sendOptions{From: "scout", To: "executor", Message: "hi"}},
		{[]string{"--to", "executor", "hi"}, sendOptions{To: "executor", Message: "hi"}},
		{[]string{"scout", "hi", "--to", "executor"}, sendOptions{From: "scout", To: "executor", Message: "hi"}},
		{[]string{"executor", "-", "--title", "T", "--due", "2h", "--key", "k", "--reply-to", "h_1a2b3c4d", "--ref", "a/b@1", "--ref", "c/d",
			"--next", "s", "--open", "q", "--expires", "3d", "--notification"},
			sendOptions{To: "executor", Message: "-", Title: "T", Due: "2h", Key: "k", ReplyTo: "h_1a2b3c4d", Refs: []string{"a/b@1", "c/d"},
				NextSteps: []string{"s"}, OpenQuestions: []string{"q"}, Expires: "3d", Notification: true}},
	} {
		got, err := parsed(newSendCmd, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.args, d)
		}
	}
}

func TestInboxReadAndStatusParse(t *testing.T) {
	t.Parallel()
	if got, err := parsed(newInboxCmd, "executor", "--all", "--limit", "5", "--cursor", "7"); err != nil || got != (inboxOptions{"executor", true, 5, "7"}) {
		t.Errorf("inbox: %+v, %v", got, err)
	}
	if got, err := parsed(newReadCmd, "1A2b3c", "--max-chars", "9", "--cursor", "x"); err != nil || got != (readOptions{"h_1a2b3c", 9, "x"}) {
		t.Errorf("read: %+v, %v", got, err)
	}
	if got, err := parsed(newAcceptCmd, "1a2b3c4d#2"); err != nil || got.ID != "h_1a2b3c4d#2" {
		t.Errorf("accept: %+v, %v", got, err)
	}
	if got, err := parsed(newStatusCmd); err != nil || got.ID != "" {
		t.Errorf("status: %+v, %v", got, err)
	}
	if got, err := parsed(newCancelCmd, "imported-7"); err != nil || got.ID != "imported-7" {
		t.Errorf("cancel: %+v, %v", got, err)
	}
}

func TestReturnAndCloseParse(t *testing.T) {
	t.Parallel()
	got, err := parsed(newReturnCmd, "h_1a2b3c4d", "-m", "done", "--evidence", "run 7", "--claim", "a", "--claim", `{"claim":"b"}`, "--blocked")
	want := returnOptions{"h_1a2b3c4d", "done", "run 7", []string{"a", `{"claim":"b"}`}, true}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("return: %v %s", err, d)
	}
	if got, err := parsed(newCloseCmd, "h_1a2b3c4d", "revision", "--note", "n"); err != nil || got != (closeOptions{"h_1a2b3c4d", "revision", "n"}) {
		t.Errorf("close: %+v, %v", got, err)
	}
	for _, c := range []struct {
		args []string
		want configOptions
	}{{nil, configOptions{}}, {[]string{"connections"}, configOptions{Key: "connections"}}, {[]string{"connections", "open"}, configOptions{"connections", "open"}}} {
		if got, err := parsed(newConfigCmd, c.args...); err != nil || got != c.want {
			t.Errorf("config %q: %+v, %v", c.args, got, err)
		}
	}
	if got, err := parsed(newAllowCmd, "scout", "executor"); err != nil || got != (ruleOptions{"scout", "executor"}) {
		t.Errorf("allow: %+v, %v", got, err)
	}
	if got, err := parsed(newBlockCmd, "scout", "executor"); err != nil || got != (ruleOptions{"scout", "executor"}) {
		t.Errorf("block: %+v, %v", got, err)
	}
	if _, err := parsed(newAgentCmd, "list"); err != nil {
		t.Errorf("agent list: %v", err)
	}
}

// C53: what cannot be parsed is a usage error and never runs.
func TestMessageParsersRefuseC53(t *testing.T) {
	t.Parallel()
	refused := map[string]error{}
	note := func(what string, err error) { refused[what] = err }
	_, err := parsed(newSendCmd)
	note("send", err)
	_, err = parsed(newSendCmd, "executor")
	note("send TO", err)
	_, err = parsed(newSendCmd, "a", "b", "c", "d")
	note("send with four arguments", err)
	_, err = parsed(newSendCmd, "a", "b", "c", "--to", "d")
	note("send with two recipients", err)
	_, err = parsed(newInboxCmd, "a", "b")
	note("inbox of two", err)
	_, err = parsed(newInboxCmd, "--limit", "0")
	note("inbox of nothing", err)
	_, err = parsed(newReadCmd)
	note("read", err)
	_, err = parsed(newReadCmd, "h_1a2b3c4d", "--max-chars", "0")
	note("read of nothing", err)
	_, err = parsed(newAcceptCmd)
	note("accept", err)
	_, err = parsed(newReturnCmd, "h_1a2b3c4d")
	note("return without a summary", err)
	_, err = parsed(newCloseCmd, "h_1a2b3c4d")
	note("close without a decision", err)
	_, err = parsed(newCancelCmd)
	note("cancel", err)
	_, err = parsed(newStatusCmd, "a", "b")
	note("status of two", err)
	_, err = parsed(newAllowCmd, "a")
	note("allow of one", err)
	_, err = parsed(newBlockCmd, "a")
	note("block of one", err)
	_, err = parsed(newConfigCmd, "nothing")
	note("config of what there is not", err)
	_, err = parsed(newConfigCmd, "connections", "")
	note("config of an empty value", err)
	_, err = parsed(newAgentCmd)
	note("agent", err)
	_, err = parsed(newAgentCmd, "dance")
	note("agent dance", err)
	_, err = parsed(newRecallCmd, "--limit", "0")
	note("recall of nothing", err)
	_, err = parsed(newRecallCmd, "a/b", "--version", "0")
	note("recall of version 0", err)
	_, err = parsed(newHistoryCmd, "a/b", "--limit", "0")
	note("history of nothing", err)
	_, err = parsed(newForgetCmd, "a/b", "--version", "0")
	note("forget of version 0", err)
	_, err = parsed(newResumeCmd, "--max-chars", "0")
	note("resume of nothing", err)
	for what, err := range refused {
		if testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("%s: got %v, want invalid", what, err)
		}
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	got, err := claimsOf([]string{"it is sent", `{"claim":"tests pass","how":"command","ref":"make test","exit_code":0}`})
	want := []testigo.ReturnClaim{{Claim: "it is sent"}, {Claim: "tests pass", How: "command", Ref: "make test", ExitCode: ptr(0)}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	for _, bad := range []string{`{`, `{"claim":"x","wrong":1}`, `{"claim":"x"} more`} {
		if _, err := claimsOf([]string{"fine", bad}); testigo.AsError(err).Field != "claims[1]" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestHandoffIDs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"1a2b3c4d": "h_1a2b3c4d", "1A2B3C": "h_1a2b3c", "1a2b3c#2": "h_1a2b3c#2", "h_1a2b3c4d": "h_1a2b3c4d",
		"": "", "1a2b3": "1a2b3", "1a2b3c4d5": "1a2b3c4d5", "report": "report"} {
		if got := handoffID(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
