package memstore

import "iter"

// table is an ordered map that shares structure with its copies: assigning it takes a snapshot. Underneath is a
// weight-balanced tree (Adams; the parameters 3 and 2 are the ones proved sound by Hirai and Yamamoto, 2011).
type table[K, V any] struct {
	root    *node[K, V]
	compare func(a, b K) int
}

type node[K, V any] struct {
	key         K
	value       V
	size        int
	left, right *node[K, V]
}

func newTable[K, V any](compare func(a, b K) int) table[K, V] {
	return table[K, V]{compare: compare}
}

func (t table[K, V]) len() int { return t.root.len() }

func (t table[K, V]) get(key K) (V, bool) {
	for n := t.root; n != nil; {
		switch c := t.compare(key, n.key); {
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		default:
			return n.value, true
		}
	}
	var none V
	return none, false
}

func (t table[K, V]) has(key K) bool {
	_, ok := t.get(key)
	return ok
}

func (t *table[K, V]) set(key K, value V) { t.root = t.insert(t.root, key, value) }

func (t *table[K, V]) remove(key K) {
	if t.has(key) {
		t.root = t.without(t.root, key)
	}
}

// from walks upwards, starting at the first key that is not below key.
func (t table[K, V]) from(key K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		t.up(t.root, &key, yield)
	}
}

// all walks upwards over everything.
func (t table[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		t.up(t.root, nil, yield)
	}
}

// below walks downwards, starting at the last key that is below key.
func (t table[K, V]) below(key K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		t.down(t.root, key, yield)
	}
}

func (t table[K, V]) up(n *node[K, V], from *K, yield func(K, V) bool) bool {
	if n == nil {
		return true
	}
	if from != nil && t.compare(n.key, *from) < 0 {
		return t.up(n.right, from, yield)
	}
	return t.up(n.left, from, yield) && yield(n.key, n.value) && t.up(n.right, nil, yield)
}

func (t table[K, V]) down(n *node[K, V], limit K, yield func(K, V) bool) bool {
	if n == nil {
		return true
	}
	if t.compare(n.key, limit) >= 0 {
		return t.down(n.left, limit, yield)
	}
	return t.down(n.right, limit, yield) && yield(n.key, n.value) && t.down(n.left, limit, yield)
}

func (t table[K, V]) insert(n *node[K, V], key K, value V) *node[K, V] {
	if n == nil {
		return &node[K, V]{key: key, value: value, size: 1}
	}
	switch c := t.compare(key, n.key); {
	case c < 0:
		return balance(n, t.insert(n.left, key, value), n.right)
	case c > 0:
		return balance(n, n.left, t.insert(n.right, key, value))
	default:
		return &node[K, V]{key: key, value: value, size: n.size, left: n.left, right: n.right}
	}
}

// without removes a key that is known to be there.
func (t table[K, V]) without(n *node[K, V], key K) *node[K, V] {
	switch c := t.compare(key, n.key); {
	case c < 0:
		return balance(n, t.without(n.left, key), n.right)
	case c > 0:
		return balance(n, n.left, t.without(n.right, key))
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	}
	heir := n.right
	for heir.left != nil {
		heir = heir.left
	}
	return balance(heir, n.left, t.without(n.right, heir.key))
}

func (n *node[K, V]) len() int {
	if n == nil {
		return 0
	}
	return n.size
}

// join makes a new node with n's key and value.
func join[K, V any](n, left, right *node[K, V]) *node[K, V] {
	return &node[K, V]{key: n.key, value: n.value, size: left.len() + right.len() + 1, left: left, right: right}
}

// balance is join for children of which one may have become too heavy by one insertion or removal.
func balance[K, V any](n, left, right *node[K, V]) *node[K, V] {
	const delta, ratio = 3, 2
	l, r := left.len(), right.len()
	switch {
	case l+r <= 1:
		return join(n, left, right)
	case r > delta*l:
		if right.left.len() < ratio*right.right.len() {
			return join(right, join(n, left, right.left), right.right)
		}
		mid := right.left
		return join(mid, join(n, left, mid.left), join(right, mid.right, right.right))
	case l > delta*r:
		if left.right.len() < ratio*left.left.len() {
			return join(left, left.left, join(n, left.right, right))
		}
		mid := left.right
		return join(mid, join(left, left.left, mid.left), join(n, mid.right, right))
	}
	return join(n, left, right)
}
