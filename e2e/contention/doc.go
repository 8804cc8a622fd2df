// Package contention lets many processes write one store at once. What is asserted is what a caller must be able to rely
// on: no lock error reaches it, no write is lost, order is the commits', and nobody starves. How long the slowest write
// took is printed, and measured properly by `make bench`.
package contention
