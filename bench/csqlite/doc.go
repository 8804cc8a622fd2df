// Command csqlite does the work of package bare through SQLite built in C (github.com/mattn/go-sqlite3), for the other
// benchmarks to start. It is a module of its own, so that the product needs neither the driver nor a C compiler.
//
//	csqlite write STORE ROWS N         the first N rows, one transaction each
//	csqlite contend STORE ROWS SECONDS write rows until time is over, with busy_timeout alone between processes
//	csqlite search STORE               answers questions from standard input with their times in ms
//
// It is built by bench/run with CGO_ENABLED=1, the tag sqlite_fts5 and HAVE_FDATASYNC, so that it syncs as SQLite built in
// C does where fdatasync exists, and as the product asks its own driver to.
package main
