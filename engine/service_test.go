package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/storetest/memstore"
)

// service makes a world on the bubble's clock with a running engine.
func service(t *testing.T) *world {
	w := newWorld(t)
	w.store = memstore.New(memstore.Options{Clock: time.Now})
	for _, name := range []string{"ann", "bob", "cay"} {
		w.agent(name)
	}
	w.e = w.background()
	return w
}

func (w *world) background() *engine.Engine {
	return w.engine(func(o *engine.Options) { o.Clock, o.Parallel = time.Now, 4 })
}

func (w *world) put(from, to, text string) string {
	w.Helper()
	id := "h_" + strings.ReplaceAll(text, " ", "_")
	w.write(func(tx testigo.Tx) error {
		return tx.PutHandoff(w.ctx, testigo.Handoff{ID: id, Seq: tx.NextSeq(), Kind: testigo.KindMessage, State: testigo.Open, From: from, To: to,
			Summary: text, CreatedAt: tx.Now()})
	})
	w.e.Wake()
	return id
}

// E66, E17: the service delivers at once when it is woken, goes on by itself, and stops when asked, twice too.
func TestServiceDelivers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := service(t)
		w.e.Stop()
		if w.e = w.background(); w.e.Started() {
			t.Fatal("started before Start")
		}
		w.e.Start(w.ctx)
		w.e.Start(w.ctx)
		synctest.Wait()
		began := time.Now()
		first, next := w.put("ann", "bob", "one"), w.put("ann", "bob", "two")
		synctest.Wait()
		if w.want(first, testigo.Accepted); time.Since(began) > 0 || !w.e.Started() {
			t.Fatal("a sent message waited for a poll")
		}
		w.p.end(bob, testigo.TurnFinished)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		w.want(first, testigo.TurnEnded)
		if !w.row(next).State.Active() {
			t.Fatal(w.row(next))
		}
		w.e.Stop()
		w.e.Stop()
		if w.e.Started() {
			t.Fatal("started after Stop")
		}
	})
}

// Fault 35: one slow provider stalls nobody else.
func TestSlowProviderStallsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := service(t)
		w.p.start = func(to testigo.Target, tn testigo.Turn) (testigo.Started, error) {
			if to.Endpoint == bob {
				time.Sleep(50 * time.Second)
			}
			return w.p.honestStart(to, tn)
		}
		w.e.Start(w.ctx)
		slow := w.put("ann", "bob", "slow")
		synctest.Wait()
		fast := w.put("ann", "cay", "fast")
		synctest.Wait()
		w.want(slow, testigo.Sending)
		w.want(fast, testigo.Accepted)
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := w.row(slow).State; s != testigo.Running && s != testigo.Accepted {
			t.Fatal(s)
		}
		w.e.Stop()
	})
}

// Fault 38: Stop drains within five seconds, writes nothing new, and records what was written.
func TestStopDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := service(t)
		release := make(chan struct{})
		w.p.start = func(to testigo.Target, tn testigo.Turn) (testigo.Started, error) {
			if to.Endpoint == cay {
				<-release
				return testigo.Started{}, errors.New("too late")
			}
			time.Sleep(3 * time.Second)
			return w.p.honestStart(to, tn)
		}
		w.e.Start(w.ctx)
		first, stuck := w.put("ann", "bob", "one"), w.put("ann", "cay", "stuck")
		synctest.Wait()
		next := w.put("cay", "ann", "new")
		began := time.Now()
		w.p.prepare = func(testigo.Target) error { t.Error("something new was begun"); return nil }
		w.e.Stop()
		if took := time.Since(began); took > drainLimit {
			t.Fatal(took)
		}
		w.want(first, testigo.Accepted)
		w.want(stuck, testigo.Sending)
		w.e.Wake()
		close(release)
		synctest.Wait()
		err := w.store.Read(w.ctx, func(r testigo.Reader) error { _, err := r.Delivery(w.ctx, next); return err })
		if testigo.CodeOf(err) != testigo.CodeNotFound && w.row(next).State != testigo.Waiting {
			t.Fatal(w.row(next), err)
		}
	})
}

const drainLimit = 5*time.Second + 100*time.Millisecond

// Fault 20: an engine that dies is replaced within 15 seconds; a given back lease at once.
func TestTakeover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := service(t)
		dying := &mortal{Store: w.store}
		first := engine.New(dying, engine.Options{Providers: map[string]testigo.Provider{"script": w.p}, Name: "first"})
		first.Start(w.ctx)
		synctest.Wait()
		w.e.Start(w.ctx)
		time.Sleep(7 * time.Second)
		dying.die()
		id := w.put("ann", "bob", "hello")
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if !w.row(id).State.Active() {
			t.Fatal(w.row(id))
		}
		w.e.Stop()
		first.Stop()
		if rep, err := w.background().Pass(context.Background()); err != nil || rep.Skipped {
			t.Fatal("the lease was not given back: ", rep, err)
		}
	})
}
