// Package inbox is the provider of agents that nobody can wake: they pick up by themselves. It never writes, its activity is
// always unknown, and Prepare says why.
package inbox
