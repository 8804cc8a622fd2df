// Package sqlite keeps a Testigo store in one SQLite file. It implements testigo.Store; package storetest defines what
// that means.
//
// Beside the database stand small files of its own. All of them are private to the user (0600, their folder 0700):
//
//	testigo.db         the store: one SQLite database in WAL mode, marked with the application id "TSTG"
//	testigo.db-wal     SQLite's log of commits not yet copied into the database
//	testigo.db-shm     SQLite's index of that log, shared memory of all processes
//	testigo.db.turn    the turnstile: a writer holds "turn" only while it waits for "lock" …
//	testigo.db.lock    … and "lock" while it writes; the holder's process id stands in it
//	testigo.db.wake    the bell: one byte is written here after a commit that somebody may wait for
//
// What happens on a write, across processes:
//
//	take a place in this process → turn → lock → give turn back → BEGIN IMMEDIATE → your function → COMMIT (on disk)
//	→ give lock back → ring the bell → copy the log into the database when it has grown past 4,000 pages
//
// SQLite's own waiting is not fair: with 16 writers some of them write nothing for as long as the run lasts. The two
// locks make a queue of it, and the kernel gives them back when a process dies.
//
// The database file is never opened here except through SQLite: its locks are POSIX locks, and closing any other
// descriptor of the file would drop them. (Its header is read only while this process has no connection to it, and its
// raw bytes are searched by a child process.) Lock files and bell are files of their own for the same reason.
//
// SQL stands in queries/*.sql, one named query per question; a test explains the plan of each. Migrations stand in
// migrations/*.sql.
package sqlite
