package locomo

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DefaultPath is where the data set lies, seen from the repository's root.
const DefaultPath = "../shared/data/locomo10.json"

// Data is the data set.
type Data struct {
	Conversations [][]Turn // each in the order the turns were spoken
	Questions     []Question
}

// Turn is what one speaker said at once.
type Turn struct {
	ID      string // D8:6 is turn 6 of session 8
	Speaker string
	Text    string
	Caption string // what an attached image shows, if there is one
	Said    string // when its session took place, in words
}

// Question asks about one conversation.
type Question struct {
	Conversation int
	Text         string
	Category     int      // 1 several turns, 2 time, 3 outside knowledge, 4 one turn
	Evidence     []string // ids of turns, each once
}

// Categories names the categories that are asked, by number.
var Categories = map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

// Scope is the scope of a conversation's facts.
func Scope(conversation int) string { return "conv/" + strconv.Itoa(conversation) }

// Key is the key of the turn's fact.
func (t Turn) Key() string { return strings.ReplaceAll(t.ID, ":", "-") }

// TurnID is the id of the turn whose fact has the key.
func TurnID(key string) string { return strings.ReplaceAll(key, "-", ":") }

// Value is the JSON value of the turn's fact.
func (t Turn) Value() json.RawMessage {
	b, err := json.Marshal(struct {
		Text  string `json:"text"`
		Image string `json:"image,omitempty"`
		Said  string `json:"said,omitempty"`
	}{t.Text, t.Caption, t.Said})
	if err != nil {
		panic(err) // three strings always encode
	}
	return b
}

// Load reads the data set. Questions without an answer or without evidence are left out.
func Load(path string) (*Data, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var samples []struct {
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string   `json:"question"`
			Category int      `json:"category"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
	}
	if err := json.Unmarshal(raw, &samples); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data := &Data{}
	for n, s := range samples {
		turns, err := readTurns(s.Conversation)
		if err != nil {
			return nil, fmt.Errorf("%s: conversation %d: %w", path, n, err)
		}
		data.Conversations = append(data.Conversations, turns)
		for _, q := range s.QA {
			evidence := Evidence(q.Evidence)
			if Categories[q.Category] == "" || len(evidence) == 0 {
				continue
			}
			data.Questions = append(data.Questions, Question{n, q.Question, q.Category, evidence})
		}
	}
	return data, nil
}

// readTurns puts a conversation's sessions in order. Sessions are members named session_N beside session_N_date_time.
func readTurns(members map[string]json.RawMessage) ([]Turn, error) {
	var turns []Turn
	for n := 1; n <= len(members); n++ {
		name := "session_" + strconv.Itoa(n)
		raw, ok := members[name]
		if !ok {
			continue
		}
		var said string
		if when, ok := members[name+"_date_time"]; ok {
			if err := json.Unmarshal(when, &said); err != nil {
				return nil, fmt.Errorf("%s_date_time: %w", name, err)
			}
		}
		var session []struct {
			ID      string `json:"dia_id"`
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
			Caption string `json:"blip_caption"`
		}
		if err := json.Unmarshal(raw, &session); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range session {
			turns = append(turns, Turn{t.ID, t.Speaker, t.Text, t.Caption, said})
		}
	}
	return turns, nil
}

var evidenceID = regexp.MustCompile(`D:?(\d+):(\d+)`)

// Evidence reads evidence ids as the data set writes them: several in one string, with leading zeros, or with a colon
// too many. What is no id is dropped.
func Evidence(written []string) []string {
	var ids []string
	for _, w := range written {
		for _, m := range evidenceID.FindAllStringSubmatch(w, -1) {
			session, _ := strconv.Atoi(m[1]) // digits by the pattern
			turn, _ := strconv.Atoi(m[2])
			id := fmt.Sprintf("D%d:%d", session, turn)
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
