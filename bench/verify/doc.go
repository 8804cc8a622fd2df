// Command verify measures the integrity check: rows per second, next to a plain scan of the same rows by bare SQL, and the
// peak memory of the process at two sizes. A check that held on to rows would need ten times as much at ten times the size.
//
//	verify              prints a Markdown table
//	verify profile DIR  writes cpu.prof of one check into DIR
//
// Environment: BENCH_WORK, QUICK, SIZES.
package main
