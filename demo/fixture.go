package demo

// listing is one posting of the fixture board, with what the scout makes of it.
type listing struct {
	id, title, pay string
	fit            float64 // the scout's confidence in its assessment
	verdict        string
}

// board is an invented job board for agents that look for contract work.
var board = []listing{
	{"listing/471", "Port a billing job from cron to a queue", "fixed 1,800", 0.40, "skip: needs on-site access"},
	{"listing/482", "Make a flaky integration suite deterministic", "hourly 95", 0.80, "apply: exactly our kind of work"},
	{"listing/490", "Rewrite a logo in 14 colours", "fixed 120", 0.20, "skip: not engineering"},
	{"listing/517", "Add rate limiting to a public API", "hourly 80", 0.60, "apply: good fit, budget unclear"},
	{"listing/536", "Migrate a wiki to Markdown", "fixed 900", 0.50, "maybe: long and dull, but easy"},
	{"listing/553", "Build a search index over support tickets", "hourly 110", 0.70, "apply: best paid of the week"},
	{"listing/561", "Unpaid prototype, equity later", "none", 0.10, "skip: unpaid"},
}

// source is what the scout learned about the board itself.
const (
	sourceScope = "source/boards-example"
	sourceKey   = "rate-limit"
)

var sourceFact = map[string]any{"requests_per_minute": 30, "backoff_seconds": 60, "seen": "HTTP 429 after 31 requests"}

// packetTitle and the texts after it are what the scout hands over.
const (
	packetTitle   = "two listings worth an application, one source caveat"
	packetSummary = "Looked through seven listings on boards-example. 482 and 517 deserve an application; 553 pays best but the " +
		"client had not confirmed the start date. The board answers with HTTP 429 above 30 requests a minute."
)

var (
	packetSteps     = []string{"draft an application for listing/482", "draft an application for listing/517", "decide about listing/553 once its start date is known"}
	packetQuestions = []string{"is the 60 s back-off enough when two agents read the board at once?"}
)
