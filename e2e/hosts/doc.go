// Command hosts lets real MCP clients work on one store and checks what they were told. e2e/hosts/run installs the clients
// and starts it; `make test-hosts` does both.
//
// Three programs that share no code take part: the MCP inspector's command line, Codex, and Claude Code. Each starts
// `testigo mcp` by itself, from a configuration as a user would write it. The coding agents think with a mock model on
// the loopback interface that does nothing but ask for the tool it was told to ask for, so every call goes through the
// client's own discovery, approval, protocol and rendering, and what the model was shown is read from the mock's record.
//
// With each coding agent the story is a relay. The inspector, as scout, remembers two facts, hands them over, and then
// changes one. The coding agent resumes, is told which pin went stale, reads on, reports an outcome, which closes the
// packet, remembers a decision and hands back. Scout resumes that and closes it. Both sides call all seven tools. In the
// end the testigo command line says what the store holds, and has every row verified.
//
// Nothing outside the machine is reached: clients get a home folder of their own and a proxy that refuses.
package main
