package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// retirementKey is the key, followed by the service's number, of a retirement that is not in the audit yet.
const retirementKey = "retirement "

// retirement is what was retired since the last retirement ended: how many finished performances, and how many
// contacts without activity since a time.
type retirement struct {
	Over, Unheard          time.Time
	Performances, Contacts int
}

// begun returns the retirement that has not ended; is reports whether there is one.
func (r *Records) begun(ctx context.Context, on runner) (b retirement, is bool, err error) {
	var text []byte
	switch err = r.row(ctx, on, `SELECT value FROM meta WHERE key = $1`, fmt.Sprint(retirementKey, r.service)).Scan(&text); {
	case errors.Is(err, sql.ErrNoRows):
		return b, false, nil
	case err != nil:
		return b, false, err
	}
	return b, true, json.Unmarshal(text, &b)
}

// note adds to what was retired.
func (r *Records) note(ctx context.Context, tx *sql.Tx, more retirement) error {
	b, _, err := r.begun(ctx, tx)
	if err != nil {
		return err
	}
	b.Performances, b.Contacts = b.Performances+more.Performances, b.Contacts+more.Contacts
	if more.Performances > 0 {
		b.Over = more.Over
	}
	if !more.Unheard.IsZero() {
		b.Unheard = more.Unheard
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = r.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
		fmt.Sprint(retirementKey, r.service), string(text))
	return err
}

// endRetirement adds the result to the audit; begun is true if there was a retirement.
func (r *Records) endRetirement(ctx context.Context, tx *sql.Tx) (begun bool, err error) {
	b, begun, err := r.begun(ctx, tx)
	if err != nil || !begun {
		return false, err
	}
	for _, act := range []struct {
		action string
		n      int
		before time.Time
	}{{ActScansRetired, b.Performances, b.Over}, {ActContactsRetired, b.Contacts, b.Unheard}} {
		if act.n == 0 {
			continue
		}
		before := ""
		if !act.before.IsZero() {
			before = act.before.Format(time.DateOnly)
		}
		r.appendAct(tx, Act{Actor: ActorProgram, Action: act.action, Before: before, After: strconv.Itoa(act.n)})
	}
	_, err = r.exec(ctx, tx, `DELETE FROM meta WHERE key = $1`, fmt.Sprint(retirementKey, r.service))
	return true, err
}
