// Package workspace says which project a directory belongs to, and what state its working tree is in. It is the only
// place that decides the first question: commands, servers, hooks and the page all call Identify, each time anew.
//
// Who wins, first to last:
//
//	the caller's argument → TESTIGO_PROJECT → .testigo.toml, once trusted → git repository → plain folder → none
//
// A repository is known by where its git common directory lives, so a linked worktree, the main checkout and a worktree
// that was deleted since all mean the same project. Identify reads a few small files and never runs git. It believes a
// pointer out of a folder (a .git file or link, a commondir file) only when the other side points back: an unpacked
// archive cannot claim the memory of a repository it merely names.
//
// Capture, Compare and the checks of cited sources do run git, inside a time limit, with the settings switched off
// through which a repository is known to start a program or reach the network. They never fail: they say what they could not
// find out. Files are opened through an os.Root, so that no link leads outside while a check is under way.
//
// What it does not do: it does not follow include files for the remote address (a hint only), does not look inside
// submodules (each is a project of its own), and does not join two clones by their remote.
package workspace
