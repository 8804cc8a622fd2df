module github.com/testigo/testigo/bench/csqlite

go 1.26.0

require (
	github.com/mattn/go-sqlite3 v1.14.53
	github.com/testigo/testigo v0.0.0
)

replace github.com/testigo/testigo => ../..
