// Command search measures reading: recall by name and search through the use case at several store sizes, against the bare
// queries through the same driver on the same file, and against SQLite built in C.
//
// Every contender is a process of its own. Every question is asked once of each, in turning order, and no question is
// asked twice: the product keeps the frequencies of terms it has seen, which repeated questions would flatter. Three
// rounds of other questions give three ratios, of which the median counts.
//
// What the contenders answer with differs, and the product's side is the larger one: 50 candidates with their index text,
// ranked again, the number of matches, and the facts with age and standing, where the bare query reads ten rows ordered by
// bm25(), the fastest plain form that was found. Above 100,000 rows the product leaves the most frequent words out when
// rarer ones give enough; the bare query never does.
//
//	search              prints Markdown tables
//	search profile DIR  writes cpu.prof of searches into DIR
//
// Environment: BENCH_WORK, CSQLITE, QUICK, SIZES ("10000,100000").
package main
