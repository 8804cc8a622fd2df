// Package e2e tests Testigo as its users meet it: real processes, real files, an own home folder for every script.
//
// The scripts in testdata/script read like a terminal session. Each begins with the rows of the fault log that it guards.
// Beside the usual commands of testscript there are
//
//	exits N testigo …        the command has to end with exit code N
//	keep NAME [PATTERN]      put the first line of stdout, or what the pattern's group matches, into a variable
//	bytes FILE HEX [N]       make a file of these bytes, N times over
//	patch FILE OFFSET HEX    overwrite bytes of a file
//	swap FILE OLD NEW        put a text in the place of another of the same length
//	readonly DIR             take the right to write from a folder and what is in it
//	powerless N testigo …    like exits, as a user who is not root; the streams are in stdout.txt and stderr.txt
//
// There is no product code here.
package e2e
