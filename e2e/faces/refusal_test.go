package faces_test

import (
	"github.com/testigo/testigo"
)

// before is what has to be there before anything can be refused.
var before = []step{
	{as: "scout", op: "remember", args: args{"key": "boards/example/rate-limit", "value": 30, "request_key": "used"}},
	{as: "scout", op: "handoff", args: args{"title": "Rate limit", "summary": "For the executor.", "to_agent": "executor"}, keep: map[string]string{"packet": "id"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "Word.", "key": "used too"}, keep: map[string]string{"note": "messageId"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "Draft it.", "title": "Draft"}, keep: map[string]string{"work": "messageId"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "Do it.", "title": "Done"}, keep: map[string]string{"done": "messageId"}},
	{as: "executor", op: "resume", args: args{"handoff_id": "$packet"}},
	{as: "executor", op: "accept_work", args: args{"id": "$work"}},
	{as: "executor", op: "return_work", args: args{"id": "$done", "summary": "Done."}, keep: map[string]string{"return": "returnMessageId"}},
	{as: "scout", op: "close_work", args: args{"id": "$done", "outcome": "accepted"}},
}

const secret = "ghp_" + "1234567890abcdefABCDEF1234567890abcd"

// bad is a call that every face has to refuse, with the same code and by the same rule. One without a code is taken by the
// use case: a row in exceptions says which face refuses it.
type bad struct {
	what   string
	as, op string
	args   args
	code   testigo.Code
}

var refusals = []bad{
	{"no key", "scout", "remember", args{"value": 1}, testigo.CodeInvalid},
	{"no scope", "scout", "remember", args{"key": "limit", "value": 1}, testigo.CodeInvalid},
	{"a bad scope", "scout", "remember", args{"key": "a//b/c", "value": 1}, testigo.CodeInvalid},
	{"a hidden character", "scout", "remember", args{"key": "a/b\u202ec", "value": 1}, testigo.CodeInvalid},
	{"confidence beyond 1", "scout", "remember", args{"key": "a/b", "value": 1, "confidence": 1.5}, testigo.CodeInvalid},
	{"a negative version", "scout", "remember", args{"key": "a/b", "value": 1, "expected_version": -1}, testigo.CodeInvalid},
	{"another version expected", "scout", "remember", args{"key": "boards/example/rate-limit", "value": 60, "expected_version": 7}, testigo.CodeConflict},
	{"it exists already", "scout", "remember", args{"key": "boards/example/rate-limit", "value": 60, "expected_version": 0}, testigo.CodeConflict},
	{"no such version to follow", "scout", "remember", args{"key": "boards/new", "value": 60, "expected_version": 1}, testigo.CodeConflict},
	{"a request key used otherwise", "scout", "remember", args{"key": "boards/new", "value": 60, "request_key": "used"}, testigo.CodeConflict},
	{"a secret value", "scout", "remember", args{"key": "a/b", "value": "token " + secret}, testigo.CodeRefused},
	{"a secret tag", "scout", "remember", args{"key": "a/b", "value": 1, "tags": list{secret}}, testigo.CodeRefused},
	{"an empty tag", "scout", "remember", args{"key": "a/b", "value": 1, "tags": list{" "}}, testigo.CodeInvalid},
	{"a file that is not there", "scout", "remember", args{"key": "a/b", "value": 1, "sources": list{map[string]any{"path": "gone.yml"}}}, testigo.CodeInvalid},
	{"a file outside", "scout", "remember", args{"key": "a/b", "value": 1, "sources": list{map[string]any{"path": "../up.yml"}}}, testigo.CodeInvalid},
	{"all projects for one fact", "scout", "remember", args{"key": "a/b", "value": 1, "project": "*"}, testigo.CodeInvalid},

	{"an unknown fact", "scout", "recall", args{"key": "boards/example/rate-limits"}, testigo.CodeNotFound},
	{"an unknown version", "scout", "recall", args{"key": "boards/example/rate-limit", "version": 9}, testigo.CodeNotFound},
	{"older than it is", "scout", "recall", args{"key": "boards/example/rate-limit", "as_of": "2001-01-01T00:00:00Z"}, testigo.CodeNotFound},
	{"no time", "scout", "recall", args{"key": "boards/example/rate-limit", "as_of": "yesterday"}, testigo.CodeInvalid},
	{"version and time", "scout", "recall", args{"key": "boards/example/rate-limit", "as_of": "2099-01-01T00:00:00Z", "version": 1}, testigo.CodeInvalid},
	{"too many", "scout", "recall", args{"query": "limit", "limit": 101}, testigo.CodeInvalid},
	{"a foreign cursor", "scout", "recall", args{"query": "limit", "cursor": "r1.00000000"}, testigo.CodeInvalid},
	{"history of nothing", "scout", "history", args{"key": "boards/none"}, testigo.CodeNotFound},
	{"too much history", "scout", "history", args{"key": "boards/example/rate-limit", "limit": 101}, testigo.CodeInvalid},

	{"an unknown ref", "scout", "handoff", args{"title": "T", "summary": "S", "refs": list{"boards/none"}}, testigo.CodeNotFound},
	{"a ref that is none", "scout", "handoff", args{"title": "T", "summary": "S", "refs": list{"boards"}}, testigo.CodeInvalid},
	{"a ref to version 0", "scout", "handoff", args{"title": "T", "summary": "S", "refs": list{"boards/a@0"}}, testigo.CodeInvalid},
	{"an unknown recipient", "scout", "handoff", args{"title": "T", "summary": "S", "to_agent": "executer"}, testigo.CodeNotFound},
	{"a bad recipient", "scout", "handoff", args{"title": "T", "summary": "S", "to_agent": "no body"}, testigo.CodeInvalid},
	{"two lines of title", "scout", "handoff", args{"title": "T\nU", "summary": "S"}, testigo.CodeInvalid},
	{"it ran out before", "scout", "handoff", args{"title": "T", "summary": "S", "expires_at": "2001-01-01T00:00:00Z"}, testigo.CodeInvalid},
	{"due in a year", "scout", "handoff", args{"title": "T", "summary": "S", "due_minutes": 525600}, testigo.CodeInvalid},
	{"shouting", "scout", "handoff", args{"title": "T", "summary": "S", "notify": "loud"}, testigo.CodeInvalid},

	{"a foreign packet", "bystander", "resume", args{"handoff_id": "$packet"}, testigo.CodeNotFound},
	{"a foreign packet, looked at", "bystander", "resume", args{"handoff_id": "$packet", "peek": true}, testigo.CodeNotFound},
	{"an unknown packet", "executor", "resume", args{"handoff_id": "h_00000000"}, testigo.CodeNotFound},
	{"no id", "executor", "resume", args{"handoff_id": "not an id"}, testigo.CodeInvalid},
	{"no claim", "executor", "resume", args{"handoff_id": "$packet#x"}, testigo.CodeInvalid},
	{"a wrong claim", "executor", "resume", args{"handoff_id": "$packet#9"}, testigo.CodeGone},
	{"a message is not picked up", "executor", "resume", args{"handoff_id": "$note"}, testigo.CodeRefused},
	{"one's own packet", "scout", "resume", args{"handoff_id": "$packet"}, testigo.CodeForbidden},
	{"nothing to put back", "bystander", "resume", args{"put_back": true}, testigo.CodeRefused},
	{"a relative directory", "executor", "resume", args{"cwd": "here", "peek": true}, testigo.CodeInvalid},
	{"too many characters", "executor", "resume", args{"max_chars": 1_000_000}, testigo.CodeInvalid},

	{"an unknown outcome", "executor", "record_outcome", args{"outcome": "fine", "outcome_ref": "x"}, testigo.CodeInvalid},
	{"a secret reference", "executor", "record_outcome", args{"outcome": "success", "outcome_ref": secret}, testigo.CodeRefused},
	{"the outcome of a wrong claim", "executor", "record_outcome", args{"outcome": "success", "outcome_ref": "x", "handoff_id": "$packet#9", "refs": list{"boards/example/rate-limit"}}, testigo.CodeGone},
	{"the outcome of another's packet", "bystander", "record_outcome", args{"outcome": "success", "outcome_ref": "x", "handoff_id": "$packet", "refs": list{"boards/example/rate-limit"}}, testigo.CodeGone},
	{"the outcome of work", "executor", "record_outcome", args{"outcome": "success", "outcome_ref": "x", "handoff_id": "$work"}, testigo.CodeRefused},
	{"the outcome of an unknown fact", "executor", "record_outcome", args{"outcome": "success", "outcome_ref": "x", "refs": list{"boards/none"}}, testigo.CodeNotFound},
	{"the outcome of nothing", "bystander", "record_outcome", args{"outcome": "success", "outcome_ref": "x"}, testigo.CodeInvalid},

	{"due without title", "scout", "send_handoff", args{"to": "executor", "message": "M", "due_minutes": 5}, testigo.CodeInvalid},
	{"to oneself", "scout", "send_handoff", args{"to": "scout", "message": "M"}, testigo.CodeRefused},
	{"to nobody", "scout", "send_handoff", args{"to": "executer", "message": "M"}, testigo.CodeNotFound},
	{"to a name with spaces around", "scout", "send_handoff", args{"to": " executor ", "message": "M"}, testigo.CodeInvalid},
	{"an empty message", "scout", "send_handoff", args{"to": "executor", "message": ""}, testigo.CodeInvalid},
	{"an answer to a foreign message", "bystander", "send_handoff", args{"to": "executor", "message": "M", "reply_to": "$note"}, testigo.CodeNotFound},
	{"a message key used otherwise", "scout", "send_handoff", args{"to": "executor", "message": "M", "key": "used too"}, testigo.CodeConflict},
	{"too many messages", "executor", "inbox", args{"limit": 101}, testigo.CodeInvalid},
	{"a cursor of nothing", "executor", "inbox", args{"cursor": "x"}, testigo.CodeInvalid},
	{"a foreign message", "bystander", "read_message", args{"id": "$note"}, testigo.CodeNotFound},
	{"a spaced id", "executor", "read_message", args{"id": " h_00000000 "}, testigo.CodeInvalid},

	{"foreign work", "bystander", "accept_work", args{"id": "$work"}, testigo.CodeNotFound},
	{"one's own order", "scout", "accept_work", args{"id": "$work"}, testigo.CodeForbidden},
	{"a message is no work", "executor", "accept_work", args{"id": "$note"}, testigo.CodeRefused},
	{"a wrong claim on work", "executor", "return_work", args{"id": "$work#9", "summary": "S"}, testigo.CodeGone},
	{"returned twice", "executor", "return_work", args{"id": "$done", "summary": "S"}, testigo.CodeConflict},
	{"an empty summary", "executor", "return_work", args{"id": "$work", "summary": ""}, testigo.CodeInvalid},
	{"a hash without a file", "executor", "return_work", args{"id": "$work", "summary": "S", "claims": list{map[string]any{"claim": "c", "how": "hash"}}}, testigo.CodeInvalid},
	{"a way that is none", "executor", "return_work", args{"id": "$work", "summary": "S", "claims": list{map[string]any{"claim": "c", "how": "guess"}}}, testigo.CodeInvalid},
	{"closed twice", "scout", "close_work", args{"id": "$done", "outcome": "blocked"}, testigo.CodeConflict},
	{"revised before it is returned", "scout", "close_work", args{"id": "$work", "outcome": "revision", "note": "N"}, testigo.CodeRefused},
	{"revised without a word", "scout", "close_work", args{"id": "$work", "outcome": "revision"}, testigo.CodeInvalid},
	{"an unknown decision", "scout", "close_work", args{"id": "$work", "outcome": "fine"}, testigo.CodeInvalid},
	{"another's order closed", "executor", "close_work", args{"id": "$work", "outcome": "accepted"}, testigo.CodeForbidden},
	{"the status of a foreign handoff", "bystander", "handoff_status", args{"id": "$work"}, testigo.CodeNotFound},

	{"a spaced packet id", "executor", "resume", args{"handoff_id": " h_00000000 "}, testigo.CodeInvalid},
	{"no title", "scout", "handoff", args{"summary": "S"}, testigo.CodeInvalid},
	{"a dash in an outcome", "executor", "record_outcome", args{"outcome": "minor-failure", "outcome_ref": "y", "refs": list{"boards/example/rate-limit"}}, testigo.CodeInvalid},
	{"an empty title", "scout", "send_handoff", args{"to": "executor", "message": "M", "title": ""}, ""},
	{"a limit of 0", "scout", "recall", args{"query": "limit", "limit": 0}, ""},
	{"a packet due at once", "scout", "handoff", args{"title": "At once", "summary": "S", "due_minutes": 0}, ""},
	{"work due at once", "scout", "send_handoff", args{"to": "executor", "message": "M", "title": "At once", "due_minutes": 0}, ""},
	{"work due in a year", "scout", "send_handoff", args{"to": "executor", "message": "M", "title": "T", "due_minutes": 525600}, testigo.CodeInvalid},
	{"a name with a space", "scout", "recall", args{"key": "boards/no such"}, testigo.CodeNotFound},
	{"one fact in all projects", "scout", "recall", args{"key": "boards/none", "all_projects": true}, testigo.CodeInvalid},
	{"characters of a search", "scout", "recall", args{"query": "limit", "max_chars": 10}, ""},
	{"a directory that is not there", "executor", "resume", args{"cwd": "/nowhere/at/all", "peek": true}, ""},
}
