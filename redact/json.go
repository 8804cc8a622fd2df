package redact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of a document: far beyond what people write, and a walk that remembers a name per
// level stays small.
const maxDepth = 64

var errDepth = errors.New("redact: JSON is nested deeper than 64 levels")

// JSON redacts every decoded string, object names and values, of one JSON document. What is not redacted keeps its
// bytes: white space, order, numbers and escapes stay as they were written. It never works on serialised text, so an
// escape cannot hide a secret and a replacement cannot break the document.
//
// A string is also judged by the name of the member that holds it. Two names of one object that become equal by
// redaction are told apart by a number after the marker.
//
// The error says that raw is not one valid document of at most 64 levels; out is nil then and must not be written.
func JSON(raw []byte) (out []byte, res Result, err error) {
	total := outcome{counts: map[string]int{}}
	out = make([]byte, 0, len(raw))
	last := 0
	err = walk(raw, func(str jsonString) (string, error) {
		o := redact(str.text, str.owner)
		text := str.unique(o)
		if text == str.text {
			return text, nil
		}
		for rule, n := range o.counts {
			total.counts[rule] += n
		}
		total.removed += o.removed
		out = append(out, raw[last:str.start]...)
		last = str.end
		out, err = jsontext.AppendQuote(out, text)
		return text, err
	})
	if err != nil {
		return nil, Result{}, err
	}
	out = append(out, raw[last:]...)
	total.text = string(out)
	return out, total.result(), nil
}

// jsonString is one string of a document.
type jsonString struct {
	text       string
	start, end int    // its literal in the document, quotes included
	owner      string // the name it is the value of, or empty
	level      *level // the object it is a name in, or nil
}

// level is what the walk remembers of an object or array it is in.
type level struct {
	object bool
	name   string          // the member being read; an array takes over its parent's
	label  string          // the value of a member "name" or "key", which names the member "value" beside it
	marked map[string]bool // names that hold a marker, and whether it was put there now
}

// unique is the text that takes the string's place: the redacted one, with a number if it is a name that the object
// has already.
func (str jsonString) unique(o outcome) string {
	if str.level == nil || !strings.Contains(o.text, markerOpen) {
		return o.text
	}
	lv, now := str.level, o.counts != nil
	if lv.marked == nil {
		lv.marked = map[string]bool{}
	}
	text := o.text
	for n := 2; ; n++ {
		before, taken := lv.marked[text]
		// Names that were equal in the document as it came are not ours to change.
		if !taken || !now && !before {
			break
		}
		text = o.text + "#" + strconv.Itoa(n)
		now = true
	}
	lv.marked[text] = now
	return text
}

// walk reads one document and calls visit for every string in it, in order; visit returns what the string becomes.
func walk(raw []byte, visit func(jsonString) (string, error)) error {
	// The gate stands in front of other people's documents: repeated names are theirs to refuse elsewhere.
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	var stack []level
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return fmt.Errorf("redact: read JSON: %w", err)
		}
		switch tok.Kind() {
		case '{', '[':
			if len(stack) == maxDepth {
				return errDepth
			}
			lv := level{object: tok.Kind() == '{'}
			if n := len(stack); n > 0 && !lv.object {
				lv.name = stack[n-1].name
			}
			stack = append(stack, lv)
		case '}', ']':
			stack = stack[:len(stack)-1]
		case '"':
			end := int(dec.InputOffset())
			if err := visitString(dec, stack, tok.String(), literalStart(raw, end), end, visit); err != nil {
				return err
			}
		}
		if len(stack) == 0 {
			break
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("redact: read JSON: more follows after the document")
	}
	return nil
}

// literalStart finds the opening quote of the string literal that ends at end: the nearest quote before its last one
// that is not escaped.
func literalStart(raw []byte, end int) int {
	for i := end - 2; ; i-- {
		if raw[i] != '"' {
			continue
		}
		slashes := 0
		for i-1-slashes >= 0 && raw[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

func visitString(dec *jsontext.Decoder, stack []level, text string, start, end int,
	visit func(jsonString) (string, error)) error {
	str := jsonString{text: text, start: start, end: end}
	if len(stack) == 0 {
		_, err := visit(str)
		return err
	}
	lv := &stack[len(stack)-1]
	if _, n := dec.StackIndex(dec.StackDepth()); lv.object && n%2 == 1 {
		str.level = lv
		lv.name = text
		_, err := visit(str)
		return err
	}
	str.owner = lv.name
	if lv.object {
		switch strings.ToLower(lv.name) {
		case "name", "key":
			lv.label = text
		case "value":
			str.owner = lv.label
		}
	}
	_, err := visit(str)
	return err
}
