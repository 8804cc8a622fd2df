package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// kind is what an argument may be.
type kind int

const (
	text kind = iota
	integer
	number
	boolean
	list   // of one-kind items
	object // with the members it names
	ref    // a fact's name as text, or an object
	value  // any JSON, null included
)

// param describes one argument. The schema that clients see and the check that calls go through are made from it, so the
// two cannot differ.
type param struct {
	name     string
	kind     kind
	about    string
	required bool
	// emptyOK accepts "" where it has a meaning of its own.
	emptyOK bool
	// enum lists the words allowed.
	enum []string
	// min and max bound a number; both zero means no bound.
	min, max float64
	// initial is the JSON of what an absent argument means, for the schema.
	initial string
	// items is the kind of a list's items.
	items *param
	// maxItems is the longest list, for the schema; the use case counts.
	maxItems int
	// members are an object's arguments. A terse object keeps them out of the schema, where every byte is read by a model
	// before any call; they are checked all the same.
	members []param
	terse   bool
}

// schemaOf writes the input schema of a tool by hand, in a dialect that the strictest clients read: one type for each
// property, items for each array, no references, nothing but the object at the top. Keys come in the order of the table.
func schemaOf(params []param) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(p.name) + ":")
		p.schema(&b)
	}
	b.WriteByte('}')
	if req := required(params); len(req) > 0 {
		b.WriteString(`,"required":` + words(req))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

// anyJSON spells "any JSON value" for clients that want a type everywhere.
const anyJSON = `"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"},{"type":"object"},{"type":"array","items":{}}]`

func (p param) schema(b *bytes.Buffer) {
	b.WriteByte('{')
	switch p.kind {
	case text:
		b.WriteString(`"type":"string"`)
	case integer:
		b.WriteString(`"type":"integer"`)
	case number:
		b.WriteString(`"type":"number"`)
	case boolean:
		b.WriteString(`"type":"boolean"`)
	case list:
		b.WriteString(`"type":"array","items":`)
		p.items.schema(b)
	case object:
		b.WriteString(`"type":"object"`)
		p.memberSchemas(b)
	case ref:
		b.WriteString(`"anyOf":[{"type":"string"},{"type":"object"}]`)
	case value:
		b.WriteString(anyJSON)
	}
	if len(p.enum) > 0 {
		b.WriteString(`,"enum":` + words(p.enum))
	}
	if p.min != 0 || p.max != 0 {
		b.WriteString(`,"minimum":` + plain(p.min))
	}
	if p.max != 0 {
		b.WriteString(`,"maximum":` + plain(p.max))
	}
	if p.maxItems > 0 {
		b.WriteString(`,"maxItems":` + strconv.Itoa(p.maxItems))
	}
	if p.initial != "" {
		b.WriteString(`,"default":` + p.initial)
	}
	if p.about != "" {
		b.WriteString(`,"description":` + quoted(p.about))
	}
	b.WriteByte('}')
}

func (p param) memberSchemas(b *bytes.Buffer) {
	if len(p.members) == 0 || p.terse {
		return
	}
	b.WriteString(`,"properties":{`)
	for i, m := range p.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(m.name) + ":")
		m.schema(b)
	}
	b.WriteByte('}')
}

func required(params []param) []string {
	var out []string
	for _, p := range params {
		if p.required {
			out = append(out, p.name)
		}
	}
	return out
}

func names(params []param) []string {
	out := make([]string, len(params))
	for i, p := range params {
		out[i] = p.name
	}
	return out
}

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func quoted(s string) string { return string(encode(s)) }

func words(list []string) string { return string(encode(list)) }
