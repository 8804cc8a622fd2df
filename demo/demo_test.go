package demo_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/testigo/testigo/cli"
	"github.com/testigo/testigo/demo"
)

// The test binary plays the program when the story starts its halves.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		os.Exit(cli.Run(context.Background(), cli.FromOS()))
	}
	os.Exit(m.Run())
}

const transcript = "../docs/demo.txt"

var ids = regexp.MustCompile(`h_[0-9a-f]{8}`)

// The transcript in docs is what the demo says, but for the ids of packets. UPDATE=1 writes it anew.
func TestTranscript(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := demo.Run(t.Context(), demo.Options{Out: &out, Exe: exe}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	got := ids.ReplaceAllString(strings.TrimLeft(out.String(), "\n"), "h_xxxxxxxx")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(transcript, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the demo says\n%s\nand %s says\n%s", got, transcript, want)
	}
	for _, must := range []string{"0.80 → 0.84", "0.60 → 0.39", "listing/553/assessment was pinned at v1, now at v2", "4 pinned versions"} {
		if !strings.Contains(got, must) {
			t.Errorf("the story does not tell %q", must)
		}
	}
}

// Without a packet the executor says what to do first.
func TestExecutorAlone(t *testing.T) {
	t.Parallel()
	out := half(t, t.TempDir()+"/demo.db", "executor")
	if !strings.Contains(out, "nothing is waiting for executor") || !strings.Contains(out, "testigo demo scout") {
		t.Errorf("%s", out)
	}
}

// The halves work on a store of the user's choice, named as the reference names it.
func TestHalvesOnASharedFile(t *testing.T) {
	t.Parallel()
	db := t.TempDir() + "/shared.db"
	half(t, db, "scout")
	if out := half(t, db, "executor"); !strings.Contains(out, "0.60 → 0.39") {
		t.Errorf("%s", out)
	}
}

// half runs one half as `MEMORY_DB=db testigo demo part` would.
func half(t *testing.T, db, part string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	env := cli.FromOS()
	env.Args, env.Out, env.Err = []string{"demo", part}, &out, &stderr
	env.OutTTY, env.ErrTTY = false, false
	env.Getenv = func(name string) string {
		switch name {
		case "MEMORY_DB":
			return db
		case "HOME", "PATH", "XDG_DATA_HOME":
			return os.Getenv(name)
		}
		return ""
	}
	if code := cli.Run(t.Context(), env); code != 0 {
		t.Fatalf("exit %d: %s%s", code, out.String(), stderr.String())
	}
	return out.String()
}
