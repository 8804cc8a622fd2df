package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/testigo/testigo"
)

// maxLineDepth is how deep a message may nest: a value's own levels, and around it arguments, params, message and batch.
const maxLineDepth = testigo.MaxValueDepth + 5

// fault is why a message is answered by us and never reaches the server.
type fault struct {
	id   json.RawMessage // null when it cannot be told
	code int64
	msg  string
}

var null = json.RawMessage("null")

// reply is the message that tells the sender.
func (f *fault) reply() []byte {
	id := f.id
	if id == nil {
		id = null
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, f.code, quoted(f.msg))
}

// checkLine looks at a line as a whole: its length, encoding, syntax and depth. A batch is an array.
func checkLine(l line) (batch bool, f *fault) {
	switch {
	case l.tooLong:
		return false, &fault{idIn(l.text), jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d MiB; nothing was done with it", maxLine>>20)}
	case bytes.IndexByte(l.text, 0) >= 0:
		return false, &fault{null, jsonrpc.CodeParseError, "the message contains a NUL byte"}
	case !utf8.Valid(l.text):
		return false, &fault{idIn(l.text), jsonrpc.CodeParseError, "the message is not valid UTF-8"}
	}
	d := lenient(l.text)
	var first jsontext.Kind
	for done := false; ; done = d.StackDepth() == 0 {
		tok, err := d.ReadToken()
		switch {
		case done && errors.Is(err, io.EOF):
			return first == '[', nil
		case done:
			return false, &fault{idIn(l.text), jsonrpc.CodeParseError, "a line holds one message, and something follows it"}
		case err != nil:
			return false, &fault{idIn(l.text), jsonrpc.CodeParseError, "the message is not valid JSON"}
		case d.StackDepth() > maxLineDepth:
			return false, &fault{idIn(l.text), jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is nested deeper than %d levels", maxLineDepth)}
		}
		if first == 0 {
			if first = tok.Kind(); first != '{' && first != '[' {
				return false, &fault{null, jsonrpc.CodeInvalidRequest, "a message is a JSON object"}
			}
		}
	}
}

// lenient reads tokens with names given twice and odd escapes: what lies inside the arguments is judged by the tool, in
// an answer that its model can read.
func lenient(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// envelope is the outer part of a message.
type envelope struct {
	id      json.RawMessage // nil when there is none
	method  string
	version string
	called  bool // a method is named: a request or a notification
}

// checkEnvelope reads one message whose syntax is known to be good, and refuses what the server would stumble over.
func checkEnvelope(raw []byte) (envelope, *fault) {
	bad := func(id json.RawMessage, format string, args ...any) (envelope, *fault) {
		return envelope{}, &fault{id, jsonrpc.CodeInvalidRequest, fmt.Sprintf(format, args...)}
	}
	e, twice, err := readEnvelope(raw)
	switch {
	case err != nil:
		return bad(null, "a message is a JSON object")
	case twice != "":
		return bad(e.id, "the message has %s twice", quoted(shorten(twice, 60)))
	case e.id != nil && !goodID(e.id):
		return bad(null, "an id is a string or a whole number that a double holds exactly")
	case e.version != "2.0":
		return bad(e.id, `the message must say "jsonrpc":"2.0"`)
	case !e.called && e.id == nil:
		return bad(null, "the message has neither method nor id")
	case e.called && e.method == "":
		return bad(e.id, "method must be a string")
	}
	return e, nil
}

// readEnvelope reads the members of a message and of its params, and names the first that is there twice.
func readEnvelope(raw []byte) (e envelope, twice string, err error) {
	d := lenient(raw)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return e, "", errors.New("not an object")
	}
	var seen []string
	for d.PeekKind() != '}' {
		name, v, err := member(d)
		if err != nil {
			return e, "", err
		}
		if slices.Contains(seen, name) && twice == "" {
			twice = name
		}
		seen = append(seen, name)
		switch name {
		case "id":
			e.id = json.RawMessage(v.Clone())
		case "jsonrpc":
			e.version = textOf(v)
		case "method":
			e.called, e.method = true, textOf(v)
		case "params":
			if double := doubled(v); double != "" && twice == "" {
				twice = "params/" + double
			}
		}
	}
	return e, twice, nil
}

func member(d *jsontext.Decoder) (string, jsontext.Value, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return "", nil, err
	}
	name := tok.String()
	v, err := d.ReadValue()
	return name, v, err
}

// doubled names the first member that an object has twice, at its own level.
func doubled(v []byte) string {
	d := lenient(v)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return ""
	}
	seen := map[string]bool{}
	for d.PeekKind() != '}' {
		name, _, err := member(d)
		if err != nil {
			return ""
		}
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

func textOf(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if v.Kind() != '"' || err != nil {
		return ""
	}
	return string(b)
}

// goodID reports whether an id survives the way through the server, which keeps numbers as doubles.
func goodID(id json.RawMessage) bool {
	switch jsontext.Value(id).Kind() {
	case '"':
		_, err := jsontext.AppendUnquote(nil, id)
		return err == nil
	case '0':
		n, err := strconv.ParseInt(string(id), 10, 64)
		return err == nil && n >= -maxExact && n <= maxExact
	}
	return false
}

// idIn finds the id of a message that cannot be read to its end, as far as it goes.
func idIn(text []byte) json.RawMessage {
	d := lenient(text)
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return null
	}
	for d.PeekKind() == '"' {
		name, v, err := member(d)
		if err != nil {
			return null
		}
		if id := json.RawMessage(v.Clone()); name == "id" && goodID(id) {
			return id
		}
	}
	return null
}
