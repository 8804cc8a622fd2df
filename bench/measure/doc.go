// Package measure holds what every benchmark here shares: quantiles and ratios, Markdown tables, the description of the
// machine, and children that are measured one at a time.
//
// What counts as a result is a ratio of two contenders that ran side by side in the same minutes on the same disk. Each
// round runs every contender once, the order turns from round to round, and the ratio reported is the median of the
// rounds' ratios with the lowest and highest beside it. Absolute numbers stand next to it for orientation only.
//
// A contender runs in a process of its own, which prints one JSON Run, so that nobody pays for another one's garbage
// collector, page cache or peak memory.
package measure
