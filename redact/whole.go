package redact

import (
	"strings"
	"unicode/utf8"
)

// Whole reports whether a secret is the text's whole point: half or more of its characters would be removed, white
// space around it not counted. Such a text is refused instead of stored, since what is left would say nothing. rule
// names the rule that removes most; the text itself must not go into a message.
func Whole(s string) (rule string, whole bool) {
	return wholeNamed(s, "")
}

func wholeNamed(s, name string) (rule string, whole bool) {
	o := redact(s, name)
	removed, most := 0, 0
	for r, n := range o.runes {
		removed += n
		if n > most || n == most && r < rule {
			rule, most = r, n
		}
	}
	if removed == 0 || 2*removed < utf8.RuneCountInString(strings.TrimSpace(s)) {
		return "", false
	}
	return rule, true
}

// WholeJSON reports whether any string of one JSON document, object names included, is refused under Whole. As in
// JSON, a value is also judged by the name that holds it. The error says that raw is not one valid document of at
// most 64 levels.
func WholeJSON(raw []byte) (rule string, whole bool, err error) {
	err = walk(raw, func(str jsonString) (string, error) {
		if !whole {
			rule, whole = wholeNamed(str.text, str.owner)
		}
		return str.text, nil
	})
	if err != nil {
		return "", false, err
	}
	return rule, whole, nil
}
