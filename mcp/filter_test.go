package mcp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// E05: rubbish is answered with a protocol error, with the request's id where it can be told, and the session lives.
func TestE05RubbishIsAnswered(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	for what, c := range map[string]struct{ line, want string }{
		"no JSON":               {`hello`, `"id":null,"error":{"code":-32700`},
		"bytes ff fe":           {"\xff\xfe", `"id":null,"error":{"code":-32700`},
		"not UTF-8 in a string": {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"` + "\xff" + `"}}`, `"id":7,"error":{"code":-32700`},
		"a NUL byte":            {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\x00\"}", `"code":-32700`},
		"half a message":        {`{"jsonrpc":"2.0","id":7,"method":"ping"`, `"id":7,"error":{"code":-32700`},
		"two on a line":         {`{"jsonrpc":"2.0","id":7,"method":"ping"}{}`, `"id":7,"error":{"code":-32700`},
		"something behind":      {`{"jsonrpc":"2.0","id":7,"method":"ping"} x`, `"id":7,"error":{"code":-32700`},
		"a string":              {`"ping"`, `"id":null,"error":{"code":-32600`},
		"too deep":              {`{"jsonrpc":"2.0","id":"x","method":"ping","params":{"a":` + deep + `}}`, `"id":"x","error":{"code":-32600`},
		"a method twice":        {`{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`, `"id":7,"error":{"code":-32600`},
		"arguments twice":       {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"recall","arguments":{},"arguments":{}}}`, `"id":7,"error":{"code":-32600`},
		"another protocol":      {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"id":7,"error":{"code":-32600`},
		"id null":               {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"an id with a fraction": {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"an inexact id":         {`{"jsonrpc":"2.0","id":90071992547409931,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"an id of true":         {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		"a method of 5":         {`{"jsonrpc":"2.0","id":7,"method":5}`, `"id":7,"error":{"code":-32600`},
		"neither":               {`{"jsonrpc":"2.0"}`, `"id":null,"error":{"code":-32600`},
		"an empty batch":        {`[]`, `"id":null,"error":{"code":-32600`},
		"no such method":        {`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("m", 9_000) + `"}`, `"id":7,"error":{"code":-32601`},
		"no such tool":          {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"forget"}}`, `"id":7,"error":{"code":-32602`},
		"params of a wrong type": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5,"arguments":{"secret":"` + strings.Repeat("s", 9_000) + `"}}}`,
			`"id":7,"error":{"code":-32602`},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := fresh(t)
			p.send(c.line)
			got := p.receive()
			if !strings.Contains(got, c.want) || len(got) > 600 || strings.Contains(got, "unmarshal") {
				t.Errorf("got %.300s, want %s", got, c.want)
			}
			p.alive()
			p.end()
		})
	}
}

// E05: a line of 10 MB is answered with its id, and memory stays bounded.
func TestE05HugeLine(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	before := p.print()
	p.send(`{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"remember","arguments":{"scope":"a","key":"b","value":"` + strings.Repeat("x", 10<<20) + `"}}}`)
	if got := p.receive(); !strings.Contains(got, `"id":42,"error":{"code":-32600`) {
		t.Errorf("got %.300s", got)
	}
	p.alive()
	if p.print() != before {
		t.Error("something was written")
	}
}

// The longest line that is taken, and one byte more, whatever ends it.
func TestLineLengths(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", ""} {
		for extra, tooLong := range map[int]bool{0: false, 1: true} {
			r := newLineReader(strings.NewReader(strings.Repeat("x", maxLine+extra) + end))
			l, err := r.next()
			if err != nil || l.tooLong != tooLong {
				t.Errorf("end %q, %d more: too long %v, %v", end, extra, l.tooLong, err)
			}
			if _, err := r.next(); err == nil {
				t.Errorf("end %q: a second line", end)
			}
		}
	}
}

func TestCarriageReturnsMarksAndBlankLines(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.send("\r\n\n  \n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r")
	if got := p.receive(); !strings.Contains(got, `"id":1,"result":{}`) {
		t.Error(got)
	}
	if l, err := newLineReader(strings.NewReader("\xef\xbb\xbf{}")).next(); err != nil || string(l.text) != "{}" {
		t.Errorf("%q %v", l.text, err)
	}
}

// A request whose id is still in use is refused, and the first one is answered.
func TestIDInUse(t *testing.T) {
	t.Parallel()
	c := newConn(strings.NewReader(""), &bytes.Buffer{})
	if _, f := c.admit([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), nil); f != nil {
		t.Fatal(f.msg)
	}
	if _, f := c.admit([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), nil); f == nil {
		t.Error("it was admitted twice")
	}
	if _, f := c.admit([]byte(`{"jsonrpc":"2.0","id":"1","method":"ping"}`), nil); f != nil {
		t.Error("a string is another id")
	}
}

// Arguments that only a tool can judge reach it, and come back as a result that a model reads.
func TestArgumentFaultsAreResults(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	for what, args := range map[string]string{
		"twice":      `{"scope":"a","key":"b","value":{"x":1,"x":2}}`,
		"surrogate":  `{"scope":"a","key":"b","value":"\udc00"}`,
		"65 levels":  `{"scope":"a","key":"b","value":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`,
		"name twice": `{"scope":"a","key":"b","value":1,"value":2}`,
	} {
		if r := p.refused(testigo.CodeInvalid, "remember", args); r.Error.Field != "value" || r.Error.Next == "" && what != "65 levels" {
			t.Errorf("%s: %s", what, r.Text)
		}
	}
	p.ok("remember", `{"scope":"a","key":"deep","value":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`)
	p.ok("remember", `{"scope":"a","key":"nul","value":"a\u0000b"}`)
	if r := p.ok("recall", `{"scope":"a","key":"nul"}`); !strings.Contains(r.Text, `a\u0000b`) {
		t.Error(r.Text)
	}
}

// Any bytes: each line gets at most one answer, and the end is reached.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"{}", "[]", "[{}]", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "\xff\x00", `[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l := line{text: bytes.TrimSpace(b)}
		if len(l.text) == 0 {
			return
		}
		var out bytes.Buffer
		c := newConn(nil, &out)
		if err := c.accept(l); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 && !strings.Contains(out.String(), `"error":{"code":-32`) {
			t.Errorf("an odd answer: %s", out.String())
		}
		if out.Len() == 0 && len(c.ready) == 0 {
			t.Errorf("%q was swallowed", fmt.Sprintf("%.100s", b))
		}
	})
}
