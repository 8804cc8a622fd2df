package redact

import (
	"strings"
	"unicode/utf8"
)

// assignment is a value that stands where a name's value stands.
type assignment struct {
	kind       nameKind
	start, end int
	firm       bool // the form leaves no doubt that it is the value: quotes, NAME=value, alone to the end of its line
	quoted     bool
	header     bool // an authorization scheme came first
	login      bool // other parts of a connection string are beside it
}

// assignedSpans finds values assigned to names that hold secrets, in the forms people and programs write them:
// shell, dotenv, YAML, JSON, code, flags, headers, query strings, tables, prose.
func (c *catalogue) assignedSpans(s string, hits []hit) []span {
	var found []span
	done := 0
	for _, h := range hits {
		kind := c.own[h.word]
		if kind == kindNone || h.pos < done {
			continue
		}
		start, end, plural, ok := nameAround(s, h.pos, len(c.words.words[h.word]))
		if !ok {
			continue
		}
		a, ok := readAssignment(s, start, end)
		if !ok {
			continue
		}
		a.kind, a.firm = kind, a.firm && !plural
		if !a.secret(s[a.start:a.end]) && !a.second(s) {
			continue
		}
		sp := span{start: a.start, end: a.end, rule: ruleAssigned}
		switch {
		case a.header || kind == kindHeader:
			sp.rule = ruleHeader
		case a.login:
			sp.rule = ruleConnection
		}
		if !a.quoted && sp.end-sp.start >= valueReach {
			sp.end = runEnd(s, sp.end)
		}
		found = append(found, sp)
		done = sp.end
	}
	return found
}

// second looks behind a type: in `password: str = "…"` and `const token string = "…"` the first value is no secret
// and the second is.
func (a *assignment) second(s string) bool {
	i := skipBlank(s, a.end)
	if a.quoted || i >= len(s) || s[i] != '=' {
		return false
	}
	b, ok := readValue(s, i+1, false)
	if !ok {
		return false
	}
	b.kind = a.kind
	*a = b
	return a.secret(s[a.start:a.end])
}

// readAssignment reads what is assigned to the name s[start:end].
func readAssignment(s string, start, end int) (assignment, bool) {
	at := end
	closed := false
	for n := 0; at < len(s) && n < 4 && strings.IndexByte("\"'`\\]*", s[at]) >= 0; n++ {
		closed = closed || s[at] == '"' || s[at] == '\''
		at++
	}
	blank := skipBlank(s, at)
	op := operator(s, blank)
	switch {
	case op != "":
	case blank == at && at < len(s) && s[at] == '>' && start > 0 && s[start-1] == '<':
		op = ">"
	case blank > at && (strings.HasPrefix(s[start:], "--") || strings.EqualFold(s[start:end], "bearer")):
		a, ok := readValue(s, blank, false)
		a.firm = true
		return a, ok
	case blank > at:
		// A declared type between name and value: `var token string = "…"`.
		a, ok := readValue(s, blank, false)
		return a, ok && !a.quoted && operator(s, skipBlank(s, a.end)) != "" && plainType(s[a.start:a.end])
	default:
		return assignment{}, false
	}
	from := blank + len(op)
	if op == "(" || op == "," {
		// A call with the secret as written text: setToken("…"), Setenv("TOKEN", "…").
		// A list of field names has the second form too, so there the value has to look random.
		a, ok := readValue(s, from, false)
		a.firm = op == "("
		return a, ok && a.quoted && (op == "(" || closed)
	}
	a, ok := readValue(s, from, op == "=" || op == ":")
	if !ok {
		return a, false
	}
	if op == ">" || op == "=" && blank == end && !a.quoted && a.start == from {
		a.firm = true
	}
	if op == "=" {
		a.login = !a.quoted && beside(s, start, a.end)
	}
	return a, true
}

func plainType(word string) bool {
	switch word {
	case "string", "str", "is", "String", "was":
		return true
	}
	return false
}

// operators are tried in this order, longer ones first.
var operators = [...]string{":=", "=>", "==", "!=", "?=", "->", "=", ":", "|", "is ", "(", ","}

func operator(s string, at int) string {
	for _, op := range operators {
		if strings.HasPrefix(s[at:], op) {
			return op
		}
	}
	return ""
}

func skipBlank(s string, at int) int {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	return at
}

// schemes stand before the credentials in an authorization header.
var schemes = [...]string{"bearer ", "basic ", "token ", "apikey ", "digest "}

// readValue reads the value that starts at or after at. With lines it may start on the next line, as in YAML blocks
// and chat messages.
func readValue(s string, at int, lines bool) (assignment, bool) {
	at = skipBlank(s, at)
	if lines {
		at = nextLine(s, at)
	}
	for at < len(s) && s[at] == '*' {
		at++
	}
	at = skipBlank(s, at)
	if at+1 < len(s) && (s[at] == 'b' || s[at] == 'f' || s[at] == 'r' || s[at] == '[') && isQuote(s[at+1]) {
		at++
	}
	a := assignment{start: at}
	q := at
	for q < len(s) && s[q] == '\\' {
		q++
	}
	if q < len(s) && isQuote(s[q]) {
		a.quoted, a.firm = true, true
		a.start = q + 1
		a.end = quotedEnd(s, a.start, s[q])
	} else {
		a.end = bareEnd(s, at)
	}
	for _, scheme := range schemes {
		if hasPrefixFold(s[a.start:], scheme) {
			a.header = true
			a.start = skipBlank(s, a.start+len(scheme))
			if !a.quoted {
				a.end = bareEnd(s, a.start)
			}
			break
		}
	}
	if a.end <= a.start {
		return a, false
	}
	if !a.quoted {
		if a.end < len(s) && strings.IndexByte("([{", s[a.end]) >= 0 {
			return a, false // a call or an index, so code
		}
		a.firm = a.header || aloneOnLine(s, a.end)
	}
	return a, true
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// nextLine steps over a YAML block sign and one line break, if that is all that is left of the line.
func nextLine(s string, at int) int {
	i := at
	for i < len(s) && strings.IndexByte("|>-+", s[i]) >= 0 {
		i++
	}
	i = skipBlank(s, i)
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if i < len(s) && s[i] == '\n' {
		i = skipBlank(s, i+1)
		if strings.HasPrefix(s[i:], "- ") {
			i += len("- ")
		}
		return i
	}
	return at
}

// valueReach bounds how much of a value is looked at, in bytes. Longer values are judged by their start and removed
// whole.
const valueReach = 512

func quotedEnd(s string, from int, quote byte) int {
	for i := from; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			return i
		case s[i] == quote:
			for i > from && s[i-1] == '\\' {
				i--
			}
			return i
		}
	}
	return len(s)
}

// runEnd is the end of the unbroken run that goes on at from.
func runEnd(s string, from int) int {
	for from < len(s) && !isSpace(s[from]) && !isQuote(s[from]) {
		from++
	}
	return from
}

// bareEnd is the end of a value without quotes, or of as much of it as is looked at.
func bareEnd(s string, from int) int {
	i := from
	for ; i < len(s) && (i-from < valueReach || !utf8.RuneStart(s[i])); i++ {
		c := s[i]
		if isSpace(c) || strings.IndexByte("\"'`,;<>(){}[]|", c) >= 0 {
			break
		}
		if c == '&' && i+1 < len(s) && isLetter(s[i+1]) && strings.IndexByte(s[i+1:min(len(s), i+nameReach)], '=') >= 0 {
			break // the next part of a query string
		}
		if c == '\\' && i+1 < len(s) && strings.IndexByte("nrt\"'", s[i+1]) >= 0 {
			break
		}
		// `secret=token=…` is two assignments, `ab3=xY9…` is one value.
		if c == '=' && i+1 < len(s) && s[i+1] != '=' && i-from < nameReach && wordy(s[from:i]) {
			break
		}
	}
	for i > from && i-from < valueReach && strings.IndexByte(".:?\\", s[i-1]) >= 0 {
		i--
	}
	return i
}

func aloneOnLine(s string, at int) bool {
	for ; at < len(s); at++ {
		switch c := s[at]; {
		case c == '\n':
			return true
		case c == '#':
			return true
		case c == '\\' && at+1 < len(s) && s[at+1] == 'n':
			return true
		case !isSpace(c) && strings.IndexByte(",;.:\"'`", c) < 0:
			return false
		}
	}
	return true
}

// companions are the other parts of a connection string.
var companions = [...]string{"server=", "data source=", "host=", "user id=", "uid=", "user=", "username=", "dbname=",
	"accountname=", "endpoint="}

// beside reports whether the assignment s[start:end] is one part of a connection string, in which even a short plain
// word is a password. Arguments of a call look alike but have commas and brackets between them.
func beside(s string, start, end int) bool {
	const reach = 256
	before := strings.TrimRight(s[max(0, start-reach):start], " \t")
	if before != "" && strings.IndexByte(",(", before[len(before)-1]) >= 0 {
		return false
	}
	if end < len(s) && (s[end] == ',' || s[end] == ')') {
		return false
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ := strings.Cut(s[end:min(len(s), end+reach)], "\n")
	line := strings.ToLower(before + " " + after)
	for _, c := range companions {
		if strings.Contains(line, c) {
			return true
		}
	}
	return false
}

// namedSpan judges a whole text by the name it was given to: a member of a JSON object carries its context outside
// the string.
func namedSpan(s, name string) (span, bool) {
	if name == "" || s == "" {
		return span{}, false
	}
	kind, plural := rules().kindOf(name)
	if kind == kindNone {
		return span{}, false
	}
	a := assignment{kind: kind, end: len(s), firm: !plural, quoted: true}
	for a.end > 0 && isSpace(s[a.end-1]) {
		a.end--
	}
	for a.start < a.end && isSpace(s[a.start]) {
		a.start++
	}
	for _, scheme := range schemes {
		if hasPrefixFold(s[a.start:a.end], scheme) {
			a.header, a.firm = true, true
			a.start = min(a.end, skipBlank(s, a.start+len(scheme)))
			break
		}
	}
	if a.start >= a.end || !a.secret(s[a.start:a.end]) {
		return span{}, false
	}
	sp := span{start: a.start, end: a.end, rule: ruleAssigned}
	if a.header || kind == kindHeader {
		sp.rule = ruleHeader
	}
	return sp, true
}
