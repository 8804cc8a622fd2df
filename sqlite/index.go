package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

const (
	// comparedTexts is how many index texts one short read compares with the index.
	comparedTexts = 500
	// comparedWords is about how many words are looked up in the index: all of a store of a thousand facts, and of a larger
	// one a sample, another in each check. A lookup takes 40 µs. That the index agrees with itself is checked in full.
	comparedWords = 20_000
)

// Reindex implements testigo.Store. An index that is not there, or cannot even be emptied, is made anew.
func (s *Store) Reindex(ctx context.Context) error {
	return s.Write(ctx, func(w testigo.Tx) error {
		t := w.(*tx)
		if _, err := t.exec("index_unwanted_drop"); err != nil {
			return err
		}
		if _, err := t.k.exec("index_rebuild"); err != nil {
			if testigo.CodeOf(translate(err)) != testigo.CodeDamaged {
				return t.fail(err)
			}
			for _, step := range []string{"index_drop", "index_create", "index_rebuild"} {
				if _, err := t.exec(step); err != nil {
					return err
				}
			}
		}
		t.log.changes++
		return t.fail(t.k.row("index_counts", nil, &t.log.docs, &t.log.body, &t.log.context))
	})
}

// counters compares the numbers that ranking goes by with the rows.
func (c *checker) counters(ctx context.Context) error {
	return c.s.question(ctx, func(v *view) error {
		if err := v.loadLog(); err != nil {
			return err
		}
		var docs, body, context int64
		if err := v.k.row("index_counts", nil, &docs, &body, &context); err != nil {
			return err
		}
		if docs != v.log.docs || body != v.log.body || context != v.log.context {
			c.add(testigo.IndexDiffers, "the counters of the index say %d rows with %d and %d terms; there are %d with %d and %d",
				v.log.docs, v.log.body, v.log.context, docs, body, context)
		}
		return nil
	})
}

// texts compares every index text with the index: that it is wanted, that the index has an entry for it with as many words,
// and that the index finds it by its words. SQLite's own comparison would need the write lock for as long as it lasts.
func (c *checker) texts(ctx context.Context) error {
	differ := 0
	shift := int(time.Now().UnixNano() & math.MaxInt32)
	return c.s.pieces(ctx, func(v *view, start int64) (int64, error) {
		after := start
		if err := v.loadLog(); err != nil {
			return start, err
		}
		words, every := comparedWords/max(int(v.log.docs), 1)+1, int(v.log.docs)/comparedWords+1
		err := v.k.each(ctx, "check_texts", []any{start, comparedTexts}, func(rows *sql.Rows) error {
			var seq int64
			var text testigo.IndexText
			var sizes []byte
			var wanted bool
			var project, scope, key sql.NullString
			var number, leaf sql.NullInt64
			err := scan(rows, &seq, &text.Filter, &text.Body, &text.Context, &sizes, &wanted, &project, &scope, &key, &number, &leaf)
			if err != nil {
				return err
			}
			after = seq
			detail := "the index holds a version that is not current or was erased"
			if wanted {
				words := words
				if (int(seq)+shift)%every != 0 {
					words = 0
				}
				detail, err = compareText(v, seq, text, sizes, words, shift)
			}
			if detail != "" && err == nil {
				c.report(damageOf(testigo.IndexDiffers, project, scope, key, number, leaf, detail))
				differ++
			}
			return err
		})
		if differ >= reportedDamage {
			return start, err
		}
		return after, err
	})
}

// compareText says what is wrong with the index's entry for a text, "" if nothing is. It looks up at most so many words.
func compareText(v *view, seq int64, text testigo.IndexText, sizes []byte, words, shift int) (string, error) {
	if sizes == nil {
		return "an index text is missing from the index", nil
	}
	columns := [][]string{tokens(text.Filter), tokens(text.Body), tokens(text.Context)}
	if !slices.Equal(sizesOf(sizes), []int{len(columns[0]), len(columns[1]), len(columns[2])}) {
		return "the index has more or fewer words for this version than its index text", nil
	}
	all := len(columns[0]) + len(columns[1]) + len(columns[2])
	for n := range min(words, all) {
		column, at := 0, (shift+int(seq)+n)%all
		for at >= len(columns[column]) {
			at -= len(columns[column])
			column++
		}
		found := 0
		match := matchOne([]string{"{filter}", "{body}", "{context}"}[column], columns[column][at])
		if err := v.k.row("check_found", []any{match, seq}, &found); err != nil {
			return "", err
		}
		if found == 0 {
			return "the index does not find this version by a word of it", nil
		}
	}
	return "", nil
}

// tokens cuts a text as the index does ("tokenize = ascii"): letters and digits, and whatever is not ASCII.
func tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r < 0x80 && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// sizesOf reads how many tokens the index took from each column: variable-length numbers, seven bits a byte.
func sizesOf(b []byte) []int {
	var list []int
	n := 0
	for _, c := range b {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			list = append(list, n)
			n = 0
		}
	}
	return list
}
