package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/testigo/testigo"
)

const (
	statsURI     = "testigo://stats"
	factPrefix   = "testigo://fact/"
	factTemplate = factPrefix + "{+name}"
	jsonType     = "application/json"
)

// addResources shows what tools answer under addresses that a person can mention. Each is the answer of a tool, since
// not every host shows resources to its model.
func (f *face) addResources(s *sdk.Server) {
	if !f.serves(recallTool.name) {
		return
	}
	s.AddResource(&sdk.Resource{URI: statsURI, Name: "stats", Title: statsTool.title, MIMEType: jsonType,
		Description: "What memory_stats answers"}, f.readStats)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: factTemplate, Name: "fact", Title: "Fact", MIMEType: jsonType,
		Description: "What recall answers for scope/key, or scope/key@version for an older version"}, f.readFact)
}

func (f *face) readStats(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	return f.read(ctx, req, &statsTool, map[string]any{})
}

func (f *face) readFact(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, factPrefix))
	if err != nil {
		return nil, invalidParams("the address of a fact is " + factTemplate)
	}
	ref, err := testigo.ParseRef(name)
	if err != nil {
		return nil, f.refusal(ctx, err)
	}
	args := map[string]any{"scope": ref.Scope, "key": ref.Key}
	if ref.Version > 0 {
		args["version"] = ref.Version
	}
	return f.read(ctx, req, &recallTool, args)
}

// read answers a resource with what a tool answers.
func (f *face) read(ctx context.Context, req *sdk.ReadResourceRequest, t *tool, args map[string]any) (*sdk.ReadResourceResult, error) {
	v, err := f.call(ctx, t, encode(args), metaOf(req), nil)
	if err != nil {
		return nil, f.refusal(ctx, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: string(encode(v))}}}, nil
}

// refusal is a protocol error with the domain's error as its data.
func (f *face) refusal(ctx context.Context, err error) error {
	p := problemOf(ctx, f.Log, "resources/read", err)
	code := int64(jsonrpc.CodeInvalidParams)
	if p.Code == testigo.CodeInternal || p.Code == testigo.CodeUnreachable || p.Code == testigo.CodeLocked {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: shorten(p.Message, 300), Data: json.RawMessage(encode(p))}
}
