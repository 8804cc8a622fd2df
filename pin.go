package testigo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Pin is a reference to one exact version of a fact.
type Pin struct {
	Name    Name
	Version int
}

func (p Pin) String() string { return p.Name.Ref(p.Version) }

// Ref is what a caller writes to mean a fact or one of its versions: "scope/key", "scope/key@3", or the same as an
// object with an optional project. Version 0 means none was given.
type Ref struct {
	// Project is nil when the caller named none: look in the caller's project, then in none.
	Project *string
	Scope   string
	Key     string
	Version int
}

func (r Ref) String() string {
	if r.Version > 0 {
		return fmt.Sprintf("%s/%s@%d", r.Scope, r.Key, r.Version)
	}
	return r.Scope + "/" + r.Key
}

// ParseRef reads "scope/key" or "scope/key@version". The digits after the last "@" are the version; an "@" followed by
// anything else belongs to the key.
func ParseRef(s string) (Ref, error) {
	name, version := cutVersion(s)
	if version == 0 {
		return Ref{}, Invalid("refs", "%q: versions start at 1", s)
	}
	n, err := NewName(NoProject, "", name)
	if err != nil {
		e := AsError(err)
		return Ref{}, Invalid("refs", "%q is not a fact name: %s", s, e.Field+" "+e.Msg).WithNext("write scope/key or scope/key@version")
	}
	return Ref{Scope: n.Scope, Key: n.Key, Version: max(version, 0)}, nil
}

// UnmarshalJSON reads a ref as a string or as {"project", "scope", "key", "version"}; other members are refused.
func (r *Ref) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		ref, err := ParseRef(s)
		*r = ref
		return err
	}
	var o struct {
		Project *string `json:"project"`
		Scope   string  `json:"scope"`
		Key     string  `json:"key"`
		Version int     `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return Invalid("refs", "each is \"scope/key\", \"scope/key@version\" or an object with project, scope, key, version")
	}
	if o.Version < 0 {
		return Invalid("refs", "versions start at 1")
	}
	n, err := NewName(NoProject, o.Scope, o.Key)
	if err != nil {
		e := AsError(err)
		return Invalid("refs", "%s %s", e.Field, e.Msg)
	}
	*r = Ref{Project: o.Project, Scope: n.Scope, Key: n.Key, Version: o.Version}
	return nil
}

// cutVersion splits "name@12" into name and 12; version is -1 when s names none.
func cutVersion(s string) (name string, version int) {
	i := strings.LastIndexByte(s, '@')
	if i < 0 || i == len(s)-1 {
		return s, -1
	}
	for _, c := range []byte(s[i+1:]) {
		if c < '0' || c > '9' {
			return s, -1
		}
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil { // more digits than an int holds: certainly no version we know
		return s[:i], int(^uint(0) >> 1)
	}
	return s[:i], n
}
