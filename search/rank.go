package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/testigo/testigo"
)

// Hit is a candidate with its score. Parts add up to Score.
type Hit struct {
	Candidate testigo.Candidate
	Score     float64
	Parts     []Part
}

// Part is one reason for a score.
//
//	body     the query's words in the fact itself
//	context  the query's words in what was written just before it
//	phrase   a quoted passage stands there as written
//	named    the query names the fact's author or one of its tags
//	time     the query asks for a time and the fact speaks of one
//	nearby   facts that the same session wrote around it match too
//
// phrase, named and time are shares of body + context, and nearby is a share of the best candidate's score; each is given
// as what it adds.
type Part struct {
	Name  string
	Value float64
}

// The weights were tried on the LoCoMo conversations with both halves in view, so the halves show how far they agree and
// neither is a held-out test; bench/locomo prints the table. None is sharp: k1 up to 1.2, b from 0.3 to 0.6, context from
// 0.25 to 0.5 and named from 0.4 to 0.8, one at a time, moved recall among the first ten by less than a hundredth.
// phraseBoost is a judgement: those questions hardly quote.
const (
	saturation    = 0.8 // BM25's k1
	lengthPenalty = 0.4 // BM25's b
	contextWeight = 0.35
	phraseBoost   = 0.5
	namedBoost    = 0.6
	timeBoost     = 0.2
	nearbyWeight  = 0.2
	nearbySpan    = 10 // writes; what lies further apart in a session is another subject
)

// Rank orders what a store found and returns the best limit of it, or all when limit is not above 0. Equal scores are
// ordered by confidence, then the newest first. An empty plan scores nothing and so leaves that order alone.
func (p Plan) Rank(c testigo.Candidates, limit int) []Hit {
	r := ranking{plan: &p, from: &c, match: newMatcher(p.terms)}
	r.count()
	r.weigh()
	hits := make([]Hit, len(c.List))
	parts := make([]Part, 0, maxParts*len(c.List))
	r.score()
	for i := range hits {
		from := len(parts)
		parts = r.docs[i].appendParts(parts)
		hits[i] = Hit{Candidate: c.List[i], Score: r.docs[i].total(), Parts: parts[from:len(parts):len(parts)]}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(b.Candidate.Version.Confidence, a.Candidate.Version.Confidence),
			cmp.Compare(b.Candidate.Version.Seq, a.Candidate.Version.Seq))
	})
	if limit > 0 && len(hits) > limit {
		hits = slices.Clip(hits[:limit])
	}
	return hits
}

// ranking is one call of Rank.
type ranking struct {
	plan    *Plan
	from    *testigo.Candidates
	match   matcher
	docs    []document
	weights [MaxQueryTerms]float64 // inverse document frequency by query term; 0 for names
}

// document is what a candidate's texts hold, and its score.
type document struct {
	inBody, inContext   [MaxQueryTerms]uint16
	bodyLen, contextLen int
	time                bool
	names               uint64 // query terms that name its author or a tag

	body, context, phrase, named, timed, nearby float64
}

const maxParts = 6

func (d *document) total() float64 {
	return d.body + d.context + d.phrase + d.named + d.timed + d.nearby
}

func (d *document) appendParts(parts []Part) []Part {
	for _, p := range [maxParts]Part{
		{"body", d.body}, {"context", d.context}, {"phrase", d.phrase},
		{"named", d.named}, {"time", d.timed}, {"nearby", d.nearby},
	} {
		if p.Value != 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// count reads every candidate once.
func (r *ranking) count() {
	r.docs = make([]document, len(r.from.List))
	naming := newNaming(r.plan.terms)
	for i := range r.docs {
		d, c := &r.docs[i], &r.from.List[i]
		d.bodyLen, d.time = r.match.count(c.Text.Body, &d.inBody, r.plan.when)
		d.contextLen, _ = r.match.count(c.Text.Context, &d.inContext, false)
		d.names = naming.named(c.Version.Author)
		for _, tag := range c.Version.Tags {
			d.names |= naming.named(tag)
		}
	}
}

// weigh sets the weight of each query term. A word that names an author or a tag picks whose facts are meant, which the
// boost says better than the word does: others mention the name, too. So it counts for nothing, unless nothing is left.
func (r *ranking) weigh() {
	var names uint64
	for i := range r.docs {
		names |= r.docs[i].names
	}
	terms := r.plan.terms
	if names == 1<<len(terms)-1 {
		names = 0
	}
	for t := range terms {
		if names&(1<<t) != 0 {
			continue
		}
		holding, ok := r.from.DocFreq[terms[t].text]
		if !ok {
			for i := range r.docs {
				if r.docs[i].inBody[t]+r.docs[i].inContext[t] > 0 {
					holding++
				}
			}
		}
		all := float64(max(r.from.Docs, len(r.docs), holding))
		r.weights[t] = math.Log1p((all - float64(holding) + 0.5) / (float64(holding) + 0.5))
	}
}

// score is BM25F over body and context, then the boosts.
func (r *ranking) score() {
	for i := range r.docs {
		d := &r.docs[i]
		bodyNorm := 1 / lengthNorm(d.bodyLen, r.from.AvgBody)
		contextNorm := contextWeight / lengthNorm(d.contextLen, r.from.AvgContext)
		for t := range r.plan.terms {
			body := float64(d.inBody[t]) * bodyNorm
			context := float64(d.inContext[t]) * contextNorm
			if sum := body + context; sum > 0 {
				worth := r.weights[t] * (saturation + 1) / (saturation + sum)
				d.body += worth * body
				d.context += worth * context
			}
		}
		text := d.body + d.context
		if d.names != 0 {
			d.named = namedBoost * text
		}
		if d.time {
			d.timed = timeBoost * text
		}
		for _, phrase := range r.plan.phrases {
			if containsRun(r.from.List[i].Text.Body, phrase) {
				d.phrase += phraseBoost * text
			}
		}
	}
	r.addNearby()
}

// lengthNorm is how much longer than the average a field is, softened by lengthPenalty.
func lengthNorm(length int, average float64) float64 {
	if average <= 0 {
		return 1
	}
	return 1 - lengthPenalty + lengthPenalty*float64(length)/average
}

// addNearby gives each candidate a share of what the candidates around it in the same session scored, less the further
// apart they were written. The one with the best neighbours gets nearbyWeight of the top score.
func (r *ranking) addNearby() {
	sums := make([]float64, len(r.docs))
	var best, top float64
	for i := range r.docs {
		v := &r.from.List[i].Version
		top = max(top, r.docs[i].total())
		if v.Session == "" {
			continue
		}
		for j := range r.docs {
			w := &r.from.List[j].Version
			apart := max(v.Seq-w.Seq, w.Seq-v.Seq)
			if j != i && apart < nearbySpan && w.Session == v.Session {
				sums[i] += r.docs[j].total() * (1 - float64(apart)/nearbySpan)
			}
		}
		best = max(best, sums[i])
	}
	if best == 0 {
		return
	}
	for i := range r.docs {
		r.docs[i].nearby = nearbyWeight * top * sums[i] / best
	}
}

// containsRun reports whether the terms of run, which has a space at both ends, stand in body one after another.
func containsRun(body, run string) bool {
	inner := run[1 : len(run)-1]
	for from := 0; ; {
		i := strings.Index(body[from:], inner)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(inner)
		if (i == 0 || body[i-1] == ' ') && (end == len(body) || body[end] == ' ') {
			return true
		}
		from = i + 1
	}
}
