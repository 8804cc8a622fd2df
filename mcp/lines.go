package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message in bytes. A value has at most 256 KiB; the rest is room for escapes and lists.
const maxLine = 4 << 20

// line is one line of input. A line that is too long keeps only its beginning, so that its sender can be answered.
type line struct {
	text    []byte
	tooLong bool
}

// lineReader splits input into lines without their ends. It never fails on what a line holds.
type lineReader struct {
	in    *bufio.Reader
	first bool
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), first: true}
}

// headOfLong is how much of a too long line is kept to find its id.
const headOfLong = 4 << 10

// next returns the next line. The last one needs no line end. After it comes the reader's error, io.EOF at a good end.
func (r *lineReader) next() (line, error) {
	var l line
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case l.tooLong: // read on to its end
		case len(l.text)+len(part) > maxLine+2:
			l.tooLong = true
			l.text = bytes.Clone(append(l.text, part...)[:headOfLong])
		default:
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(l.text) == 0:
			return line{}, err
		}
		l.text = bytes.TrimSpace(r.withoutMark(l.text)) // a carriage return goes too
		if len(l.text) > maxLine {
			l.tooLong, l.text = true, l.text[:headOfLong]
		}
		return l, nil
	}
}

// withoutMark drops the byte order mark that some Windows shells put in front of a stream.
func (r *lineReader) withoutMark(b []byte) []byte {
	if r.first {
		r.first = false
		return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	return b
}
