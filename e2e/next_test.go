package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// destructive are words that an agent which follows advice to the letter would act on.
var destructive = regexp.MustCompile(`(?i)\b(delete|drop|rm|remove|reset|force|forget|erase|overwrite|truncate|wipe|purge|destroy|clean|reinstall|recreate|init|kill)\b|--force|--yes`)

// Fault Z01: no error text names a step that destroys anything. Every Next of the product is looked at: what is given to
// WithNext, and what is assigned to a field Next.
func TestNextStepsDestroyNothing(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "e2e" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".") && path != "..") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range nextTexts(file) {
			seen++
			if word := destructive.FindString(at.text); word != "" {
				t.Errorf("%s: %q advises to %s", fset.Position(at.pos), at.text, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d texts were found; the search is broken", seen)
	}
}

type nextText struct {
	text string
	pos  token.Pos
}

// nextTexts collects the string literals of every next step in a file.
func nextTexts(file *ast.File) []nextText {
	var out []nextText
	add := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					out = append(out, nextText{s, lit.Pos()})
				}
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "WithNext" {
				for _, a := range n.Args {
					add(a)
				}
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Next" {
				add(n.Value)
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if sel, ok := l.(*ast.SelectorExpr); ok && sel.Sel.Name == "Next" && i < len(n.Rhs) {
					add(n.Rhs[i])
				}
			}
		}
		return true
	})
	return out
}
