package testigo

// IndexText is the searchable form of one current version, made only by package search. Every field is a list of terms
// joined by single spaces; a term consists of letters and digits only, so that a store keeps and compares them as they are.
type IndexText struct {
	// Filter holds one opaque term per scope prefix of the fact in its project (the empty prefix stands for the whole
	// project), and one per tag. They narrow a search and score nothing.
	Filter string
	// Body holds the terms of scope, key, tags and all string content of the value.
	Body string
	// Context holds, at low weight, terms of what the same agent wrote just before in the same session and project.
	Context string
}

// SearchQuery is a search as a store runs it: current versions whose Filter holds one term of every group and whose
// Body or Context holds at least one of Terms.
type SearchQuery struct {
	// Terms are ORed. Empty means no text was asked for: order by newest.
	Terms []string
	// Within are groups of filter terms; within a group one must match, and every group must.
	Within [][]string
	// MinConfidence keeps versions at or above it; 0 keeps all.
	MinConfidence float64
	// Limit is the most candidates to return.
	Limit int
	// Before keeps versions with a smaller Seq, for paging by newest; 0 keeps all. Ignored when Terms are given.
	Before int64
}

// Candidate is one match with its index text.
type Candidate struct {
	Version Version
	Text    IndexText
}

// Candidates is what a store answers to a SearchQuery. Without terms they come newest first; with terms they are the
// best Limit by the store's own ranking, in no particular order, for package search to rank.
type Candidates struct {
	List []Candidate
	// Total counts the matches, exactly up to CountLimit; More says that there are more than that. Before does not
	// change them: they speak of the whole search, not of one page.
	Total int
	More  bool
	// Docs is the number of indexed versions, DocFreq how many of them hold each term (estimates are allowed above
	// CountLimit), AvgBody and AvgContext the mean number of terms per column.
	Docs       int
	DocFreq    map[string]int
	AvgBody    float64
	AvgContext float64
}

// CountLimit is how far matches are counted exactly: beyond it an answer says "more than 1,000".
const CountLimit = 1000
