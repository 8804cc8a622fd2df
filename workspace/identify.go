package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
)

// maxNameLen bounds a project's explicit name, in characters.
const maxNameLen = 200

// noneArg is how an argument says "no project".
const noneArg = "none"

// Options is what Identify knows besides the directory. Nothing is read from the environment except where a field says so.
type Options struct {
	// Explicit is the caller's argument: "none", a name, or a path (it starts with / or ./ or ../ or ~). "" derives.
	Explicit string
	// EnvProject is the value of TESTIGO_PROJECT, read like Explicit.
	EnvProject string
	// Home and TempDir are the user's home and temporary directory; the operating system is asked when they are empty.
	Home    string
	TempDir string
	// Trusted says whether the user trusts the settings file at path. Nil trusts none.
	Trusted func(path string) bool
}

// spot is one directory, resolved, with what surrounds it.
type spot struct {
	dir    string // real path, "" when the caller has no directory
	repo   repo
	inRepo bool
	none   string // why it is no project, "" when it is one
}

// Identify says which project dir belongs to. It fails only when something the caller or the user wrote explicitly
// cannot be honoured; a directory that is no project is an answer of kind "none".
func Identify(dir string, o Options) (testigo.Project, error) {
	here := o.spot(dir)
	switch {
	case o.Explicit != "":
		return o.explicit(here, "project", o.Explicit, "the project argument")
	case o.EnvProject != "":
		return o.explicit(here, "TESTIGO_PROJECT", o.EnvProject, "TESTIGO_PROJECT")
	}
	return o.derive(here)
}

func (o Options) spot(dir string) spot {
	if dir == "" {
		return spot{none: "the caller has no directory"}
	}
	s := spot{dir: resolve(dir)}
	if s.repo, s.inRepo = findRepo(s.dir); !s.inRepo {
		s.none = o.noProject(s.dir)
	}
	return s
}

// noProject says why a plain folder is no project: too much unrelated work meets there. What lies below it may be one.
func (o Options) noProject(dir string) string {
	home, temp := o.Home, o.TempDir
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if temp == "" {
		temp = os.TempDir()
	}
	switch {
	case filepath.Dir(dir) == dir:
		return "the root directory is no project"
	case home != "" && dir == resolve(home):
		return "the home directory is no project"
	}
	for _, t := range []string{temp, "/tmp", "/var/tmp"} {
		if filepath.IsAbs(t) && dir == resolve(t) {
			return "a directory for temporary files is no project"
		}
	}
	return ""
}

// project is what the surroundings alone say.
func (s spot) project() testigo.Project {
	switch {
	case s.none != "":
		return testigo.Project{Kind: "none", Why: s.none}
	case s.inRepo && s.repo.gitDir != "":
		return testigo.Project{ID: identityText(s.repo.id), Kind: "git", Why: s.repo.why, Root: s.repo.root, Remote: s.repo.remote()}
	case s.inRepo:
		return testigo.Project{ID: identityText(s.repo.id), Kind: "folder", Why: s.repo.why, Root: s.repo.root}
	}
	return testigo.Project{ID: identityText(s.dir), Kind: "folder", Why: "no git repository around it: the folder itself", Root: s.dir}
}

// derive answers from the surroundings and the user's settings file.
func (o Options) derive(s spot) (testigo.Project, error) {
	p := s.project()
	path := o.settingsFile(s)
	if path == "" {
		return p, nil
	}
	trusted := o.Trusted != nil && o.Trusted(path)
	name, err := readSettings(path)
	if !trusted {
		if err == nil && name != "" {
			p.Why += "; " + settingsName + " names the project " + quote(name) + ", which counts only after testigo trust"
		}
		return p, nil
	}
	if err != nil {
		return testigo.Project{}, testigo.Invalid("project", "%s cannot be read: %s", path, err).WithNext("correct the file, or pass project")
	}
	if name == "" {
		return p, nil
	}
	if isPath(name) {
		return testigo.Project{}, testigo.Invalid("project", "%s: project must be a name, not a path", path).WithNext("correct the file, or pass project")
	}
	return o.explicit(s, "project", name, path)
}

// explicit honours a name or path that somebody gave, or refuses it; it never answers with another project.
func (o Options) explicit(here spot, field, value, source string) (testigo.Project, error) {
	if value == noneArg {
		return testigo.Project{Kind: "none", Why: source + " asks for none", Root: here.project().Root}, nil
	}
	if isPath(value) {
		return o.explicitPath(here, field, value, source)
	}
	name := norm.NFC.String(value)
	if err := checkName(field, name); err != nil {
		return testigo.Project{}, err
	}
	around := here.project()
	return testigo.Project{ID: name, Kind: "explicit", Why: "named by " + source, Root: around.Root, Remote: around.Remote}, nil
}

func (o Options) explicitPath(here spot, field, value, source string) (testigo.Project, error) {
	if r, bad := testigo.HasHidden(value); bad {
		return testigo.Project{}, testigo.Invalid(field, "contains the control or direction character U+%04X", r)
	}
	path, err := o.expand(here, field, value)
	if err != nil {
		return testigo.Project{}, err
	}
	p, err := o.derive(o.spot(path))
	if err != nil {
		return testigo.Project{}, err
	}
	if p.Kind == "none" {
		return testigo.Project{}, testigo.Invalid(field, "%s: %s", quote(value), p.Why).WithNext(`pass a name, or "none" for facts that all projects share`)
	}
	p.Why = source + " gives the path " + quote(value) + ": " + p.Why
	return p, nil
}

// isPath reports whether an argument means a path rather than a name.
func isPath(v string) bool {
	if v == "." || v == ".." || filepath.IsAbs(v) {
		return true
	}
	for _, prefix := range []string{"/", "./", "../", "~", `.\`, `..\`} {
		if strings.HasPrefix(v, prefix) {
			return true
		}
	}
	return false
}

// expand makes a path argument absolute: "~" is the home directory, anything relative starts at the caller's directory.
func (o Options) expand(here spot, field, v string) (string, error) {
	if rest, ok := strings.CutPrefix(v, "~"); ok {
		if rest != "" && !os.IsPathSeparator(rest[0]) {
			return "", testigo.Invalid(field, "%s: only ~ alone stands for a home directory", quote(v)).WithNext("write the path in full")
		}
		home := o.Home
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		if home == "" {
			return "", testigo.Invalid(field, "%s: the home directory is not known", quote(v)).WithNext("write the path in full")
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(v) {
		return v, nil
	}
	if here.dir == "" {
		return "", testigo.Invalid(field, "%s is relative and the caller has no directory", quote(v)).WithNext("write the path in full")
	}
	return filepath.Join(here.dir, v), nil
}

func checkName(field, name string) error {
	switch {
	case !utf8.ValidString(name):
		return testigo.Invalid(field, "must be valid UTF-8")
	case utf8.RuneCountInString(name) > maxNameLen:
		return testigo.Invalid(field, "has %d characters; at most %d are allowed", utf8.RuneCountInString(name), maxNameLen)
	case strings.TrimSpace(name) != name || name == "":
		return testigo.Invalid(field, "must not be empty or start or end with white space")
	}
	if r, bad := testigo.HasHidden(name); bad {
		return testigo.Invalid(field, "contains the control or direction character U+%04X", r)
	}
	return nil
}
