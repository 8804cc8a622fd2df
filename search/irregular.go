package search

import "strings"

// irregular maps forms that no rule of the stemmer reaches to their base word. Questions ask in one tense about what was
// told in another: "what did she buy" and "bought".
var irregular = func() map[string]string {
	forms := map[string]string{}
	for line := range strings.Lines(irregularForms) {
		words := strings.Fields(line)
		for _, w := range words[min(1, len(words)):] {
			forms[w] = words[0]
		}
	}
	return forms
}()

const irregularForms = `
become became
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
draw drew drawn
drive drove driven
eat ate eaten
fall fell fallen
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hear heard
hide hid hidden
hold held
keep kept
know knew known
leave left
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
rise rose risen
run ran
say said
see saw seen
sell sold
send sent
shake shook shaken
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
stand stood
steal stole stolen
swim swam swum
take took taken
teach taught
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
child children
foot feet
index indices
man men
matrix matrices
mouse mice
person people
tooth teeth
vertex vertices
woman women
`
