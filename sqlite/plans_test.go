package sqlite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scanning queries may walk over a whole table; each says so after "Exception" in its file.
func scanning(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	matches, err := fs.Glob(queryFiles, "queries/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range matches {
		b, err := queryFiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^-- name: (\S+)\n-- (.*)$`).FindAllStringSubmatch(string(b), -1) {
			names[m[1]] = strings.HasPrefix(m[2], "Exception:")
		}
	}
	return names
}

// allWays are the suffixes of lists and counts of handoffs, with what the plan of each has to begin with.
var allWays = map[string]string{
	"return":  "INDEX handoffs_return_for (return_for=? AND rowid>? AND rowid<?)",
	"thread":  "INDEX handoffs_thread (thread=? AND rowid>? AND rowid<?)",
	"held":    "INDEX handoffs_holder (holder=?",
	"due":     "INDEX handoffs_due (state=? AND due_at<?)",
	"unread":  "INDEX handoffs_unread (recipient=? AND rowid>? AND rowid<?)",
	"waiting": "INDEX handoffs_recipient (recipient=? AND state=?",
	"to":      "INDEX handoffs_to (recipient=? AND rowid>? AND rowid<?)",
	"sent":    "INDEX handoffs_from (sender=? AND rowid>? AND rowid<?)",
	"in":      "INDEX handoffs_state (state=? AND rowid>? AND rowid<?)",
	"any":     "INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
}

// pages are the ways whose rows come in order, so that a page costs what is on it and not what is behind it.
var pages = []string{"return", "thread", "unread", "to", "sent", "any"}

var (
	ordinaryScan = regexp.MustCompile(`^SCAN (\w+)( |$)`)
	readsByKey   = map[string]bool{ // by primary key with a LIMIT, as firm rule 8 allows; the aliases of the tables
		"handoffs_any": true, "newest_any": true, "count_any": true, "max_text": true, "text_ends": true,
	}
)

// Every query uses an index, and every search of the index has a MATCH.
func TestQueryPlans(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	described := scanning(t)
	for name, text := range queries() {
		scans, ok := described[name]
		if !ok {
			t.Errorf("%s: no comment says which index it relies on", name)
		}
		switch strings.Fields(text)[0] {
		case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE":
		default:
			continue
		}
		rows, err := s.db.Query("EXPLAIN QUERY PLAN "+text, make([]any, 32)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			m := ordinaryScan.FindStringSubmatch(detail)
			switch {
			case m == nil || scans || readsByKey[name]:
			case strings.Contains(detail, "VIRTUAL TABLE INDEX"):
				if strings.HasPrefix(m[1], "fact_fts") && !strings.Contains(detail, "M") {
					t.Errorf("%s: full-text search without MATCH: %s", name, detail)
				}
			case m[1] == "p" && name == "projects", m[1] == "c", strings.HasPrefix(m[1], "subquery"), m[1] == "CONSTANT":
				// rows of a part of the query itself
			default:
				t.Errorf("%s: %s", name, detail)
			}
		}
		rows.Close()
	}
}

// Lists and counts of handoffs come in by the index that was made for them, and pages are not sorted.
func TestHandoffListsUseTheirIndex(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	for way, index := range allWays {
		for _, kind := range []string{"handoffs_", "newest_", "count_"} {
			rows, err := s.db.Query("EXPLAIN QUERY PLAN "+queries()[kind+way], make([]any, 32)...)
			if err != nil {
				t.Fatalf("%s: %v", kind+way, err)
			}
			var plan []string
			for rows.Next() {
				var id, parent, unused int
				var detail string
				if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
					t.Fatal(err)
				}
				plan = append(plan, detail)
			}
			rows.Close()
			if len(plan) == 0 || !strings.HasPrefix(plan[0], "SEARCH h USING "+index) {
				t.Errorf("%s begins with %q, want %s", kind+way, plan, index)
			}
			if sorted := strings.Contains(strings.Join(plan, "\n"), "TEMP B-TREE"); sorted && slices.Contains(pages, way) {
				t.Errorf("%s sorts", kind+way)
			}
		}
	}
}

// The program asks for queries that exist, and asks every one.
func TestEveryQueryIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for way := range allWays { // names put together from two parts
		used["handoffs_"+way], used["newest_"+way], used["count_"+way] = true, true, true
	}
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(i fs.FileInfo) bool { return !strings.HasSuffix(i.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					used[s] = true
					if regexp.MustCompile(`(?i)^\s*(select|insert|update|delete|create) `).MatchString(s) {
						t.Errorf("SQL in Go: %q", s)
					}
				}
			}
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
				sel, ok := call.Fun.(*ast.SelectorExpr)
				lit, isLit := call.Args[0].(*ast.BasicLit)
				if ok && isLit && (sel.Sel.Name == "exec" || sel.Sel.Name == "row") {
					if name, err := strconv.Unquote(lit.Value); err == nil && queries()[name] == "" {
						t.Errorf("no query named %q", name)
					}
				}
			}
			return true
		})
	}
	for name := range queries() {
		if !used[name] {
			t.Errorf("query %s is not used", name)
		}
	}
}
