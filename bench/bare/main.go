package bare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo/bench/measure"
)

const (
	// cacheKiB is the page cache of one connection: what a testigo server gives its writer.
	cacheKiB = 4096
	// searchCacheKiB is what it gives a reader.
	searchCacheKiB = 3072
	// busyMillis is how long SQLite's own handler waits for the lock. Longer than a run, so that a process that starves shows
	// as slow and not as failed.
	busyMillis = 60_000
)

// Main is a program that does bare work with the driver it registered, and prints what package measure reads.
//
//	write STORE ROWS N           the first N rows
//	contend STORE ROWS SECONDS   rows until time is over; says ready, and starts when a line comes in
//	search STORE                 answers questions from standard input, one a line, each with its time in ms
func Main(ctx context.Context, driver string, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: write STORE ROWS N | contend STORE ROWS SECONDS | search STORE")
	}
	cache := cacheKiB
	if args[0] == "search" {
		cache = searchCacheKiB
	}
	k, err := Open(ctx, driver, args[1], busyMillis, cache)
	if err != nil {
		return err
	}
	var r measure.Run
	switch {
	case args[0] == "write" && len(args) == 4:
		r, err = k.writeAll(ctx, args[2], args[3])
	case args[0] == "contend" && len(args) == 4:
		r, err = k.contend(ctx, args[2], args[3])
	case args[0] == "search" && len(args) == 2:
		return errors.Join(k.answer(ctx), k.Close())
	default:
		err = fmt.Errorf("what is %q?", args)
	}
	if err = errors.Join(err, k.Close()); err != nil {
		return err
	}
	return r.Print(os.Stdout)
}

func (k *Conn) writeAll(ctx context.Context, file, count string) (measure.Run, error) {
	rows, err := Load(file)
	if err != nil {
		return measure.Run{}, err
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > len(rows) {
		return measure.Run{}, fmt.Errorf("%q is not a number of rows from 1 to %d", count, len(rows))
	}
	c := measure.Start(n)
	for i := range rows[:n] {
		c.Do(func() error { return k.Write(ctx, &rows[i]) })
	}
	return c.Stop(), nil
}

func (k *Conn) contend(ctx context.Context, file, seconds string) (measure.Run, error) {
	rows, err := Load(file)
	if err != nil {
		return measure.Run{}, err
	}
	length, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return measure.Run{}, err
	}
	// Every process writes names of its own.
	session := "session-" + strconv.Itoa(os.Getpid())
	for i := range rows {
		rows[i].Session, rows[i].Key = session, rows[i].Key+"-"+session
	}
	if err := WaitForStart(); err != nil {
		return measure.Run{}, err
	}
	c := measure.Start(len(rows))
	for i := 0; c.Elapsed().Seconds() < length; i++ {
		c.Do(func() error { return k.Write(ctx, &rows[i%len(rows)]) })
	}
	return c.Stop(), nil
}

// WaitForStart says that a process is ready and waits for the word that all are.
func WaitForStart() error {
	fmt.Fprintln(os.Stderr, "ready")
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if errors.Is(err, io.EOF) {
		return errors.New("nobody gave the start")
	}
	return err
}

// answer times each question that comes in: "search\tEXPRESSION" or "name\tPROJECT\tSCOPE\tKEY".
func (k *Conn) answer(ctx context.Context) error {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		parts := strings.Split(in.Text(), "\t")
		began := time.Now()
		bytes, err := 0, error(nil)
		switch {
		case parts[0] == "search" && len(parts) == 2:
			bytes, err = k.Search(ctx, parts[1], Answers)
		case parts[0] == "name" && len(parts) == 4:
			bytes, err = k.Point(ctx, parts[1], parts[2], parts[3])
		}
		ms := float64(time.Since(began).Nanoseconds()) / 1e6
		if err != nil || bytes == 0 {
			return fmt.Errorf("%q found %d bytes: %w", parts, bytes, err)
		}
		if _, err := fmt.Printf("%.6f\n", ms); err != nil {
			return err
		}
	}
	return nil
}

// Answers is how many facts a search answers with.
const Answers = 10
