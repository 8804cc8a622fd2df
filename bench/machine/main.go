package main

import (
	"fmt"
	"os"
	"time"

	"github.com/testigo/testigo/bench/measure"
)

func main() {
	dir, cleanup, err := measure.Work()
	if err != nil {
		fmt.Fprintln(os.Stderr, "machine:", err)
		os.Exit(1)
	}
	defer cleanup()
	kind := ""
	if measure.Quick() {
		kind = " (QUICK: small sizes, the numbers mean little)"
	}
	fmt.Printf("## Measured on %s%s\n\n%s", time.Now().UTC().Format("2 January 2006"), kind, measure.Machine(dir))
}
