package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/testigo/testigo/storetest/memstore"
)

// Both eras work on one connection; the newer one needs no handshake.
func TestBothEras(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		p := start(t, memstore.New(memstore.Options{}), nil)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"peer","version":"0"}}}`)
		got := p.receive()
		if !strings.Contains(got, `"protocolVersion":"`+version+`"`) || strings.Contains(got, `"logging"`) || strings.Contains(got, "listChanged") {
			t.Errorf("%s: %s", version, got)
		}
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.ok("remember", `{"scope":"a","key":"b","value":1}`)
		p.end()
	}
	p := start(t, memstore.New(memstore.Options{}), nil)
	p.send(modern(1, "server/discover", ""))
	if got := p.receive(); !strings.Contains(got, `"2026-07-28"`) || !strings.Contains(got, "You are scout.") || !strings.Contains(got, `"ttlMs":60000`) {
		t.Error(got)
	}
	p.send(modern(2, "tools/list", ""))
	if got := p.receive(); !strings.Contains(got, `"name":"resume"`) || !strings.Contains(got, `"cacheScope":"private"`) {
		t.Error(got)
	}
	p.send(modern(3, "tools/call", `"name":"remember","arguments":{"scope":"a","key":"b","value":12345678901234567890}`))
	if r := p.result(); r.IsError {
		t.Error(r.Text)
	}
	p.end()
}

// Batches work under 2025-03-26, notifications and rubbish in them included, and are refused where they no longer exist.
func TestBatches(t *testing.T) {
	t.Parallel()
	const calls = `[{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}},{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}},` +
		`{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_stats"}},{"id":3},7]`
	p := start(t, memstore.New(memstore.Options{}), nil)
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"peer","version":"0"}}}`)
	p.receive()
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.send(calls)
	var answers []struct {
		ID     any
		Error  *struct{ Code int }
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(p.receive()), &answers); err != nil || len(answers) != 4 {
		t.Fatalf("%v: %+v", err, answers)
	}
	good := 0
	for _, a := range answers {
		if a.Result != nil {
			good++
		}
	}
	if good != 2 {
		t.Errorf("%d good answers", good)
	}
	p.send(`[{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}]`) // no answer
	p.alive()
	p.end()

	q := fresh(t)
	q.send(calls)
	if got := q.receive(); !strings.Contains(got, `"code":-32600`) {
		t.Error(got)
	}
	q.alive()
}

// C02: fifty calls at once over one session leave fifty facts.
func TestC02FiftyAtOnce(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 50 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"remember","arguments":{"scope":"many","key":"k%d","value":%d}}}`, i, i, i))
		})
	}
	for range 50 {
		if r := p.result(); r.IsError {
			t.Error(r.Text)
		}
	}
	wg.Wait()
	if st := into[struct{ Facts int }](p, p.ok("memory_stats", `{}`)); st.Facts != 50 {
		t.Errorf("%d facts", st.Facts)
	}
}

// Prompts say what to call, hold nothing that another agent wrote, and quote what the person gave.
func TestPrompts(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"recall","arguments":{"query":"a \"rate\" limit"}}}`)
	if got := p.receive(); !strings.Contains(got, `Call recall with query \"a \\\"rate\\\" limit\"`) {
		t.Error(got)
	}
	for _, bad := range []string{`"name":"recall"`, `"name":"recall","arguments":{"query":"x","agent":"y"}`, `"name":"nothing"`,
		`"name":"remember","arguments":{"what":"` + strings.Repeat("x", 3_000) + `"}`} {
		p.send(`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{` + bad + `}}`)
		if got := p.receive(); !strings.Contains(got, `"code":-32602`) || len(got) > 600 {
			t.Errorf("%.80s: %.300s", bad, got)
		}
	}
	for _, name := range []string{"handoff", "resume", "remember"} {
		p.send(`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"` + name + `"}}`)
		if got := p.receive(); !strings.Contains(got, `"role":"user"`) {
			t.Error(got)
		}
	}
}

// A resource is what the tool answers, and one that is not there is a protocol error that names the nearest.
func TestResources(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.ok("remember", `{"scope":"a b","key":"größe","value":{"n":12345678901234567890}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"testigo://fact/a%20b/gr%C3%B6%C3%9Fe@1"}}`)
	if got := p.receive(); !strings.Contains(got, `12345678901234567890`) || !strings.Contains(got, `"ttlMs":0`) {
		t.Error(got)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"testigo://stats"}}`)
	if got := p.receive(); !strings.Contains(got, `\"facts\":1`) {
		t.Error(got)
	}
	for uri, want := range map[string]string{"testigo://fact/a%20b/nothing": "not_found", "testigo://fact/x": `"code":-32602`, "testigo://fact/a/b@0": "invalid", "testigo://other": `"code":-32602`} {
		p.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
		if got := p.receive(); !strings.Contains(got, want) || !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
