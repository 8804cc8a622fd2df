package redact

import (
	"strings"
	"testing"
)

func TestJSONKeepsTheBytesOfEverythingElse(t *testing.T) {
	t.Parallel()
	in := "{ \"b\" : [1.0, 1e5,\t-0, 12345678901234567890.10],\n \"a\":\"caf\\u00e9 \\/ \\\"x\\\"\", \"a\":null, \"\":{}, " +
		"\"msg\":\"use @ \\u00e9\\n\" , \"z\": true }\n"
	in = strings.Replace(in, "@", githubToken(), 1)
	want := strings.Replace(strings.Replace(in, githubToken(), "[redacted:github-pat]", 1),
		"[redacted:github-pat] \\u00e9", "[redacted:github-pat] é", 1)
	out, res, err := JSON([]byte(in))
	if err != nil || string(out) != want {
		t.Errorf("got\n%s\n%v, want\n%s", out, err, want)
	}
	if res.Text != want || res.Total() != 1 || res.Removed != len(githubToken()) {
		t.Errorf("result %+v", res)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	v := mixed(40)
	escaped := `\u0067hp_` + mixed(36)
	for _, tc := range []struct{ name, in, want string }{
		{"context of a name", `{"api_token":"@"}`, `{"api_token":"[redacted:assigned-secret]"}`},
		{"short password", `{"password":"hunt` + `er2"}`, `{"password":"[redacted:assigned-secret]"}`},
		{"list under a name", `{"tokens":["@","two words"]}`, `{"tokens":["[redacted:assigned-secret]","two words"]}`},
		{"header", `{"Authorization":"Bearer @"}`, `{"Authorization":"Bearer [redacted:authorization-header]"}`},
		{"name beside value", `{"name":"API_TOKEN","value":"@"}`, `{"name":"API_TOKEN","value":"[redacted:assigned-secret]"}`},
		{"plain name beside value", `{"name":"LANG","value":"@"}`, `{"name":"LANG","value":"@"}`},
		{"escape", `["` + escaped + `"]`, `["[redacted:github-pat]"]`},
		{"object name", `{"` + escaped + `":1}`, `{"[redacted:github-pat]":1}`},
		{"names that become equal", `{"` + escaped + `":1,"` + githubToken() + `x":2,"` + githubToken() + `":3}`,
			`{"[redacted:github-pat]":1,"[redacted:github-pat]x":2,"[redacted:github-pat]#2":3}`},
		{"equal names that came so", `{"[redacted:jwt]":1,"[redacted:jwt]":2}`, `{"[redacted:jwt]":1,"[redacted:jwt]":2}`},
		{"document in a string", `["{\"token\":\"@\"}"]`, `["{\"token\":\"[redacted:assigned-secret]\"}"]`},
		{"string", `"token: @"`, `"token: [redacted:assigned-secret]"`},
		{"words", `{"password":"see docs","token":"none","secret":null,"api_key":12}`,
			`{"password":"see docs","token":"none","secret":null,"api_key":12}`},
		{"number", ` 1.50 `, ` 1.50 `},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in, want := strings.ReplaceAll(tc.in, "@", v), strings.ReplaceAll(tc.want, "@", v)
			out, _, err := JSON([]byte(in))
			if err != nil || string(out) != want {
				t.Fatalf("JSON(%s)\n got %s, %v\nwant %s", in, out, err, want)
			}
			again, res, err := JSON(out)
			if err != nil || string(again) != want || res.Total() != 0 {
				t.Errorf("again: %s, %+v, %v", again, res, err)
			}
		})
	}
}

func TestJSONRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if _, _, err := JSON([]byte(deep)); err != nil {
		t.Errorf("%d levels: %v", maxDepth, err)
	}
	secret := githubToken()
	for name, in := range map[string]string{
		"too deep": "[" + deep + "]", "empty": "", "two": `1 2`, "cut": `{"a":"` + secret, "comma": `[1,]`,
		"invalid UTF-8": "\"\xff\"", "lone surrogate": `"\ud800"`, "bare": secret, "bad escape": `"\x` + secret + `"`,
	} {
		out, res, err := JSON([]byte(in))
		if err == nil || out != nil || res.Text != "" {
			t.Errorf("%s: got %q, %v", name, out, err)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	v := mixed(40)
	for _, tc := range []struct {
		text, rule string
	}{
		{githubToken(), "github-pat"},
		{" \n" + githubToken() + "\n", "github-pat"},
		{"export API_TOKEN=" + v, ruleAssigned},
		{"<private>all of it", rulePrivate},
		{pem("PRIVATE KEY"), rulePEM},
		{strings.Repeat("é", 39) + " " + githubToken(), "github-pat"},
		{strings.Repeat("é", 40) + " " + githubToken(), ""},
		{"the deploy token for staging, kept in the vault under ci/deploy: token=" + v, ""},
		{"[redacted:github-pat]", ""},
		{"", ""},
		{"plain words", ""},
	} {
		if rule, whole := Whole(tc.text); rule != tc.rule || whole != (tc.rule != "") {
			t.Errorf("Whole(%q) = %q, %v, want %q", tc.text, rule, whole, tc.rule)
		}
	}
}

func TestWholeJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, rule string }{
		{`{"a":["` + githubToken() + `"]}`, "github-pat"},
		{`{"` + githubToken() + `":1}`, "github-pat"},
		{`{"api_token":"` + mixed(40) + `"}`, ruleAssigned},
		{`{"a":"a long explanation of where this one came from: ` + githubToken() + `"}`, ""},
		{`[1,null,"x"]`, ""},
	} {
		rule, whole, err := WholeJSON([]byte(tc.in))
		if err != nil || rule != tc.rule || whole != (tc.rule != "") {
			t.Errorf("WholeJSON(%s) = %q, %v, %v, want %q", tc.in, rule, whole, err, tc.rule)
		}
	}
	if _, whole, err := WholeJSON([]byte(`["` + githubToken() + `"`)); err == nil || whole {
		t.Errorf("half a document: %v, %v", whole, err)
	}
}

func TestIgnoredFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".env", "a/.env", ".env.local", "/x/.ENV.production", "prod.env", "server.pem", "C:\\k\\Server.PEM",
		"~/.ssh/id_rsa", "id_rsa.bak", "id_ed25519", "/root/.ssh/config", ".aws/credentials", "a/.kube/config", ".npmrc",
		"terraform.tfstate", "x.p12", "secrets.yaml", "./a/../.env"} {
		if !IgnoredFile(file) {
			t.Errorf("IgnoredFile(%q) = false", file)
		}
	}
	for _, file := range []string{"", ".", "/", "main.go", "env.go", "environment", "docs/env.md", "config", "kube/config", "keys.go",
		"password_test.go", ".envoy.yaml", "monkey.txt", "pem.go"} {
		if IgnoredFile(file) {
			t.Errorf("IgnoredFile(%q) = true", file)
		}
	}
}
