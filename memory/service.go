package memory

import (
	"context"
	"crypto/rand"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

// Service runs the use cases on one store.
type Service struct {
	store testigo.Store
	// random gives salts; crypto/rand outside tests.
	random io.Reader
	// now is the time of answers (ages); transactions have their own.
	now func() time.Time

	texts textCache
	where placeCache

	once sync.Once
	info testigo.StoreInfo
	err  error
}

// New returns a Service on store.
func New(store testigo.Store) *Service {
	return &Service{store: store, random: rand.Reader, now: func() time.Time { return time.Now().UTC() }}
}

// WithClock replaces the clock that ages are told by, for tests and simulations.
func (s *Service) WithClock(now func() time.Time) *Service { s.now = now; return s }

// Now is the service's time.
func (s *Service) Now() time.Time { return s.now() }

// Store returns the store the service runs on.
func (s *Service) Store() testigo.Store { return s.store }

// Flat reports whether the store knows no projects.
func (s *Service) Flat(ctx context.Context) (bool, error) {
	info, err := s.fixedInfo(ctx)
	return info.Flat, err
}

// Warnings are said with every write: that the store lies where it may vanish.
func (s *Service) Warnings(ctx context.Context) []string {
	if info, err := s.fixedInfo(ctx); err == nil && info.Warning != "" {
		return []string{info.Warning}
	}
	return nil
}

// fixedInfo reads the store's description once, for the parts that never change.
func (s *Service) fixedInfo(ctx context.Context) (testigo.StoreInfo, error) {
	s.once.Do(func() { s.info, s.err = s.store.Info(context.WithoutCancel(ctx)) })
	return s.info, s.err
}

// Project resolves a project argument for a caller, in its own directory.
func (s *Service) Project(ctx context.Context, c Caller, explicit string) (testigo.Project, error) {
	return s.ProjectIn(ctx, c, c.WorkDir(), explicit)
}

// ProjectIn resolves a project argument for a caller in a directory.
func (s *Service) ProjectIn(ctx context.Context, c Caller, dir, explicit string) (testigo.Project, error) {
	flat, err := s.Flat(ctx)
	if err != nil {
		return testigo.Project{}, err
	}
	return s.where.project(c, dir, explicit, flat)
}

// Register makes the caller's agent known and stores what its session has seen. A server calls it when it starts and
// when it ends.
func (s *Service) Register(ctx context.Context, c Caller) error {
	done := func() {}
	err := s.store.Write(ctx, func(tx testigo.Tx) (err error) {
		done, err = CheckIn(ctx, tx, c)
		return err
	})
	if err == nil {
		done()
	}
	return err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
