package sqlite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/testigo/testigo"
)

// scanChunk is how much of a file is searched at a time.
const scanChunk = 1 << 20

// ScanFilesMain is the hidden command ScanCommand: it searches files, given as arguments, for the words that standard input
// names, and prints where it found any. It returns the exit code. A program that calls Store.Scrub must dispatch to it when
// its first argument is ScanCommand.
func ScanFilesMain(files []string, stdin io.Reader) int {
	if err := scanFiles(files, stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return testigo.ExitFailed
	}
	return testigo.ExitOK
}

func scanFiles(files []string, stdin io.Reader, out io.Writer) error {
	var order scanOrder
	if err := json.NewDecoder(stdin).Decode(&order); err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	for _, name := range files {
		a, err := scanFile(name, order.Words)
		if err != nil {
			return err
		}
		if a.Found > 0 {
			if err := answers.Encode(a); err != nil {
				return err
			}
		}
	}
	return answers.Encode(scanAnswer{Done: true})
}

// scanFile reads a file in pieces that overlap by the longest word. A file that is not there holds nothing.
func scanFile(name string, words []string) (scanAnswer, error) {
	a := scanAnswer{File: name, First: -1}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	defer f.Close()
	longest := 0
	left := make([][]byte, 0, len(words))
	for _, w := range words {
		left = append(left, []byte(w))
		longest = max(longest, len(w))
	}
	buf := make([]byte, scanChunk+longest)
	kept, at := 0, int64(0) // bytes kept from the piece before; where the buffer begins
	for {
		n, err := io.ReadFull(f, buf[kept:])
		piece := buf[:kept+n]
		for i := 0; i < len(left); {
			where := bytes.Index(piece, left[i])
			if where < 0 {
				i++
				continue
			}
			a.Found++
			if a.First < 0 || at+int64(where) < a.First {
				a.First = at + int64(where)
			}
			left = append(left[:i], left[i+1:]...)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || len(left) == 0 {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		kept = copy(buf, piece[len(piece)-longest:])
		at += int64(len(piece) - kept)
	}
}
