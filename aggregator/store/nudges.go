package store

import (
	"context"
	"database/sql"
	"time"
)

// AllLists is the name under which Nudge counts nudges that name no list.
const AllLists = ""

// Nudge notes that the service says that a list has news, AllLists for any, and hints SubjectNudge. Any process may
// nudge; the one that polls reads Nudges.
func (r *Records) Nudge(ctx context.Context, list string) error {
	err := r.change(ctx, SubjectNudge, func(tx *sql.Tx) error {
		_, err := r.exec(ctx, tx, `INSERT INTO nudge (service, list, count) VALUES ($1, $2, 1)
			ON CONFLICT (service, list) DO UPDATE SET count = nudge.count + 1`, r.service, list)
		return err
	})
	return r.wrap("nudge", err)
}

// Nudges returns how often each list was nudged. The numbers only grow.
func (r *Records) Nudges(ctx context.Context) (map[string]int64, error) {
	all := make(map[string]int64)
	err := r.each(ctx, r.reader, func(scan scanner) error {
		var list string
		var count int64
		err := scan(&list, &count)
		all[list] = count
		return err
	}, `SELECT list, count FROM nudge WHERE service = $1`, r.service)
	return all, r.wrap("nudges", err)
}

const (
	// hookSlot is the time of which messages are counted together, and keepHooks is for how long they are known.
	hookSlot  = 15 * time.Minute
	keepHooks = 8 * 24 * time.Hour
)

// Messages are how many messages of a service came within hookSlot of From: those that were taken, and those that were refused because
// of their signature.
type Messages struct {
	From           time.Time
	Taken, Refused int
	Last           time.Time // when the last of them came
}

// NoteMessage counts a message of the service that is called name in its address.
func (r *Records) NoteMessage(ctx context.Context, name string, taken bool) error {
	counted := map[bool]int{taken: 1}
	return r.noteMessages(ctx, name, counted[true], counted[false])
}

// NoteRefused counts n messages of a service that were refused.
func (r *Records) NoteRefused(ctx context.Context, name string, n int) error {
	return r.noteMessages(ctx, name, 0, n)
}

func (r *Records) noteMessages(ctx context.Context, name string, taken, refused int) error {
	now := r.now()
	err := r.write(ctx, func(tx *sql.Tx) error {
		if _, err := r.exec(ctx, tx, `DELETE FROM hook WHERE slot < $1`, now.Add(-keepHooks).UnixMilli()); err != nil {
			return err
		}
		_, err := r.exec(ctx, tx, `INSERT INTO hook (service, name, slot, taken, refused, last) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (service, name, slot) DO UPDATE SET taken = hook.taken + excluded.taken, refused = hook.refused + excluded.refused, last = excluded.last`,
			r.service, name, now.Truncate(hookSlot).UnixMilli(), taken, refused, now.UnixMilli())
		return err
	})
	return r.wrap("count a message", err)
}

// Messages returns what was counted since a moment, by the names of services, the first first.
func (r *Records) Messages(ctx context.Context, since time.Time) (map[string][]Messages, error) {
	all := make(map[string][]Messages)
	err := r.each(ctx, r.reader, func(scan scanner) error {
		var name string
		var one Messages
		var from, last int64
		err := scan(&name, &from, &one.Taken, &one.Refused, &last)
		one.From, one.Last = time.UnixMilli(from), time.UnixMilli(last)
		all[name] = append(all[name], one)
		return err
	}, `SELECT name, slot, taken, refused, last FROM hook WHERE service = $1 AND slot >= $2 ORDER BY name, slot`, r.service, since.Truncate(hookSlot).UnixMilli())
	return all, r.wrap("list messages", err)
}
