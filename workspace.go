package testigo

import "time"

// Project says which body of work a directory belongs to. It is computed in one place, package workspace.
type Project struct {
	// ID is the identity stored with facts and packets: an explicit name, or the real path of the repository (its git
	// common directory's parent, so that worktrees belong together) or folder. NoProject when there is none.
	ID string `json:"id"`
	// Kind is "explicit", "git", "folder" or "none".
	Kind string `json:"kind"`
	// Why says in words how the identity was found, or why there is none.
	Why string `json:"why,omitempty"`
	// Root is the directory that relative source paths start from: the worktree's top, or the folder.
	Root string `json:"root,omitempty"`
	// Remote is the normalised remote address, a hint for other machines and never an identity.
	Remote string `json:"remote,omitempty"`
}

// Workspace is the state of a working directory at one moment.
type Workspace struct {
	Project  string `json:"project"`
	Dir      string `json:"dir"`
	Worktree string `json:"worktree,omitempty"`
	Remote   string `json:"remote,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Commit   string `json:"commit,omitempty"`
	// Dirty lists changed, added and untracked files that git does not ignore, at most MaxDirtyFiles of them.
	Dirty      []DirtyFile `json:"dirty,omitempty"`
	DirtyTotal int         `json:"dirty_total,omitempty"`
	// Ahead and Behind count commits against the upstream branch; -1 when there is none.
	Ahead  int `json:"ahead"`
	Behind int `json:"behind"`
	// Incomplete says what could not be read (no git, a time limit), empty when everything was.
	Incomplete string    `json:"incomplete,omitempty"`
	At         time.Time `json:"at"`
}

// MaxDirtyFiles bounds the dirty list of a workspace; DirtyTotal tells how many there were.
const MaxDirtyFiles = 200

// DirtyFile is a file that differs from the commit. SHA256 is the hash of its content, empty when it was deleted or too
// large to hash (16 MiB).
type DirtyFile struct {
	Path   string `json:"path"`
	State  string `json:"state"` // modified, added, deleted, renamed, untracked, conflicted
	SHA256 string `json:"sha256,omitempty"`
}

// WorkspaceChange says how a workspace differs from what a packet captured.
type WorkspaceChange struct {
	// Status is "same", "moved", "elsewhere" (another project), "gone" (the repository is not here) or "unchecked".
	Status string `json:"status"`
	// Commits lists up to ten commits made since, newest first, as "abc1234 subject"; CommitsTotal counts them.
	Commits      []string `json:"commits,omitempty"`
	CommitsTotal int      `json:"commits_total,omitempty"`
	// Files lists files of the packet (its dirty files) whose content is not what it was.
	Files []string `json:"files,omitempty"`
	// Notes are short sentences: branch missing, commit unknown, other branch, dirty now.
	Notes []string `json:"notes,omitempty"`
}

// StaleSource is one cited source that is not what it was when the fact was written.
type StaleSource struct {
	Path   string `json:"path,omitempty"`
	Commit string `json:"commit,omitempty"`
	// State is "changed", "missing" or "unchecked".
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}
