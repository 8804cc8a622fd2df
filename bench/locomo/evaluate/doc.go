// Command evaluate runs the LoCoMo evaluation of package locomo through what users run: memory.Service on a SQLite store.
// Turns are remembered one by one, by one agent in one session per conversation, with the speaker as a tag; questions are
// recalled within the conversation's scope.
//
//	evaluate         prints the report as Markdown
//	evaluate -brief  the line of all questions only
//
// Environment: LOCOMO names the data set when it is not where locomo.DefaultPath says. The store is made in a temporary
// directory and removed.
package main
