package cli

import (
	"strings"
	"testing"
)

func TestManPage(t *testing.T) {
	t.Parallel()
	root := newRootCmd(&app{env: FromOS()})
	for _, cmd := range root.Commands() {
		page := manPage(cmd)
		for _, part := range []string{".TH \"TESTIGO\\-", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n"} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: the page has no %q", cmd.Name(), part)
			}
		}
		if cmd.Example != "" && !strings.Contains(page, ".SH EXAMPLES\n") {
			t.Errorf("%s: the page has no examples", cmd.Name())
		}
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.Contains(".TH .SH .TP .B .nf .fi", strings.Fields(line)[0]) {
				t.Errorf("%s: the line %q would be taken for a macro", cmd.Name(), line)
			}
		}
	}
}
