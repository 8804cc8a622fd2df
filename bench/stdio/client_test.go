package stdio

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The test's own program is the server, so that a real process is started and ended.
func TestMain(m *testing.M) {
	if os.Getenv("STDIO_SERVER") != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

func serve() {
	fmt.Println("a log line that is no JSON")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var q struct {
			ID     *int           `json:"id"`
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
		}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil || q.ID == nil {
			continue
		}
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message"}`)
		name, _ := q.Params["name"].(string)
		result := fmt.Sprintf(`{"content":[{"text":%q}],"isError":%v}`, name, name == "fail")
		if q.Method == "tools/list" {
			_, meta := q.Params["_meta"]
			result = fmt.Sprintf(`{"tools":[{"name":"a"},{"name":"stateless %v"}]}`, meta)
		}
		if q.Method == "unknown" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"error":{"message":"no such method"}}`+"\n", *q.ID)
			continue
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", *q.ID, result)
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	for _, era := range []Era{Handshake, Stateless} {
		s, err := Start(t.Context(), Command{Args: []string{os.Args[0]}, Env: append(os.Environ(), "STDIO_SERVER=1")}, era)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := s.Tools()
		if want := fmt.Sprintf("a,stateless %v", era == Stateless); err != nil || strings.Join(tools, ",") != want {
			t.Errorf("%s: tools %q, %v", era, tools, err)
		}
		if text, err := s.Call("ok", nil); err != nil || text != "ok" {
			t.Errorf("call: %q, %v", text, err)
		}
		if _, err := s.Call("fail", nil); err == nil || !strings.Contains(err.Error(), "fail") {
			t.Errorf("a failed call: %v", err)
		}
		if _, err := s.Request("unknown", map[string]any{}); err == nil || !strings.Contains(err.Error(), "no such method") {
			t.Errorf("an unknown method: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Tools(); err == nil {
			t.Error("a closed server answered")
		}
	}
}
