package search

import "strings"

// timeWords say when something happened. They are compared as terms, so in the stemmed form.
var timeWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		january february march april june july august september october november december
		monday tuesday wednesday thursday friday saturday sunday
		today yesterday tomorrow tonight ago last next recently weekend week month year morning evening
		day days weeks months years hour hours`) {
		run, _ := termsOf(w)
		set[run] = true
	}
	return set
}()

// asksWhen reports whether the answer to a query is likely a time.
func asksWhen(tokens []token) bool {
	for i, t := range tokens {
		switch t.term {
		case "when":
			return true
		case "long", "date", "year", "month", "day", "time":
			if i > 0 && (tokens[i-1].term == "how" || tokens[i-1].term == "what" || tokens[i-1].term == "which") {
				return true
			}
		}
	}
	return false
}

// isTime reports whether a term of a body names a time. A number of four digits that begins like a year counts.
func isTime(term string) bool {
	if len(term) == 4 && (term[:2] == "19" || term[:2] == "20") && isDigit(term[2]) && isDigit(term[3]) {
		return true
	}
	return len(term) <= 9 && timeWords[term]
}
