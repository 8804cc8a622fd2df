package bare

import (
	"encoding/gob"
	"os"
)

// Row is one write, computed beforehand.
type Row struct {
	Project, Scope, Key      string
	Author, Session          string
	Value                    string
	Tags                     []byte // JSON, nil for none
	Confidence               float64
	CreatedAt                int64 // ms
	Filter, Body, Context    string
	BodyTerms, ContextTerms  int64
	Salt, Prev, Inner, Hash  []byte
	Frontier, Root           []byte
	fact, previous, versions int64
}

// Save writes rows to a file, for processes that cannot compute them.
func Save(path string, rows []Row) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(rows); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Load reads what Save wrote.
func Load(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []Row
	err = gob.NewDecoder(f).Decode(&rows)
	return rows, err
}
