package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/testigo/testigo"
)

// maxDepth is how deep arguments may nest: the value's own limit and the object around it.
const maxDepth = testigo.MaxValueDepth + 1

// identityNames are arguments by which a caller would claim to be somebody. They are refused everywhere.
var identityNames = []string{"agent", "agent_id", "agent_name", "as", "as_agent", "author", "caller", "from", "from_agent",
	"identity", "me", "sender", "session", "session_id", "user", "writer"}

// decode checks the raw arguments of a call against the tool's table and fills params with them. Nothing is coerced
// except that 3.0 is the whole number 3 and null means absent; only a value may be null and may be anything.
func (t *tool) decode(raw json.RawMessage, agent string, params any) error {
	if b := bytes.TrimSpace(raw); len(b) == 0 || string(b) == "null" {
		raw = json.RawMessage("{}")
	}
	members, err := t.members(raw)
	if err != nil {
		return err
	}
	if err := t.known(members, agent); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, p := range t.params {
		v, given := members[p.name]
		if given && v.Kind() == 'n' && p.kind != value {
			given = false
		}
		if !given {
			if p.required {
				return testigo.Invalid(p.name, "is required").WithNext("call %s with %s", t.name, strings.Join(required(t.params), ", "))
			}
			continue
		}
		clean, err := p.check(p.name, v)
		if err != nil {
			return err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p.name, clean)
	}
	b.WriteByte('}')
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	return d.Decode(params)
}

// members splits the arguments into raw members, having checked the whole text: syntax, names given twice at any level,
// depth, lone surrogates.
func (t *tool) members(raw []byte) (map[string]jsontext.Value, error) {
	if k := jsontext.Value(raw).Kind(); k != '{' {
		return nil, testigo.Invalid("arguments", "must be an object, not %s", kindWords(k)).WithNext("call %s with %s", t.name, t.takes())
	}
	if err := t.scan(raw); err != nil {
		return nil, err
	}
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	members := map[string]jsontext.Value{}
	if _, err := d.ReadToken(); err != nil {
		return nil, t.malformed(err)
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, t.malformed(err)
		}
		key := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, t.malformed(err)
		}
		members[key] = v.Clone()
	}
	return members, nil
}

func (t *tool) scan(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		_, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return t.malformed(err)
		case d.StackDepth() > maxDepth:
			return testigo.Invalid(argumentOf(d.StackPointer()), "is nested deeper than %d levels", testigo.MaxValueDepth).WithNext("flatten it and call %s again", t.name)
		}
	}
}

// malformed puts a decoder's error into words that name the argument.
func (t *tool) malformed(err error) error {
	var syn *jsontext.SyntacticError
	field, what := "arguments", "are not JSON that can be read"
	if errors.As(err, &syn) {
		if p := argumentOf(syn.JSONPointer); p != "" {
			field, what = p, "is not JSON that can be read"
		}
		switch {
		case errors.Is(syn.Err, jsontext.ErrDuplicateName):
			what = "has the same name twice"
			if strings.Count(string(syn.JSONPointer), "/") == 1 {
				what = "is given twice"
			}
		case syn.Err != nil && strings.Contains(syn.Err.Error(), "UTF-8"), syn.Err != nil && strings.Contains(syn.Err.Error(), "surrogate"):
			what = "contains half a surrogate pair or text that is not UTF-8"
		}
	}
	return testigo.Invalid(field, "%s", what).WithNext("correct it and call %s again", t.name)
}

// argumentOf is the argument that a JSON pointer lies in.
func argumentOf(p jsontext.Pointer) string {
	for tok := range p.Tokens() {
		return shorten(tok, 60)
	}
	return "arguments"
}

// takes names the arguments of a tool.
func (t *tool) takes() string {
	if len(t.params) == 0 {
		return "no arguments: {}"
	}
	return strings.Join(names(t.params), ", ")
}

// known refuses every name that the tool does not take.
func (t *tool) known(members map[string]jsontext.Value, agent string) error {
	var unknown []string
	for name := range members {
		if !slices.ContainsFunc(t.params, func(p param) bool { return p.name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	name := shorten(unknown[0], 60)
	if slices.Contains(identityNames, strings.ToLower(name)) {
		return testigo.Invalid(name, "is not an argument: identity is fixed by the server, and you are %s", agent).WithNext("leave %s out and call %s again", name, t.name)
	}
	return testigo.Invalid(name, "is not an argument of %s", t.name).WithNext("%s takes %s", t.name, t.takes())
}

// check returns the argument in the form that the parameter structs read.
func (p param) check(field string, v jsontext.Value) (jsontext.Value, error) {
	k := v.Kind()
	switch p.kind {
	case text:
		return v, p.checkText(field, v)
	case integer, number:
		return p.checkNumber(field, v)
	case boolean:
		if k != 't' && k != 'f' {
			return nil, testigo.Invalid(field, "must be true or false, not %s", kindWords(k))
		}
	case list:
		return p.checkList(field, v)
	case object:
		return p.checkMembers(field, v)
	case ref:
		if k == '"' {
			return v, param{kind: text}.checkText(field, v)
		}
		if k != '{' {
			return nil, testigo.Invalid(field, "must be scope/key or scope/key@version, not %s", kindWords(k))
		}
		return param{members: refMembers}.checkMembers(field, v)
	}
	return v, nil
}

// refMembers are what a ref written as an object holds.
var refMembers = []param{
	{name: "project", kind: text}, {name: "scope", kind: text, emptyOK: true}, {name: "key", kind: text, required: true},
	{name: "version", kind: integer, min: 1, max: math.MaxInt32},
}

func (p param) checkText(field string, v jsontext.Value) error {
	if v.Kind() != '"' {
		return testigo.Invalid(field, "must be a string, not %s", kindWords(v.Kind()))
	}
	b, err := jsontext.AppendUnquote(nil, v)
	s := string(b)
	switch {
	case err != nil || !utf8.ValidString(s):
		return testigo.Invalid(field, "must be valid UTF-8")
	case strings.TrimSpace(s) == "" && p.required:
		return testigo.Invalid(field, "is required and must not be empty")
	case strings.TrimSpace(s) == "" && !p.emptyOK:
		return testigo.Invalid(field, "must not be empty").WithNext("leave %s out, or give it a value", field)
	case strings.ContainsRune(s, 0):
		return testigo.Invalid(field, "contains a NUL character")
	case len(p.enum) > 0 && !slices.Contains(p.enum, s):
		return testigo.Invalid(field, "must be one of %s", strings.Join(p.enum, ", "))
	}
	return nil
}

// maxExact is the largest whole number that a float holds exactly.
const maxExact = 1 << 53

func (p param) checkNumber(field string, v jsontext.Value) (jsontext.Value, error) {
	if v.Kind() != '0' {
		return nil, testigo.Invalid(field, "must be a number, not %s", kindWords(v.Kind()))
	}
	if len(v) > testigo.MaxNumberLen {
		return nil, testigo.Invalid(field, "is a number of more than %d characters", testigo.MaxNumberLen)
	}
	f, err := strconv.ParseFloat(string(v), 64)
	bounded := p.min != 0 || p.max != 0
	if err != nil || bounded && (f < p.min || p.max != 0 && f > p.max) || p.kind == integer && math.Abs(f) > maxExact {
		if p.max != 0 && p.max < math.MaxInt32 {
			return nil, testigo.Invalid(field, "must be between %s and %s", plain(p.min), plain(p.max))
		}
		return nil, testigo.Invalid(field, "must be %s or more, and a number of ordinary size", plain(p.min))
	}
	if p.kind == number {
		return v, nil
	}
	if f != math.Trunc(f) {
		return nil, testigo.Invalid(field, "must be a whole number")
	}
	return jsontext.Value(strconv.FormatInt(int64(f), 10)), nil
}

// checkList checks every item, and returns the list in the form that the parameter structs read.
func (p param) checkList(field string, v jsontext.Value) (jsontext.Value, error) {
	if v.Kind() != '[' {
		return nil, testigo.Invalid(field, "must be a list, not %s", kindWords(v.Kind()))
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return nil, testigo.Invalid(field, "is not a list that can be read")
	}
	out := []byte{'['}
	for i := 0; d.PeekKind() != ']'; i++ {
		item, err := d.ReadValue()
		if err != nil {
			return nil, testigo.Invalid(field, "is not a list that can be read")
		}
		clean, err := p.items.check(fmt.Sprintf("%s[%d]", field, i), item)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, clean...)
	}
	return append(out, ']'), nil
}

// checkMembers checks an object inside an argument, whose names must be known as well. Null members are left out.
func (p param) checkMembers(field string, v jsontext.Value) (jsontext.Value, error) {
	if v.Kind() != '{' {
		return nil, testigo.Invalid(field, "must be an object, not %s", kindWords(v.Kind()))
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return nil, testigo.Invalid(field, "is not an object that can be read")
	}
	out := []byte{'{'}
	seen := map[string]bool{}
	for d.PeekKind() != '}' {
		name, item, err := member(d)
		if err != nil {
			return nil, testigo.Invalid(field, "is not an object that can be read")
		}
		i := slices.IndexFunc(p.members, func(m param) bool { return m.name == name })
		if i < 0 {
			return nil, testigo.Invalid(field, "has an unknown member %q; it takes %s", shorten(name, 60), strings.Join(names(p.members), ", "))
		}
		if item.Kind() == 'n' {
			continue
		}
		clean, err := p.members[i].check(field+"."+name, item)
		if err != nil {
			return nil, err
		}
		if len(seen) > 0 {
			out = append(out, ',')
		}
		seen[name] = true
		out = append(append(out, quoted(name)+":"...), clean...)
	}
	for _, m := range p.members {
		if m.required && !seen[m.name] {
			return nil, testigo.Invalid(field+"."+m.name, "is required")
		}
	}
	return append(out, '}'), nil
}

func kindWords(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}

// shorten cuts what a message repeats from the caller.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
