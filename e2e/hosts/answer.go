package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// answer is JSON that a tool or a command printed.
type answer struct {
	text  string
	value any
}

func read(text string) (answer, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // confidences are compared as they were printed
	a := answer{text: text}
	if err := d.Decode(&a.value); err != nil {
		return a, fmt.Errorf("not JSON: %w: %s", err, clip(text))
	}
	return a, nil
}

// at returns what is at a dotted path: a scalar as it is printed, anything else as JSON, nothing as "".
func (a answer) at(path string) string {
	v := a.value
	for name := range strings.SplitSeq(path, ".") {
		switch c := v.(type) {
		case map[string]any:
			v = c[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(c) {
				return ""
			}
			v = c[i]
		default:
			return ""
		}
	}
	switch c := v.(type) {
	case nil:
		return ""
	case string:
		return c
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// check compares with what is wanted: "path=text" at a path, "path~text" for a part of it. A number may be printed with
// more digits than are wanted.
func (a answer) check(want string) error {
	i := strings.IndexAny(want, "=~")
	path, exact, text := want[:i], want[i] == '=', want[i+1:]
	got := a.at(path)
	switch {
	case exact && got == text, !exact && strings.Contains(got, text):
		return nil
	case exact && near(got, text):
		return nil
	}
	return fmt.Errorf("%s is %q, wanted %s; the whole answer: %s", path, got, want[i:], clip(a.text))
}

func near(got, want string) bool {
	g, err := strconv.ParseFloat(got, 64)
	if err != nil {
		return false
	}
	w, err := strconv.ParseFloat(want, 64)
	return err == nil && g-w < 1e-9 && w-g < 1e-9
}

// clip keeps failure messages readable.
func clip(s string) string {
	const most = 2_000
	s = strings.TrimSpace(s)
	if len(s) > most {
		return s[:most/2] + " […] " + s[len(s)-most/2:]
	}
	return s
}
