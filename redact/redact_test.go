package redact

import (
	"strings"
	"testing"
)

// removed checks that secret is gone from text and that one of rules took it.
func removed(t *testing.T, text, secret string, rules ...string) Result {
	t.Helper()
	res := Text(text)
	if strings.Contains(res.Text, secret) {
		t.Errorf("secret still there:\n got %q", res.Text)
	}
	if res.Total() == 0 || res.Removed < len(secret) {
		t.Errorf("total %d, removed %d bytes of a secret of %d", res.Total(), res.Removed, len(secret))
	}
	for _, rule := range rules {
		if !strings.Contains(res.Text, marker(rule)) {
			t.Errorf("no %s in %q", marker(rule), res.Text)
		}
	}
	if again := Text(res.Text); again.Text != res.Text || again.Total() != 0 {
		t.Errorf("a second call changed\n%q to\n%q", res.Text, again.Text)
	}
	return res
}

func stays(t *testing.T, text string) {
	t.Helper()
	if res := Text(text); res.Text != text || res.Total() != 0 || res.Removed != 0 {
		t.Errorf("Text(%q)\n    = %q %v, want it unchanged", text, res.Text, res.Findings)
	}
}

// X02: an `export NAME=value` line was captured by a stop hook and sent out. The answer says how many were masked.
func TestX02CapturedSecretsAreMaskedAndCounted(t *testing.T) {
	t.Parallel()
	token, key, password, web := mixed(40), pem("RSA PRIVATE KEY"), "s3cr3t"+"-pw", jwt()
	text := "ran:\nexport API_TOKEN=" + token + "\nthen cat key:\n" + key +
		"\npsql postgres://app:" + password + "@db.internal:5432/app\nand (" + web + ").\n"
	want := "ran:\nexport API_TOKEN=[redacted:assigned-secret]\nthen cat key:\n[redacted:private-key]" +
		"\npsql postgres://app:[redacted:url-password]@db.internal:5432/app\nand ([redacted:jwt]).\n"
	res := Text(text)
	if res.Text != want {
		t.Errorf("got\n%s\nwant\n%s", res.Text, want)
	}
	if res.Total() != 4 || len(res.Findings) != 4 {
		t.Errorf("findings %v, want 4 rules once each", res.Findings)
	}
	if n := len(token) + len(key) + len(password) + len(web); res.Removed != n {
		t.Errorf("removed %d bytes, want %d", res.Removed, n)
	}
}

// X03: the documentation's example key must not be masked, nor ordinary uses of the words.
func TestX03ExamplesAndOrdinaryWordsStay(t *testing.T) {
	t.Parallel()
	id := "AKIAIOSFODNN7" + "EXAMPLE"
	for _, text := range []string{
		id,
		"aws_access_key_id = " + id,
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
		"task-management and risk-assessment are due",
		"The user forgot the password; reset it by mail.",
		"password: see docs", "token: see docs", "token: task-management", "secret: none",
		"Password must have 8 characters, a digit and a sign.",
		"the password is required", "password is checked by bcrypt",
		"token = get_token(user)", "password = os.environ[\"DB_PASSWORD\"]", "secret := cfg.Secret",
		"api_key = settings.OPENAI_API_KEY", "token: process.env.GITHUB_TOKEN", "PASSWORD=$DB_PASSWORD",
		"export TOKEN=${CI_JOB_TOKEN}", "password: ${{ secrets.DB_PASSWORD }}", "Authorization: Bearer <token>",
		"Authorization: Bearer $TOKEN", "curl -H \"Authorization: Bearer $API_TOKEN\" https://example.com",
		"max_tokens: 4096", "token_count=12345678", "\"tokens\": 1048576", "tokenizer = AutoTokenizer",
		"password_hash_file=/etc/app/pw-2024.hash", "secret_name: prod-db-password-v2", "TOKEN_TYPE=bearer",
		"def login(user, password: str = \"\") -> Token:", "type Secret struct { Token string }",
		"api_key: your_api_key_here", "api_key=xxxxxxxxxxxxxxxxxxxxxxxx", "token: ****************",
		"secretary: J. Smith1984x", "use a token bucket: 10 per second", "pwd: /home/user/project-7f3a",
		"token: release-candidate-4-20250514", "secret rotation: 2024-06-17T13:45:59.123456Z",
		"postgres://user:password@localhost/db", "https://user:${PASS}@example.com", "http://host:8080/a@b",
		"connect(host=h, user=u, password=pw)", "git@github.com:owner/repo.git", "https://medium.com/@author/post",
		"reset password: user@example.com", "a bearer of bad news", "rawToken(`-123456789.987654321E+0123456789`)", "we grep for -----BEGIN PRIVATE KEY----- lines",
	} {
		stays(t, text)
	}
}

// Digests, commits, identifiers and paths are what the notes of a developer are full of.
func TestDigestsIdentifiersAndPathsStay(t *testing.T) {
	t.Parallel()
	uuid := hexOf(8) + "-" + hexOf(4) + "-" + hexOf(4) + "-" + hexOf(4) + "-" + hexOf(12)
	for _, text := range []string{
		"commit " + hexOf(40), "sha256:" + hexOf(64), "sha256 = " + hexOf(64), hexOf(64) + "  dist.tar.gz",
		"image@sha256:" + hexOf(64), "token digest: sha256:" + hexOf(64), "secret_hash: " + hexOf(64),
		"cache_key: " + hexOf(64), "body_key=" + hexOf(40), "the key is " + hexOf(40),
		uuid, "session " + uuid, "token: " + uuid, "\"idempotency_token\": \"" + uuid + "\"",
		"/home/user/src/app/internal/auth/token_test.go:123", "token: ./testdata/tokens/a1.json",
		"secret: /run/secrets/db-password", "password file: C:\\Users\\me\\pw.txt",
		"credentials: ~/.config/app/credentials.json", "h1:" + mixed(43) + "=",
	} {
		stays(t, text)
	}
}

// X04: new key prefixes passed a list of prefixes. A value is caught by its shape and the word beside it.
func TestX04UnknownPrefixIsCaughtByShapeAndContext(t *testing.T) {
	t.Parallel()
	v := mixed(40)
	for _, form := range []string{
		"token: @", "Token: @ and more", "token:\n@", "token = @", "token=@", "tokens: @", "the token is @",
		"export NEWCO_TOKEN=@", "set -x NEWCO_TOKEN @\nNEWCO_TOKEN=@", "TOKEN='@'", "TOKEN=\"@\"; run", "$env:API_TOKEN = \"@\"",
		"{\"token\":\"@\"}", "{\\\"token\\\": \\\"@\\\"}", "'apiKey': '@',", "access_token => @", "clientSecret := \"@\"",
		"const apiKey: string = \"@\"", "var token string = \"@\"", "api_key: str = '@'", "os.environ[\"API_KEY\"] = \"@\"",
		"os.Setenv(\"API_TOKEN\", \"@\")", "setToken(\"@\")", "if token == \"@\" {", "<token>@</token>", "--token @", "--api-key=@",
		"Authorization: Bearer @", "-H 'Authorization: token @'", "\"Authorization\": \"Bearer @\"", "X-Api-Key: @", "Bearer @",
		"https://example.com/cb?token=@&state=1", "| token | @ |", "**Token:** `@`", "`token`: @", "secret: |\n  @",
		"tokens:\n  - @", "my api key: @, thanks", "token: zq_live_@", "credentials: @.", "STRIPE_KEY=@", "contraseña: @",
		"export A=1\\nexport TOKEN=@\\nexport B=2", "password reset token (@)\ntoken: @",
	} {
		text := strings.ReplaceAll(form, "@", v)
		if strings.Contains(form, "(@)") || strings.Contains(form, "TOKEN @") {
			text = strings.Replace(text, v, "it", 1)
		}
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			removed(t, text, v)
		})
	}
}

func TestPasswordsNeedNotBeLong(t *testing.T) {
	t.Parallel()
	v := "hunt" + "er2"
	for _, form := range []string{
		"PGPASSWORD=@ psql", "password: @", "password: \"@\" # local", "{\"password\":\"@\"}", "DB_PASS='@'", "--password @",
		"Server=db;User Id=sa;Password=@;", "host=db user=app password=@ dbname=x", "mysql://root:@@db/app", "<password>@</password>",
		"the password is @",
	} {
		text := strings.Replace(form, "@", v, 1)
		if !strings.Contains(form, "@") {
			t.Fatal(form)
		}
		removed(t, text, v)
	}
	removed(t, "password = \"P@ss"+"word!\"", "P@ss"+"word!")
	removed(t, "Server=db;Uid=sa;Pwd=cor"+"recthorse;", "cor"+"recthorse", ruleConnection)
}

func TestHexUnderASecretNameIsRemoved(t *testing.T) {
	t.Parallel()
	for _, n := range []int{32, 40, 64} {
		removed(t, "export API_KEY="+hexOf(n), hexOf(n), ruleAssigned)
	}
}

// A scanner's allow comment is in the hands of whoever wrote the text.
func TestAllowCommentsAreIgnored(t *testing.T) {
	t.Parallel()
	removed(t, "key = "+githubToken()+" # gitleaks"+":allow", githubToken())
	removed(t, "token: "+mixed(40)+" // gitleaks"+":allow", mixed(40))
}

func TestUpstreamRules(t *testing.T) {
	t.Parallel()
	for rule, secret := range map[string]string{
		"github-pat":          githubToken(),
		"slack-bot-token":     slackToken(),
		"aws-access-token":    "AKIA" + "Q3EGRZ5BTXNVWYL7",
		"npm-access-token":    "npm" + "_" + strings.ToLower(mixed(36)),
		"gitlab-pat":          "glpat" + "-" + mixed(20),
		"stripe-access-token": "sk" + "_live_" + mixed(24),
	} {
		for _, form := range []string{"@", "use @ now", "use @, then", "(@)", "see @.", "a=\"@\"", "<@>"} {
			removed(t, strings.Replace(form, "@", secret, 1), secret, rule)
		}
	}
}

// A wrapper that looks like our marker must not carry a secret through, and a real marker must not grow.
func TestMarkers(t *testing.T) {
	t.Parallel()
	removed(t, "[redacted:"+githubToken()+"]", githubToken())
	stays(t, "token: [redacted:github-pat] and password=[redacted:assigned-secret]")
	stays(t, "postgres://u:[redacted:url-password]@h/db")
	res := Text("<private>a [redacted:jwt] b</private>")
	if res.Text != "[redacted:private]" || res.Removed != len("<private>a  b</private>") {
		t.Errorf("got %q, %d bytes", res.Text, res.Removed)
	}
}

func TestKubernetesSecretLosesEveryValue(t *testing.T) {
	t.Parallel()
	text := "kind: Secret\ndata:\n  one: " + mixed(24) + "\n  two: " + mixed(30)[4:] + "\n"
	removed(t, text, mixed(24))
	removed(t, text, mixed(30)[4:])
}
