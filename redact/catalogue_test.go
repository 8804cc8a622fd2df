package redact

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// The quick reading of the upstream file must see what a TOML parser sees, also after upstream's next release.
func TestCatalogueMatchesTOML(t *testing.T) {
	t.Parallel()
	var file struct {
		Rules []struct {
			ID       string   `toml:"id"`
			Keywords []string `toml:"keywords"`
			Regex    string   `toml:"regex"`
		} `toml:"rules"`
	}
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &file); err != nil {
		t.Fatal(err)
	}
	quick := map[string]*rule{}
	for _, r := range readRules(config.DefaultConfig) {
		quick[r.id] = r
	}
	if len(file.Rules) < 200 {
		t.Errorf("only %d rules upstream", len(file.Rules))
	}
	for _, want := range file.Rules {
		got := quick[want.ID]
		switch {
		case want.Regex == "":
			// A rule about file names alone.
		case got == nil:
			t.Errorf("%s: not read", want.ID)
		case !slices.Equal(got.keywords, want.Keywords):
			t.Errorf("%s: keywords %q, want %q", want.ID, got.keywords, want.Keywords)
		case len(want.ID)+len(markerOpen)+1 > markerName:
			t.Errorf("%s: name too long for a marker", want.ID)
		}
	}
}

func TestEveryRuleCompiles(t *testing.T) {
	t.Parallel()
	cat := newCatalogue(config.DefaultConfig)
	whole := 0
	for _, r := range cat.upstream {
		r.load()
		if r.body.Regex == "" || r.expression() == nil {
			t.Errorf("%s: does not compile", r.id)
		}
		if r.shape.reach == (reach{}) {
			whole++
			t.Logf("%s runs over whole texts, needs %q", r.id, r.shape.needs)
		}
	}
	if whole > len(cat.upstream)/4 {
		t.Errorf("%d of %d rules run over whole texts", whole, len(cat.upstream))
	}
	for _, id := range []string{"generic-api-key", "jwt", "hashicorp-tf-password"} {
		if !replaced(id) || !strings.Contains(config.DefaultConfig, "\nid = \""+id+"\"\n") {
			t.Errorf("%s: replaced %v, or no longer upstream", id, replaced(id))
		}
	}
}

// Running a rule in windows must find what running it over the whole text finds.
func TestWindowsFindWhatWholeTextsHold(t *testing.T) {
	t.Parallel()
	cat := newCatalogue(config.DefaultConfig)
	pad := strings.Repeat("é lorem ipsum dolor ", 60)
	for _, r := range cat.upstream {
		r.load()
		if r.shape.reach == (reach{}) {
			continue
		}
		re := regexp.MustCompile(r.body.Regex)
		for _, k := range r.keywords {
			for _, form := range []string{"~@", "~= '@'", "~" + "_key: @", "~:@.", "~\n=\n@ "} {
				for _, v := range []string{mixed(64), strings.ToLower(mixed(40)), hexOf(32), mixed(20)} {
					part := strings.NewReplacer("~", k, "@", v).Replace(form)
					text := pad + part + pad + part + "-" + part + pad
					var want, got []string
					want = append(want, re.FindAllString(text, -1)...)
					var at []int
					for _, h := range newFinder(r.keywords).find(text) {
						at = append(at, h.pos)
					}
					for _, w := range r.shape.windows(text, at) {
						got = append(got, re.FindAllString(text[w.start:w.end], -1)...)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s on %q: windows %q, whole %q", r.id, part, got, want)
					}
				}
			}
		}
	}
}

func TestFinder(t *testing.T) {
	t.Parallel()
	f := newFinder([]string{"ab", "abc", "x.", "contraseña"})
	got := f.find("ABc xX. ab contraseña a")
	want := []hit{{0, 0}, {1, 0}, {2, 5}, {0, 8}, {3, 11}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
