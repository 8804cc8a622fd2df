package workspace

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

const (
	zero  = "0000000000000000000000000000000000000000"
	modes = " N... 100644 100644 100644 " + zero + " " + zero + " "
)

func TestParseStatus(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		"# branch.oid " + zero, "# branch.head topic/x", "# branch.upstream origin/topic/x", "# branch.ab +3 -14", "# stash 2",
		"1 .M" + modes + "plain name", "1 A." + modes + "added", "1 .A" + modes + "intended", "1 AD" + modes + "added, then removed",
		"1 D." + modes + "removed", "1 .T" + modes + "type", "1 M." + modes + "new\nline \"q\"",
		"2 R. N... 100644 100644 100644 " + zero + " " + zero + " R100 new", "old ? name",
		"2 RD N... 100644 100644 100644 " + zero + " " + zero + " R90 moved and removed", "1 was here",
		"u UU N... 100644 100644 100644 100644 " + zero + " " + zero + " " + zero + " both", "? new dir/日本", "! ignored", "",
	}, "\x00")
	got, err := parseStatus(strings.NewReader(in), 100)
	if err != nil {
		t.Fatal(err)
	}
	want := []testigo.DirtyFile{
		{Path: "plain name", State: "modified"}, {Path: "added", State: "added"}, {Path: "intended", State: "added"},
		{Path: "added, then removed", State: "deleted"}, {Path: "removed", State: "deleted"}, {Path: "type", State: "modified"},
		{Path: "new\nline \"q\"", State: "modified"}, {Path: "new", State: "renamed"}, {Path: "moved and removed", State: "deleted"},
		{Path: "both", State: "conflicted"}, {Path: "new dir/日本", State: "untracked"},
	}
	if d := cmp.Diff(want, got.dirty); d != "" {
		t.Error(d)
	}
	if got.branch != "topic/x" || got.commit != zero || got.ahead != 3 || got.behind != 14 || got.total != len(want) {
		t.Errorf("%+v", got)
	}
	short, err := parseStatus(strings.NewReader(in), 2)
	if err != nil || len(short.dirty) != 2 || short.total != len(want) {
		t.Errorf("%+v, %v", short, err)
	}
}

func TestParseStatusRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"? no end", "x y\x00", "1 .M\x00", "? \x00", "1 .M" + modes + "\x00", "2 R." + modes + "R1 new\x00", "? " + strings.Repeat("x", maxRecord) + "\x00",
	} {
		if s, err := parseStatus(strings.NewReader(in), 10); !errors.Is(err, errStatusRecord) {
			t.Errorf("%.30q: %+v, %v", in, s, err)
		}
	}
	long := strings.Repeat("? "+strings.Repeat("x", 1021)+"\x00", maxStatusBytes/1024+1)
	if s, err := parseStatus(strings.NewReader(long), 10); !errors.Is(err, errStatusLong) || len(s.dirty) != 10 || s.total < 30000 {
		t.Errorf("%d, %v", s.total, err)
	}
	s, err := parseStatus(strings.NewReader("# branch.oid (initial)\x00# branch.head (detached)\x00# branch.ab +x -1\x00"), 1)
	if err != nil || s.branch != "" || s.commit != "" || s.ahead != -1 || s.behind != -1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.oid " + zero + "\x00# branch.ab +1 -2\x001 .M" + modes + "a\x00? b c\x00")
	f.Add("2 R." + modes + "R100 new\x00old\x00u UU N... 1 2 3 4 a b c p\x00")
	f.Add("# branch.head \xff\x00")
	f.Fuzz(func(t *testing.T, in string) {
		s, err := parseStatus(strings.NewReader(in), 3)
		if len(s.dirty) > 3 || s.total < len(s.dirty) {
			t.Errorf("%d of %d", len(s.dirty), s.total)
		}
		for _, d := range s.dirty {
			if d.Path == "" || d.State == "" || strings.ContainsRune(d.Path, 0) {
				t.Errorf("%+v", d)
			}
		}
		if err == nil && in != "" && !strings.HasSuffix(in, "\x00") {
			t.Error("a record without an end was accepted")
		}
		if s.commit != "" && !isHex(s.commit, 40) {
			t.Errorf("commit %q", s.commit)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[2Jb\u202ec\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := plain(s)
		if r, bad := testigo.HasHidden(got); bad || !utf8.ValidString(got) {
			t.Errorf("%q keeps %U", got, r)
		}
	})
}
