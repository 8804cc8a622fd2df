// Package locomo measures how well a search finds the evidence of the LoCoMo questions: 10 long conversations of 5,882
// turns, and 1,536 questions whose answers stand in known turns.
//
// The data set (locomo10.json, CC BY-NC 4.0) is read from where the caller has it and is no part of this repository; nor
// is any sentence of it. Without the file there is nothing to measure.
//
// How a conversation becomes facts, the same for every Searcher:
//
//	turn 6 of session 8    scope conv/3, key D8-6, value {"text": …, "image": …, "said": …}, tag = the speaker
//	writer                 one agent, one session per conversation, in the order of the turns
//	question               one query, searched within its conversation's scope
//
// What counts: recall@k is the share of a question's evidence turns among the first k answers, averaged over questions;
// MRR is 1 / the rank of the first evidence turn among the first 10. Questions of category 5 have no answer, and four
// others no evidence; both are left out. The report keeps even and odd conversations apart, so that weights can be chosen
// on the even ones and judged by the odd ones.
//
//	data, err := locomo.Load(path)
//	report, err := locomo.Evaluate(data, searcher)
//	fmt.Print(report)
package locomo
