// Package visits knows when somebody was here last: by a cookie of the browser, which does not say who it is, and where a browser has
// none yet by the person's sign-ins in the audit.
package visits

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"housecount/aggregator/store"
)

// apart is for how long nobody may have looked at a page for the next look to be another visit.
const apart = 30 * time.Minute

// Cookie is the cookie with the end of the last visit and the last use of this one.
type Cookie struct {
	Secure bool // the site is reached by https
}

func (c Cookie) name() string {
	if c.Secure {
		return "__Host-visit"
	}
	return "housecount_visit" // a browser refuses __Host- on plain http
}

// read returns when the last visit ended, and when this one went on last; zero if that is not known.
func (c Cookie) read(r *http.Request, now time.Time) (last, this time.Time) {
	kept, err := r.Cookie(c.name())
	if err != nil {
		return last, this
	}
	var ended, went int64
	if _, err := fmt.Sscanf(kept.Value, "%d-%d", &ended, &went); err != nil || ended < 0 || went < 0 || went > now.Unix() || ended > went {
		return last, this
	}
	if ended > 0 {
		last = time.Unix(ended, 0)
	}
	return last, time.Unix(went, 0)
}

// Last returns when the last visit ended; zero where the browser does not know.
func (c Cookie) Last(r *http.Request, now time.Time) time.Time {
	last, this := c.read(r, now)
	if !this.IsZero() && now.Sub(this) > apart {
		return this
	}
	return last
}

// Keep notes that a page is looked at.
func (c Cookie) Keep(w http.ResponseWriter, r *http.Request, now time.Time) {
	ended := int64(0)
	if last := c.Last(r, now); !last.IsZero() {
		ended = last.Unix()
	}
	http.SetCookie(w, &http.Cookie{
		Name: c.name(), Value: fmt.Sprintf("%d-%d", ended, now.Unix()), Path: "/", MaxAge: int(365 * 24 * time.Hour / time.Second),
		Secure: c.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// Acts returns n acts that match a query, the newest first, after skipping some; store.Audit has them.
type Acts func(ctx context.Context, q store.ActQuery, skip, n int) ([]store.Act, error)

// looked is how many sign-ins are looked at: nobody signs in more often within one visit.
const looked = 50

// Visit is of a person, in a session, at a time, as At shows those of the audit.
type Visit struct {
	Actor, Session string
	Now            time.Time
	At             func(time.Time) time.Time
}

// SignedIn returns when a person signed in last before a session, and before the visit that goes on now; zero if the audit has nothing of it.
func SignedIn(ctx context.Context, acts Acts, v Visit) (last time.Time, err error) {
	of := store.ActQuery{Action: store.ActLogin, Object: v.Session}
	began, err := acts(ctx, of, 0, 1)
	if err != nil || len(began) == 0 {
		return last, err
	}
	before, err := acts(ctx, store.ActQuery{Action: store.ActLogin, Actor: v.Actor, Before: began[0].ID}, 0, looked)
	for _, a := range before {
		if when := v.At(a.At); v.Now.Sub(when) > apart {
			return when, err
		}
	}
	return last, err
}
