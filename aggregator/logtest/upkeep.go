package logtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
)

// Recorded is the revision up to which readings are stored.
func (l *Log) Recorded(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.recorded, l.FailRead
}

// Record stores readings.
func (l *Log) Record(_ context.Context, term int64, rows []figures.Reading, upTo int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case term != l.term:
		return aggregator.ErrLeaseLost
	case l.FailAppend != nil:
		return l.FailAppend
	}
	l.readings, l.recorded = append(l.readings, rows...), max(l.recorded, upTo)
	return nil
}

// SetRecorded says up to which revision readings are stored, whatever they are.
func (d *Database) SetRecorded(revision int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorded = revision
}

// Stored are the readings that were stored.
func (d *Database) Stored() []figures.Reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.readings)
}

// FirstReading is when the first of the readings from a time on was made.
func (l *Log) FirstReading(_ context.Context, from time.Time) (at time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked++
	for _, r := range l.readings {
		if made := time.Unix(r.Minute*60, 0); !made.Before(from) && (at.IsZero() || made.Before(at)) {
			at = made
		}
	}
	return at, l.FailRead
}

// ThinReadings keeps all, and notes from when on which it was asked to thin out.
func (l *Log) ThinReadings(_ context.Context, term int64, from, _ time.Time, bucket time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if term != l.term {
		return aggregator.ErrLeaseLost
	}
	l.thinned = append(l.thinned, fmt.Sprint(from.UTC().Format("2006-01-02 15:04"), " ", bucket))
	return nil
}

// Thinned are the times that were to be thinned out since it was asked last, with of how long a time one
// reading was to be left.
func (d *Database) Thinned() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, d.thinned = d.thinned, nil
	return all
}

// Looked is how often a first reading was asked for since it was asked last.
func (d *Database) Looked() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, d.looked = d.looked, 0
	return n
}

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

// Retired is what was asked to be retired.
func (d *Database) Retired() []aggregator.Retirement {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.retired)
}

// Fold keeps every version.
func (l *Log) Fold(context.Context, int64, time.Time) (int, error) { return 0, nil }
