package logtest

import (
	"context"
	"slices"
	"time"

	"housecount/aggregator"
)

// Retire stores sums of scans, and takes nothing out.
func (l *Log) Retire(_ context.Context, term int64, what aggregator.Retirement) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if term != l.term {
		return 0, aggregator.ErrLeaseLost
	}
	if l.FailRetire != nil {
		return 0, l.FailRetire
	}
	if what.Empty() && !l.Retiring {
		return 0, nil
	}
	l.Retiring = false
	l.retired = append(l.retired, what)
	for _, a := range what.Admissions {
		l.append(a, what.At)
	}
	l.hint()
	return len(what.Admissions), nil
}

// Retired returns what was asked to be retired.
func (d *Database) Retired() []aggregator.Retirement {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.retired)
}

// Fold keeps every version.
func (l *Log) Fold(context.Context, int64, time.Time) (int, error) { return 0, nil }
