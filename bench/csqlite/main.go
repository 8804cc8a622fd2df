package main

import (
	"context"
	"fmt"
	"os"

	_ "github.com/mattn/go-sqlite3" // registers the driver

	"github.com/testigo/testigo/bench/bare"
)

func main() {
	if err := bare.Main(context.Background(), "sqlite3", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "csqlite:", err)
		os.Exit(1)
	}
}
