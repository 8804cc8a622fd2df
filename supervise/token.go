package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// TokenLife is the longest a supervisor may take to start its turn. An engine that declared "not sent" may forget about
// it once every token from before has passed.
const TokenLife = 10 * time.Second

// Token is an engine's permission to start one turn, soon.
type Token struct {
	Lease    int64     `json:"lease"`
	Issued   time.Time `json:"issued"`
	Deadline time.Time `json:"deadline"`
	Boot     string    `json:"boot"`
}

// passed says why a token no longer holds, or nothing. A clock that was set back behind the issue counts as passed:
// otherwise it would bring a dead permission back to life.
func (t Token) passed(now time.Time, runs string) string {
	switch {
	case !now.Before(t.Deadline):
		return fmt.Sprintf("its start was allowed until %s", t.Deadline.UTC().Format(time.RFC3339))
	case now.Before(t.Issued.Add(-time.Second)):
		return "the clock was set back since its start was allowed"
	case t.Boot != here():
		return "its start was allowed by another boot of this machine"
	}
	if newest := fence(runs); newest > t.Lease {
		return fmt.Sprintf("its start was allowed by lease generation %d; %d holds the lease now", t.Lease, newest)
	}
	return ""
}

// Fence tells all later supervisors of a folder that an engine with this lease generation has taken over: tokens of
// earlier generations no longer start anything. Call it after taking the lease and before declaring anything not sent.
func Fence(runs string, generation int64) error {
	unlock, err := lockFolder(runs)
	if err != nil {
		return err
	}
	defer unlock()
	if fence(runs) >= generation {
		return nil
	}
	f, err := os.CreateTemp(runs, ".lease-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strconv.FormatInt(generation, 10))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(runs, ".lease")); err != nil {
		return err
	}
	return syncFolder(runs)
}

// fence returns the newest lease generation that fenced a folder, 0 when none did.
func fence(runs string) int64 {
	b, err := os.ReadFile(filepath.Join(runs, ".lease"))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n
}

// lockFolder serialises what removes run files, so that nothing removes a file that it has not looked at.
func lockFolder(runs string) (unlock func(), err error) {
	if err := os.MkdirAll(runs, folderMode); err != nil {
		return nil, err
	}
	return Lock(filepath.Join(runs, ".lock"))
}
