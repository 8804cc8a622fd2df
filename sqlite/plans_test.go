package sqlite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
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

var (
	ordinaryScan = regexp.MustCompile(`^SCAN (\w+)( |$)`)
	readsByKey   = map[string]bool{ // by primary key with a LIMIT, as firm rule 8 allows; the aliases of the tables
		"handoffs_any": true, "count_any": true, "max_text": true, "text_ends": true,
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

// The program asks for queries that exist, and asks every one.
func TestEveryQueryIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, way := range []string{"to", "held", "sent", "in", "any"} { // names put together from two parts
		used["handoffs_"+way], used["count_"+way] = true, true
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
