package search

import (
	"bytes"
	"encoding/json"
	"strings"
)

// addValue adds all string content of a JSON value, object names included, and its numbers as written. true, false and
// null are structure. What is no JSON is read as far as it goes: an index never fails a write.
func (l *lexer) addValue(value []byte) {
	for i := 0; i < len(value) && l.terms < l.max; {
		switch c := value[i]; {
		case c == '"':
			end := stringEnd(value, i)
			l.add(unquote(value[i:end]))
			i = end
		case c == '-' || isDigit(c):
			end := i + 1
			for end < len(value) && (isDigit(value[end]) || strings.IndexByte("+-.eE", value[end]) >= 0) {
				end++
			}
			l.add(string(value[i:end]))
			i = end
		default:
			i++
		}
	}
}

// stringEnd returns the offset behind the string that starts at i.
func stringEnd(value []byte, i int) int {
	for i++; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}

func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return strings.Trim(string(quoted), `"`)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return string(quoted)
	}
	return s
}
