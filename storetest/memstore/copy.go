package memstore

import (
	"bytes"
	"slices"
	"time"

	"github.com/testigo/testigo"
)

// What goes in and what comes out is copied: a caller that changes its value later must not change the store.

// stamp gives a time the precision and zone in which every store keeps it.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

func copyVersion(v *testigo.Version) testigo.Version {
	c := *v
	c.Value = bytes.Clone(v.Value)
	c.Tags = slices.Clone(v.Tags)
	c.Sources = slices.Clone(v.Sources)
	c.Salt = bytes.Clone(v.Salt)
	return c
}

func keepVersion(v testigo.Version) *testigo.Version {
	c := copyVersion(&v)
	c.CreatedAt = stamp(c.CreatedAt)
	c.SupersededAt = stamp(c.SupersededAt)
	c.ConfirmedAt = stamp(c.ConfirmedAt)
	c.ErasedAt = stamp(c.ErasedAt)
	for i := range c.Sources {
		c.Sources[i].ModTime = stamp(c.Sources[i].ModTime)
	}
	return &c
}

func copyHandoff(h *testigo.Handoff) testigo.Handoff {
	c := *h
	c.NextSteps = slices.Clone(h.NextSteps)
	c.OpenQuestions = slices.Clone(h.OpenQuestions)
	c.Tried = slices.Clone(h.Tried)
	c.Pins = slices.Clone(h.Pins)
	c.Claim = copyClaim(h.Claim)
	c.Return = copyReturn(h.Return)
	if h.Closure != nil {
		end := *h.Closure
		c.Closure = &end
	}
	if h.Workspace != nil {
		w := *h.Workspace
		w.Dirty = slices.Clone(w.Dirty)
		c.Workspace = &w
	}
	return c
}

func copyClaim(c testigo.Claim) testigo.Claim {
	c.StaleShown = slices.Clone(c.StaleShown)
	return c
}

func copyReturn(r *testigo.Return) *testigo.Return {
	if r == nil {
		return nil
	}
	c := *r
	c.Claims = slices.Clone(r.Claims)
	for i, claim := range c.Claims {
		if claim.ExitCode != nil {
			code := *claim.ExitCode
			c.Claims[i].ExitCode = &code
		}
	}
	return &c
}

func keepHandoff(h testigo.Handoff) *testigo.Handoff {
	c := copyHandoff(&h)
	c.CreatedAt = stamp(c.CreatedAt)
	c.ExpiresAt = stamp(c.ExpiresAt)
	c.DueAt = stamp(c.DueAt)
	c.ClosedAt = stamp(c.ClosedAt)
	c.Claim.At = stamp(c.Claim.At)
	c.Claim.RenewedAt = stamp(c.Claim.RenewedAt)
	c.ReadAt = stamp(c.ReadAt)
	c.AcceptedAt = stamp(c.AcceptedAt)
	if c.Workspace != nil {
		c.Workspace.At = stamp(c.Workspace.At)
	}
	if c.Return != nil {
		c.Return.At = stamp(c.Return.At)
	}
	if c.Closure != nil {
		c.Closure.At = stamp(c.Closure.At)
	}
	return &c
}

func copyAgent(a testigo.Agent) testigo.Agent {
	a.Settings = bytes.Clone(a.Settings)
	return a
}

func copyEvent(e *testigo.Event) testigo.Event {
	c := *e
	c.Data = bytes.Clone(e.Data)
	return c
}

func copyRequest(r *testigo.Request) testigo.Request {
	c := *r
	c.Result = bytes.Clone(r.Result)
	return c
}

func copyLog(s testigo.LogState) testigo.LogState {
	s.Frontier = slices.Clone(s.Frontier)
	return s
}
