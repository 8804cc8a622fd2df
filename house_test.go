package testigo_test

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/testigo/testigo"

// layers says what each package of ours may import of ours. "leaf" packages import at most the root and other leaves
// named here; faces reach use cases, never one another; only cli, the composition root, reaches everything.
var layers = map[string][]string{
	"":                   {},
	"canonical":          {""},
	"witness":            {""},
	"search":             {""},
	"redact":             {},
	"workspace":          {""},
	"proc":               {""},
	"memory":             {"", "canonical", "witness", "search", "redact", "workspace"},
	"handoff":            {"", "memory", "search", "workspace", "proc"},
	"engine":             {"", "memory", "handoff", "canonical", "search"},
	"supervise":          {""},
	"provider/demo":      {""},
	"provider/command":   {"", "supervise"},
	"provider/inbox":     {""},
	"sqlite":             {""},
	"storetest":          {"", "storetest/memstore"},
	"storetest/memstore": {""},
	"mcp":                {"", "memory", "handoff", "workspace", "proc", "redact"},
	"demo":               {"", "memory", "handoff"},
	"cli":                {"", "memory", "handoff", "workspace", "proc", "redact", "sqlite", "mcp", "demo"},
	"cmd/testigo":        {"cli"},
}

// toolFolders hold benchmarks and end-to-end tests: they may import anything, and nothing imports them.
var toolFolders = []string{"bench", "e2e"}

// The import graph points inward (architecture.md, firm rule 1).
func TestImportGraph(t *testing.T) {
	t.Parallel()
	walk(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		if inTools(pkg) {
			return
		}
		allowed, known := layers[pkg]
		if !known {
			t.Errorf("%s: package %q has no layer; say in house_test.go where it belongs", path, pkg)
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, im := range f.Imports {
			target, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				t.Error(err)
			}
			checkImport(t, path, pkg, target, allowed)
		}
	})
}

func checkImport(t *testing.T, path, pkg, target string, allowed []string) {
	t.Helper()
	rel, ours := strings.CutPrefix(target, module)
	rel = strings.TrimPrefix(rel, "/")
	switch {
	case ours && inTools(rel):
		t.Errorf("%s imports %s: nothing of the product imports tools", path, rel)
	case ours && !slices.Contains(allowed, rel):
		t.Errorf("%s imports %q, which package %q may not", path, rel, pkg)
	case !ours && pkg == "" && strings.Contains(strings.Split(target, "/")[0], "."):
		t.Errorf("%s imports %s: the domain imports the standard library only", path, target)
	}
}

func inTools(pkg string) bool {
	return slices.ContainsFunc(toolFolders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
}

// No file grows beyond 600 lines, and no package is called by what it is made of (architecture.md, firm rule 10).
func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	const limit = 600
	walk(t, func(path string) {
		f, err := os.Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		lines := 0
		for sc := bufio.NewScanner(f); sc.Scan(); {
			lines++
		}
		if lines > limit {
			t.Errorf("%s has %d lines; over %d a second concept wants a name", path, lines, limit)
		}
		for _, part := range strings.Split(filepath.ToSlash(path), "/") {
			switch strings.TrimSuffix(part, ".go") {
			case "util", "utils", "helper", "helpers", "common", "types", "misc":
				t.Errorf("%s: %q says nothing about what is in it", path, part)
			}
		}
	})
}

// Every package says what it promises.
func TestEveryPackageHasADocFile(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	walk(t, func(path string) { dirs[filepath.Dir(path)] = true })
	for dir := range dirs {
		if dir == filepath.FromSlash("cmd/testigo") {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "doc.go")); err != nil {
			t.Errorf("package %s has no doc.go", dir)
		}
	}
}

// walk visits every Go file of the repository.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".go") {
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
