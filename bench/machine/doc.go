// Command machine prints the head of the benchmarks' document: when and where it was measured.
package main
