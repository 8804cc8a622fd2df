//go:build !unix

package workspace

// openFlags is empty: opening a file does not wait here.
const openFlags = 0
