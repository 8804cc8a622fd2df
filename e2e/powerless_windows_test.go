package e2e

import "github.com/rogpeppe/go-internal/testscript"

func giveAway(string) error { return nil }

func powerless(ts *testscript.TestScript, neg bool, args []string) { exits(ts, neg, args) }
