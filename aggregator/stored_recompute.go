package aggregator

import (
	"cmp"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Recomputed returns when the figures were last recomputed, by the venue's clock; zero for never.
func Recomputed(s *figures.Snapshot) time.Time {
	if last := s.Checks[figures.CheckRecompute]; last != nil {
		return last.Recomputed()
	}
	return time.Time{}
}

// NextSlice returns the number of the slice to recompute next, of that many slices, and when the last recompute of
// all or of a slice was made; zero if all were never recomputed.
func NextSlice(s *figures.Snapshot, of int) (number int, last time.Time) {
	r := s.Checks[figures.CheckRecompute]
	switch {
	case r == nil:
		return 0, time.Time{}
	case r.Slice == nil || r.Slice.Of != of:
		return 0, r.Recomputed()
	}
	return (r.Slice.Number + 1) % of, figures.Later(r.Recomputed(), r.Slice.At)
}

// KeepSince returns the result of a recompute in which each difference that was found before keeps the time at
// which it was first found. Its version is newer than the stored one even if that was stored by a clock that ran
// ahead.
func KeepSince(s *figures.Snapshot, r *record.Reconciliation) *record.Reconciliation {
	since := s.Checks[figures.Check(r.Check)].FoundSince()
	stored := *r
	stored.Found = slices.Clone(r.Found)
	for i := range stored.Found {
		if before, known := since[stored.Found[i].Key]; known {
			stored.Found[i].Since = before
		}
	}
	if last := s.Checks[figures.Check(r.Check)]; last != nil {
		stored.Slice = last.Slice
		stored.Whole, stored.At = r.At, figures.Later(r.At, last.At.Add(time.Second))
	}
	return &stored
}

// WithSlice returns the last recompute of all performances, in which the results for those of a slice are
// replaced; nil if all were never recomputed.
func WithSlice(s *figures.Snapshot, r *record.Reconciliation, number, of int) *record.Reconciliation {
	last, found := s.Checks[figures.CheckRecompute], KeepSince(s, r).Found
	if last == nil {
		return nil
	}
	all := *last
	all.Found = slices.DeleteFunc(slices.Clone(last.Found), func(f record.Found) bool { return f.Event != "" && figures.InSlice(f.Event, number, of) })
	// It is not known which slice the differences are in that are not listed. What the slice has in excess of
	// those listed is taken from them.
	all.Differ = max(len(all.Found)+r.Differ, last.Differ-max(0, len(last.Found)-len(all.Found)-r.Differ))
	all.Found = append(all.Found, found...)
	slices.SortFunc(all.Found, func(a, b record.Found) int { return cmp.Compare(a.Key, b.Key) })
	all.Found = all.Found[:min(len(all.Found), evening.MostFound)]
	all.Whole, all.At = last.Recomputed(), figures.Later(r.At, last.At.Add(time.Second))
	all.Slice = &record.RecomputedSlice{At: r.At, Number: number, Of: of, Revision: r.Revision, Versions: r.Versions, Compared: r.Compared, Took: r.Took}
	return &all
}
