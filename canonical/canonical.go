package canonical

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/testigo/testigo"
)

// Value returns the canonical form of one JSON value. field names the argument in errors, which are CodeInvalid.
func Value(field string, raw []byte) ([]byte, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, testigo.Invalid(field, "is required: any JSON value")
	}
	if len(raw) > testigo.MaxValueBytes {
		return nil, testigo.Invalid(field, "is %d bytes of JSON; at most %d are allowed", len(raw), testigo.MaxValueBytes)
	}
	if err := check(field, raw); err != nil {
		return nil, err
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, testigo.Invalid(field, "is not JSON that can be kept: %s", reason(err))
	}
	return v, nil
}

// check walks the tokens for the limits that canonicalisation does not know.
func check(field string, raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for n := 0; ; n++ {
		if n > 0 && d.StackDepth() == 0 {
			if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
				return testigo.Invalid(field, "must be one JSON value, and something follows it")
			}
			return nil
		}
		tok, err := d.ReadToken()
		if err != nil {
			return testigo.Invalid(field, "is not JSON that can be kept: %s", reason(err))
		}
		if d.StackDepth() > testigo.MaxValueDepth {
			return testigo.Invalid(field, "is nested deeper than %d levels", testigo.MaxValueDepth)
		}
		if tok.Kind() == '0' && len(tok.String()) > testigo.MaxNumberLen {
			return testigo.Invalid(field, "contains a number of more than %d characters", testigo.MaxNumberLen)
		}
	}
}

// reason puts a decoder's error into words for people.
func reason(err error) string {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		switch {
		case errors.Is(syn.Err, jsontext.ErrDuplicateName):
			return "an object has the same name twice"
		case errors.Is(syn.Err, io.ErrUnexpectedEOF):
			return "it ends too early"
		}
		if syn.Err != nil {
			return syn.Err.Error()
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return "syntax error"
}

// Body writes the canonical JSON object that a version's body hash covers. The value must already be canonical.
func Body(v testigo.Version) []byte {
	b := make([]byte, 0, len(v.Value)+512)
	b = append(b, `{"author":`...)
	b = text(b, v.Author)
	b = append(b, `,"created_at":"`...)
	b = v.CreatedAt.UTC().AppendFormat(b, testigo.ChainTime)
	b = append(b, `","key":`...)
	b = text(b, v.Name.Key)
	b = append(b, `,"project":`...)
	b = project(b, v.Name.Project)
	b = append(b, `,"scope":`...)
	b = text(b, v.Name.Scope)
	b = append(b, `,"sources":[`...)
	for i, s := range v.Sources {
		if i > 0 {
			b = append(b, ',')
		}
		b = source(b, s)
	}
	b = append(b, `],"tags":[`...)
	for i, t := range v.Tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = text(b, t)
	}
	b = append(b, `],"value":`...)
	b = append(b, v.Value...)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, int64(v.Number), 10)
	return append(b, '}')
}

// Erasure writes the canonical JSON object that an erasure record's hash covers.
func Erasure(e testigo.Erasure) []byte {
	b := append(make([]byte, 0, 256), `{"at":"`...)
	b = e.At.UTC().AppendFormat(b, testigo.ChainTime)
	b = append(b, `","by":`...)
	b = text(b, e.By)
	b = append(b, `,"erased":"`...)
	b = append(b, e.Target.String()...)
	b = append(b, `","key":`...)
	b = text(b, e.Name.Key)
	b = append(b, `,"project":`...)
	b = project(b, e.Name.Project)
	b = append(b, `,"scope":`...)
	b = text(b, e.Name.Scope)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, int64(e.Number), 10)
	return append(b, '}')
}

func project(b []byte, id string) []byte {
	if id == testigo.NoProject {
		return append(b, "null"...)
	}
	return text(b, id)
}

// source writes {"commit":…} or {"path":…,"sha256":…}; the names are in canonical order.
func source(b []byte, s testigo.Source) []byte {
	if s.Commit != "" {
		b = append(b, `{"commit":`...)
		b = text(b, s.Commit)
		return append(b, '}')
	}
	b = append(b, `{"path":`...)
	b = text(b, s.Path)
	b = append(b, `,"sha256":`...)
	b = text(b, s.SHA256)
	return append(b, '}')
}

func text(b []byte, s string) []byte {
	// Stored text is valid UTF-8 by the rules of every writer; a damaged row may hold anything, and then the hash differs
	// anyway, so the replacement the encoder makes is of no consequence.
	out, _ := jsontext.AppendQuote(b, s)
	return out
}
