package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/testigo/testigo"
)

// encode writes v as compact JSON. Letters stay letters; what could be taken for markup of the reader's own, or cannot
// be seen, is written as an escape, which means the same to a program and is visible to a model.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // our own structs always marshal; a damaged row may hold JSON that does not
		return []byte(`{"error":{"code":"damaged","message":"a stored value is not JSON","next":"testigo verify"}}`)
	}
	return visible(bytes.TrimRight(b.Bytes(), "\n"))
}

const hexDigits = "0123456789abcdef"

// visible escapes, inside JSON text: "<" where a tag begins, so that a client that shows this text in a fence of its own is
// not shown the fence's end (a client that decodes and writes the JSON anew undoes it); and characters that format without being seen. Outside strings JSON has none of them.
func visible(b []byte) []byte {
	clean := true
	for i := 0; i < len(b) && clean; i++ {
		clean = b[i] != '<' && b[i] < utf8.RuneSelf
	}
	if clean {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == '<' && opensTag(b[i+n:]) || r > unicode.MaxASCII && hidden(r) {
			out = escape(out, r)
		} else {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	return out
}

func opensTag(rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	c := rest[0]
	return c == '/' || c == '!' || c == '?' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func hidden(r rune) bool {
	if r == 0x200c || r == 0x200d { // joiners that scripts and emoji need
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r == 0x2028 || r == 0x2029
}

func escape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return escape(escape(out, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return append(out, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// answer is a result whose text and structured content are the same JSON: some clients show the one, some the other.
func answer(v any) *sdk.CallToolResult {
	b := encode(v)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}, StructuredContent: json.RawMessage(b)}
}

// problem is an error as the model reads it.
type problem struct {
	Code    testigo.Code `json:"code"`
	Message string       `json:"message"`
	Field   string       `json:"field,omitempty"`
	Next    string       `json:"next,omitempty"`
	Data    any          `json:"data,omitempty"`
}

// problemOf puts err into the words of the domain's error. What is not ours says nothing about its cause; the log does.
func problemOf(ctx context.Context, log *slog.Logger, what string, err error) problem {
	e := testigo.AsError(err)
	p := problem{Code: e.Code, Message: e.Msg, Field: e.Field, Next: e.Next, Data: e.Data}
	if e.Field != "" {
		p.Message = e.Field + ": " + e.Msg
	}
	if e.Code == testigo.CodeInvalid && e.Next == "" {
		p.Next = "correct " + e.Field + " and call " + what + " again"
	}
	if e.Code == testigo.CodeInternal {
		p.Message, p.Next = "internal error; nothing is known to be written", "memory_stats tells whether the store answers; `testigo doctor` looks closer"
		if ctx.Err() != nil {
			p.Message, p.Next = "the call was given up before it ended", "call again"
		}
		log.ErrorContext(ctx, "internal error", "in", what, "error", err, "cause", errors.Unwrap(e))
	}
	return p
}

// failure is a tool result that says what went wrong and what to call next.
func failure(p problem) *sdk.CallToolResult {
	p.Message, p.Next = shorten(p.Message, 500), shorten(p.Next, 500)
	body := struct {
		Error problem `json:"error"`
	}{p}
	if len(encode(body)) > answerLimit { // what an error carries is a help, not the answer
		body.Error.Data = nil
	}
	res := answer(body)
	res.IsError = true
	return res
}
