package memstore

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A table answers like a map that was sorted, stays balanced, and a copy taken earlier never changes.
func TestTableIsASortedMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tab := newTable[int, int](cmp.Compare[int])
		model := map[int]int{}
		var before table[int, int]
		var then map[int]int
		key := rapid.IntRange(0, 60)
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if i%40 == 0 {
				before, then = tab, maps.Clone(model)
			}
			k := key.Draw(t, "key")
			if rapid.Bool().Draw(t, "remove") {
				tab.remove(k)
				delete(model, k)
			} else {
				tab.set(k, i)
				model[k] = i
			}
		}
		compareWithMap(t, tab, model)
		compareWithMap(t, before, then)
		checkBalance(t, tab.root)

		limit := key.Draw(t, "limit")
		var up, down, wantUp, wantDown []int
		for k := range tab.from(limit) {
			up = append(up, k)
		}
		for k := range tab.below(limit) {
			down = append(down, k)
		}
		for _, k := range slices.Sorted(maps.Keys(model)) {
			if k >= limit {
				wantUp = append(wantUp, k)
			} else {
				wantDown = append(wantDown, k)
			}
		}
		slices.Reverse(wantDown)
		if !slices.Equal(up, wantUp) || !slices.Equal(down, wantDown) {
			t.Fatalf("from %d: %v and %v, want %v and %v", limit, up, down, wantUp, wantDown)
		}
	})
}

func compareWithMap(t *rapid.T, tab table[int, int], model map[int]int) {
	if tab.len() != len(model) {
		t.Fatalf("len %d, want %d", tab.len(), len(model))
	}
	keys := slices.Sorted(maps.Keys(model))
	i := 0
	for k, v := range tab.all() {
		if k != keys[i] || v != model[k] {
			t.Fatalf("entry %d is %d=%d, want %d=%d", i, k, v, keys[i], model[keys[i]])
		}
		i++
	}
}

func checkBalance[K, V any](t *rapid.T, n *node[K, V]) {
	if n == nil {
		return
	}
	l, r := n.left.len(), n.right.len()
	if n.size != l+r+1 || l+r > 1 && (l > 3*r || r > 3*l) {
		t.Fatalf("a node of size %d has children of %d and %d", n.size, l, r)
	}
	checkBalance(t, n.left)
	checkBalance(t, n.right)
}
