// Package search turns facts and questions into terms, and orders what a store found. It is the only place that
// tokenises: stores keep the terms, compare them byte by byte and never look inside.
//
// What it promises:
//
//   - Whatever a caller types is text. Quotes, dashes, stars, colons and words such as AND have no meaning as syntax; a
//     quoted passage is worth more where it stands as written, and nothing else changes.
//   - A text is found by each of its words as they stand between spaces, as far as the caps below reach. That covers
//     identifiers (userName, user_name, POL-358, 38.101, a/b/c.go) whole and by their parts, identifiers glued to
//     Chinese, and single Chinese, Japanese and Korean characters.
//   - A term is made of lower-case letters, digits and the marks some scripts write their vowels with. It holds no space
//     and no ASCII punctuation, and has at most MaxTermBytes bytes.
//   - The same input gives the same terms and the same order, whichever database answered. Recency and confidence only
//     break ties.
//   - Nothing crosses a border: Context is made of what the same agent wrote in the same session and project, and the
//     caller decides what that is.
//
// What it does not do: it knows no synonyms and no vectors, it stems English only, and it does not correct spelling
// except in NearestNames.
//
//	            version + the two before it              what the caller typed
//	                        │                                     │
//	                      Index                                 Parse
//	                        │                                     │
//	filter, body, context   ▼                                     ▼  terms
//	                      store ──── match, at most 50 ────→  Plan.Rank ──→ hits, each with its parts
//
// Caps: MaxTerms terms of one document, MaxTermBytes of one term (a longer word keeps its beginning and a hash of all of
// it), MaxQueryTerms of one query.
package search

// MaxTerms bounds the terms of one document's body. A value of 256 KiB of prose has about twice as many; what lies
// beyond is not found by its words, but by name, tag, scope and whatever stands before it.
const MaxTerms = 20_000

// MaxTermBytes bounds one term. The longest English word in common use has 29 letters; longer strings are digests,
// tokens and paths, for which a prefix and a hash compare as well.
const MaxTermBytes = 64

// MaxQueryTerms bounds the terms of one query, because a store's work grows with each of them. Past 30 words a text is
// a document and not a question, and its rarest words find the same facts.
const MaxQueryTerms = 32
