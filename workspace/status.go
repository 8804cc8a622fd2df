package workspace

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/testigo/testigo"
)

// maxRecord bounds one record of git status: two paths and their hashes (64 KiB).
const maxRecord = 64 << 10

// maxStatusBytes bounds the whole list, some 300,000 files (32 MiB).
const maxStatusBytes = 32 << 20

var (
	errStatusLong   = errors.New("git status printed more than 32 MiB: the list of changed files was cut")
	errStatusRecord = errors.New("git status printed something unexpected")
)

// status is what git status --porcelain=v2 -z --branch says. Dirty files carry no hashes yet.
type status struct {
	branch string // "" when HEAD is detached
	commit string // "" before the first commit
	ahead  int    // -1 without an upstream
	behind int
	dirty  []testigo.DirtyFile
	total  int
}

// parseStatus reads the records and keeps the first limit files. On an error the status holds what came before it.
func parseStatus(r io.Reader, limit int) (status, error) {
	s := status{ahead: -1, behind: -1}
	bounded := &io.LimitedReader{R: r, N: maxStatusBytes}
	in := bufio.NewReaderSize(bounded, maxRecord)
	for {
		record, err := in.ReadSlice(0)
		switch {
		case errors.Is(err, io.EOF) && bounded.N <= 0:
			return s, errStatusLong
		case errors.Is(err, io.EOF) && len(record) == 0:
			return s, nil
		case err != nil:
			return s, errStatusRecord
		}
		renamed, err := s.add(string(record[:len(record)-1]), limit)
		if err != nil {
			return s, err
		}
		if renamed { // the old path follows as a record of its own
			if _, err := in.ReadSlice(0); err != nil {
				return s, errStatusRecord
			}
		}
	}
}

func (s *status) add(record string, limit int) (renamed bool, err error) {
	kind, rest, _ := strings.Cut(record, " ")
	state, fields := "", 0
	switch kind {
	case "#":
		s.header(rest)
		return false, nil
	case "!":
		return false, nil
	case "?":
		state = "untracked"
	case "1":
		state, fields = changeState(rest), 7
	case "2":
		state, fields, renamed = "renamed", 8, true
		if changeState(rest) == "deleted" {
			state = "deleted"
		}
	case "u":
		state, fields = "conflicted", 9
	default:
		return false, errStatusRecord
	}
	path := rest
	for range fields {
		var ok bool
		if _, path, ok = strings.Cut(path, " "); !ok {
			return false, errStatusRecord
		}
	}
	if path == "" {
		return false, errStatusRecord
	}
	s.total++
	if len(s.dirty) < limit {
		s.dirty = append(s.dirty, testigo.DirtyFile{Path: path, State: state})
	}
	return renamed, nil
}

// changeState reads the two letters for index and working tree.
func changeState(xy string) string {
	if len(xy) < 2 {
		return "modified"
	}
	switch x, y := xy[0], xy[1]; {
	case y == 'D', x == 'D' && y == '.':
		return "deleted"
	case x == 'A', y == 'A':
		return "added"
	}
	return "modified"
}

func (s *status) header(text string) {
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "branch.oid":
		if isHex(value, 40) {
			s.commit = value
		}
	case "branch.head":
		if value != "(detached)" {
			s.branch = value
		}
	case "branch.ab":
		a, b, _ := strings.Cut(value, " ")
		ahead, errA := strconv.Atoi(strings.TrimPrefix(a, "+"))
		behind, errB := strconv.Atoi(strings.TrimPrefix(b, "-"))
		if errA == nil && errB == nil && ahead >= 0 && behind >= 0 {
			s.ahead, s.behind = ahead, behind
		}
	}
}

// isHex reports whether s is from least to 64 lower-case hex digits: 64 are a SHA-256, in git too.
func isHex(s string, least int) bool {
	if len(s) < least || len(s) > 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
