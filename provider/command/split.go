package command

import (
	"errors"
	"strings"
)

// split cuts a command line into words as a POSIX shell does: blanks separate, quotes join, a backslash takes the next
// character as it is. Nothing else means anything: no variables, no pipes, no patterns.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", c) {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case strings.ContainsRune(" \t\n\r", c):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote or backslash at its end is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
