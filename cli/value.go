package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// maxInput bounds what is read from a file or the standard input, in bytes: four times the largest value leaves room for
// white space, and a pipe that never ends stops here.
const maxInput = 4 * testigo.MaxValueBytes

// valueOf reads the value of a remember and makes it JSON. The note says what a person may not have meant.
func (a *app) valueOf(ctx context.Context, o rememberOptions) (raw json.RawMessage, note string, err error) {
	text := o.Value
	switch {
	case o.ValueFile == "-", o.HasValue && o.Value == "-" && !o.Text:
		text, err = a.readInput(ctx, "value")
		if err == nil && text == "" && !o.Text {
			err = testigo.Invalid("value", "the standard input is empty; nothing was written").WithNext("testigo remember NAME '' stores an empty text")
		}
	case o.ValueFile != "":
		text, err = a.readFile("value", o.ValueFile)
	}
	if err != nil {
		return nil, "", err
	}
	if !o.Text {
		note = brokenJSON(text)
	}
	raw, err = asJSON(text, o.Text)
	return raw, note, err
}

// asJSON takes text as JSON if it is JSON, else as a string of its own. A damaged text is refused, never mended: encoding
// it would put replacement characters in its place without a word.
func asJSON(text string, forceText bool) (json.RawMessage, error) {
	if !utf8.ValidString(text) {
		return nil, testigo.Invalid("value", "is not valid UTF-8; nothing was written").WithNext("store bytes as base64 text, or name the file they are in")
	}
	if !forceText && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if strings.ContainsRune(text, 0) {
		return nil, testigo.Invalid("value", "contains a NUL character; nothing was written").WithNext("store bytes as base64 text, or name the file they are in")
	}
	b, err := marshalText(text)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// brokenJSON says of a text that begins like JSON and is none where it stops being JSON; "" for every other text.
func brokenJSON(text string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || json.Valid([]byte(text)) {
		return ""
	}
	var v any
	var wrong *json.SyntaxError
	if err := json.Unmarshal([]byte(text), &v); !errors.As(err, &wrong) {
		return ""
	}
	at := utf8.RuneCountInString(text[:min(int(wrong.Offset), len(text))])
	return fmt.Sprintf("the value looks like JSON and is none from character %d on; it was stored as text", at)
}

// marshalText encodes a text as one JSON string, with no more escapes than needed.
func marshalText(text string) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(text)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// readInput reads the standard input as a text argument.
func (a *app) readInput(ctx context.Context, field string) (string, error) {
	if a.env.InTTY {
		a.say("reading from the terminal; end with Ctrl-D")
	}
	return untilDone(ctx, func() (string, error) { return readText(field, a.env.In) })
}

// untilDone waits for read or for an interruption. A read of a terminal cannot be called off: after an interruption it is
// left behind, and ends with the process, which has nothing else to do.
func untilDone(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := read()
		got <- answer{text, err}
	}()
	select {
	case g := <-got:
		return g.text, g.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (a *app) readFile(field, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		reason := "cannot be opened"
		if errors.Is(err, fs.ErrNotExist) {
			reason = "does not exist"
		}
		return "", testigo.Invalid(field, "the file %q %s", path, reason)
	}
	defer f.Close()
	return readText(field, f)
}

// readText reads at most maxInput bytes. What an editor adds goes: a byte order mark in front, one line end behind.
func readText(field string, r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return "", testigo.Invalid(field, "cannot be read to its end")
	case len(b) > maxInput:
		return "", testigo.Invalid(field, "has more than %d bytes; nothing was written", maxInput).WithNext("store where it can be found instead")
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	text = strings.TrimSuffix(text, "\n")
	return strings.TrimSuffix(text, "\r"), nil
}
