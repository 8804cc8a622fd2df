package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// The picture in doc.go is the transition table of the domain.
func TestPictureIsTheTable(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for _, from := range testigo.DeliveryStates() {
		var to []string
		for _, s := range testigo.DeliveryStates() {
			if s != from && testigo.CanDeliver(from, s) {
				to = append(to, string(s))
			}
		}
		next := strings.Join(to, " ")
		if next == "" {
			next = "(over)"
		}
		fmt.Fprintf(&want, "//\t%-14s → %s\n", from, next)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), want.String()) {
		t.Errorf("doc.go should show\n%s", want.String())
	}
}
