package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// ScanCommand is the hidden command under which a program runs ScanFilesMain.
const ScanCommand = "__scan-files"

const (
	// scanLimit is how long the search of the raw files may take; a gigabyte takes about a second.
	scanLimit = 2 * time.Minute
	// inScan marks the child process, so that a program that does not know the command cannot start a chain of itself.
	inScan = "TESTIGO_SCAN_FILES"
)

// Scrub implements testigo.Store. Deleted rows leave their words in old segments of the index, in free pages and in the
// log. So: join the index into one new segment (secure_delete overwrites the old ones), empty the log, and rewrite the
// whole file only if a word is still found. No other writer comes in between.
func (s *Store) Scrub(ctx context.Context, words []string) (testigo.ScrubReport, error) {
	var report testigo.ScrubReport
	if err := s.use(ctx); err != nil {
		return report, err
	}
	defer s.inUse.Done()
	if s.readOnly || s.nameless {
		return report, s.readOnlyError()
	}
	deadline := time.Now().Add(s.o.LockWait)
	if err := s.takeToken(ctx, deadline); err != nil {
		return report, err
	}
	defer s.giveToken()
	if err := s.gate.enter(ctx, deadline); err != nil {
		return report, err
	}
	defer s.gate.leave()
	if err := s.checkThere("nothing was cleaned"); err != nil {
		return report, err
	}
	if _, err := s.writing(); err != nil {
		return report, err
	}
	err := s.scrub(ctx, words, &report)
	return report, translate(err)
}

func (s *Store) scrub(ctx context.Context, words []string, report *testigo.ScrubReport) (err error) {
	if _, err := s.writer.exec("index_optimize"); err != nil {
		return err
	}
	s.dropIdle()
	s.fault("in_checkpoint")
	if err := s.emptyLog(report); err != nil || report.Blocked != "" {
		return err
	}
	if report.Found, err = s.scan(ctx, words); err != nil {
		report.Blocked = "the raw files could not be searched: " + err.Error()
		return nil //nolint:nilerr // the report says it
	}
	if len(report.Found) > 0 {
		if err := s.writer.busyTimeout(100 * time.Millisecond); err != nil {
			return err
		}
		if _, err := s.writer.exec("vacuum"); err != nil {
			return err
		}
		if err := s.emptyLog(report); err != nil || report.Blocked != "" {
			return err
		}
		if report.Found, err = s.scan(ctx, words); err != nil {
			report.Blocked = "the raw files could not be searched: " + err.Error()
			return nil //nolint:nilerr // the report says it
		}
	}
	report.Clean = len(report.Found) == 0
	return nil
}

// emptyLog copies the log into the database and cuts it off, or says who is in the way.
func (s *Store) emptyLog(report *testigo.ScrubReport) error {
	err := s.checkpoint("TRUNCATE")
	if errors.As(err, new(busyError)) {
		report.Blocked = "another program is reading the store, so the log file could not be emptied; close it (or wait for it) and run the same command again"
		return nil
	}
	return err
}

// dropIdle closes this process's unused readers.
func (s *Store) dropIdle() {
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	for _, k := range idle {
		k.close() //nolint:errcheck // it only read
	}
}

// scanOrder is what the child process is told on its standard input: words never stand in a list of processes.
type scanOrder struct {
	Words []string `json:"words"`
}

// scanAnswer is one line of its answer. It does not repeat the words.
type scanAnswer struct {
	File  string `json:"file"`
	Found int    `json:"found"` // how many of the words
	First int64  `json:"first"` // where the first of them is
	Done  bool   `json:"done,omitempty"`
}

// scan searches the raw bytes of the store's files for the words, in a child process: opening and closing the database
// file in this one would drop SQLite's locks.
func (s *Store) scan(ctx context.Context, words []string) ([]string, error) {
	words = spellings(words)
	if len(words) == 0 {
		return nil, nil
	}
	if os.Getenv(inScan) != "" {
		return nil, errors.New("this program does not know the command " + ScanCommand)
	}
	command := s.o.ScanCommand
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, ScanCommand}
	}
	order, err := json.Marshal(scanOrder{Words: words})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	args := slices.Concat(command[1:], []string{s.path, s.path + "-wal", s.path + "-journal"})
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Env = append(os.Environ(), inScan+"=1")
	cmd.Stdin = bytes.NewReader(order)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return readAnswers(out)
}

func readAnswers(out []byte) ([]string, error) {
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var a scanAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			break
		}
		if a.Done {
			return found, nil
		}
		found = append(found, fmt.Sprintf("%s: %d of the words, first at byte %d", filepath.Base(a.File), a.Found, a.First))
	}
	return nil, errors.New("the searching process did not finish")
}

// spellings adds the lower-case form, in which the index keeps words, and drops repeated and empty ones, and those that
// stand in every store because its own tables are described with them.
func spellings(words []string) []string {
	var list []string
	own := tableTexts()
	for _, w := range words {
		for _, form := range []string{w, strings.ToLower(w)} {
			if form != "" && !slices.Contains(list, form) && !strings.Contains(own, form) {
				list = append(list, form)
			}
		}
	}
	return list
}
