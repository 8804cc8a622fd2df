package cli

import "strings"

// handoffID completes an id that was typed without its beginning: of "1a2b3c4d" and "1a2b3c#2" it is clear what they mean.
// Ids of other tools have another form and stay as they are.
func handoffID(arg string) string {
	id, _, _ := strings.Cut(arg, "#")
	if len(id) < 6 || len(id) > 8 || strings.Trim(id, "0123456789abcdefABCDEF") != "" {
		return arg
	}
	return "h_" + strings.ToLower(id) + arg[len(id):]
}
