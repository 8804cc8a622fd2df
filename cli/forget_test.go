package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// asked is the standard input of a person who is being asked: reading it says so, and waits for an answer.
type asked struct {
	once    sync.Once
	reading chan struct{}
	answer  io.Reader
}

func newAsked(answer io.Reader) *asked { return &asked{reading: make(chan struct{}), answer: answer} }

func (a *asked) Read(b []byte) (int, error) {
	a.once.Do(func() { close(a.reading) })
	return a.answer.Read(b)
}

const contact = "listing/480/contact"

func withContact(t *testing.T) *terminal {
	u := newTerminal(t)
	u.ok("remember", contact, "zanzibar quartermaster")
	u.ok("remember", contact, "a second quartermaster")
	return u
}

func TestForgetErasesWhatWasShown(t *testing.T) {
	t.Parallel()
	u := withContact(t)
	u.tty, u.in = true, contact+"\n"
	u.env["NO_COLOR"] = "1"
	a := u.ok("forget", contact, "--version", "1")
	for _, want := range []string{"1 version of listing/480/contact", "zanzibar", "transcripts that the agents' hosts keep", "This cannot be undone"} {
		if !strings.Contains(a.err, want) {
			t.Errorf("the question does not say %q:\n%s", want, a.err)
		}
	}
	for _, want := range []string{"erased: " + contact + ", version 1", "none of its words is left"} {
		if !strings.Contains(a.out, want) {
			t.Errorf("the answer does not say %q:\n%s", want, a.out)
		}
	}
	u.tty = false
	if a := u.ok("history", contact); !strings.Contains(a.out, "erased on request") || !strings.Contains(a.out, "second quartermaster") {
		t.Errorf("version 1 is not erased, or version 2 is:\n%s", a.out)
	}
	u.ok("verify")
	u.tty = true
	if a := u.ok("forget", contact, "--version", "1"); !strings.Contains(a.out, "nothing to do") {
		t.Errorf("the second time: %s", a.out)
	}
}

func TestForgetRefuses(t *testing.T) {
	t.Parallel()
	u := withContact(t)
	u.fails(1, "asks on a terminal", "forget", contact)
	u.fails(1, "nothing was changed", "forget", contact, "--yes")
	u.tty = true
	u.in = "listing/481/contact\n"
	u.fails(1, "that is not the name", "forget", contact)
	u.in = ""
	u.fails(1, "that is not the name", "forget", contact, "--yes")
	u.in = contact + "\n"
	u.fails(1, `"scout" is acting`, "forget", contact, "--as", "scout")
	u.env["AGENT_ID"] = "scout"
	u.fails(1, "leave AGENT_ID out", "forget", contact)
	delete(u.env, "AGENT_ID")
	u.fails(1, "has no version 9", "forget", contact, "--version", "9")
	u.fails(1, "there is no fact", "forget", "listing/1/contact")
	u.tty = false
	if a := u.ok("recall", contact); !strings.Contains(a.out, "second quartermaster") {
		t.Errorf("it is gone: %s", a.out)
	}
}

// Fault C09: while a person thinks about the question, others read and write.
func TestForgetHoldsNothingWhileAsking(t *testing.T) {
	t.Parallel()
	u := withContact(t)
	answer, person := io.Pipe()
	in := newAsked(answer)
	done := make(chan int)
	var out, errs bytes.Buffer
	env := u.environment(&out, &errs, []string{"forget", contact})
	env.In, env.InTTY, env.OutTTY = in, true, true
	go func() { done <- Run(context.Background(), env) }()
	<-in.reading
	for i := range 20 {
		u.ok("recall", contact)
		if i%4 == 0 {
			u.ok("remember", contact, fmt.Sprintf("written meanwhile %d", i))
		}
	}
	fmt.Fprintln(person, contact)
	if code := <-done; code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if a := u.ok("recall", contact); !strings.Contains(a.out, "written meanwhile 16") {
		t.Errorf("what was written meanwhile is gone, and it was not shown: %s", a.out)
	}
}

// An interruption at a question, or while a value is awaited, ends with 130 and changes nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	u := withContact(t)
	for _, args := range [][]string{{"forget", contact}, {"remember", contact, "-"}, {"handoff", "-"}, {"remember", contact, "-", "--json"}} {
		never, person := io.Pipe()
		t.Cleanup(func() { person.Close() })
		in := newAsked(never)
		ctx, interrupt := context.WithCancel(context.Background())
		var out, errs bytes.Buffer
		env := u.environment(&out, &errs, args)
		env.In, env.InTTY, env.OutTTY = in, true, true
		done := make(chan int)
		go func() { done <- Run(ctx, env) }()
		<-in.reading
		interrupt()
		if code := <-done; code != 130 || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%v: exit code %d\n%s", args, code, errs.String())
		}
	}
	if a := u.ok("recall", contact); !strings.Contains(a.out, "v2") {
		t.Errorf("something was changed: %s", a.out)
	}
}
