// Package command delivers a turn by running a program or by posting to a URL. Its settings say which:
//
//	command          list of arguments, or a string that is split like a shell would and never given to one
//	timeout          seconds until the program is ended (3600); with callback, until no report is expected any more
//	env              names of further variables that the program inherits
//	inherit_env      true: it inherits everything but the engine's own identity
//
//	url              where to post; wins over command
//	status_url       where to ask: {request_id} is replaced, or added as a parameter
//	callback         true: the post names a URL and a token, with which the endpoint reports
//	request_timeout  seconds for one request (30)
//	headers          further headers of every request
//	bearer_file      file with a token: Authorization: Bearer …
//	hmac_file        file with a secret: X-Testigo-Signature: t=SECONDS,v1=HMAC-SHA256(secret, t "." body) in hex
//
// Arguments may hold {text_file}, {request_id}, {endpoint} and {cwd}; other braces are left alone. The program is not
// started by the engine but by its supervisor (package supervise), so it survives the engine, and its run file proves
// what became of it. A post makes such a file too, before it is sent: one run and one post per request, ever.
//
// What an answer to a post proves:
//
//	no connection (dial, DNS, TLS, proxy)   not sent
//	2xx                                     accepted; its end is known only with a status or callback URL
//	408, 429, 503 with Retry-After          rate limited
//	other 3xx and 4xx                       refused
//	other 5xx, or none                      unknown: it may have arrived
//
// A 503 without Retry-After is unknown: gateways say it also when they lost a request half-way. Redirects are not
// followed. A connection is used for one post only and no idempotency header may be set: net/http sends such a request
// again by itself.
//
// Two agents with the same target are the same session: while one has a turn the other is busy.
package command
