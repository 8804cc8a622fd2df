// Package canonical writes JSON in the one form that is hashed: RFC 8785, except that every number is copied exactly as
// it was written. `1` and `1.0` are therefore different values, and no number ever passes through a float.
//
// It refuses what two readers could understand differently: duplicate names, invalid UTF-8, lone surrogates, more than
// 64 levels, number literals over 1,000 characters. docs/format.md gives the rule with test vectors.
package canonical
