package sandbox

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// query holds the parameters of a list without paging.
type query struct {
	since                time.Time
	event, order, status string
	from, to             string         // dates, both included; events and planning only
	zone                 *time.Location // of the dates; planning only
	available            *bool          // events only
	newestChange         bool           // sort=-updated_at
	oldestChange         bool           // sort=updated_at; created_at when neither
}

// parseQuery reads the parameters. The error lists every invalid one; unknown parameters are ignored.
func parseQuery(v url.Values, stream string, zone *time.Location) (query, error) {
	var problems []string
	q := query{}
	if stream != "contacts" {
		q.status = v.Get("status")
	}
	if stream == "tickets" || stream == "payments" {
		q.order = v.Get("order_id")
	}
	if stream != "contacts" && stream != "events" {
		q.event = v.Get("event_id")
	}
	if text := v.Get("updated_since"); text != "" {
		var err error
		if q.since, err = time.Parse(time.RFC3339, text); err != nil {
			problems = append(problems, fmt.Sprintf("updated_since must be an RFC 3339 time, not %q", text))
		}
		q.since = q.since.UTC() // equal times must make equal queries
	}
	switch text := v.Get("sort"); text {
	case "", "created_at":
	case "updated_at":
		q.oldestChange = true
	case "-updated_at":
		q.newestChange = true
	default:
		problems = append(problems, fmt.Sprintf("sort must be created_at, updated_at or -updated_at, not %q", text))
	}
	if stream == "events" || stream == "planning" {
		date := func(name string) string {
			text := v.Get(name)
			if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
				problems = append(problems, fmt.Sprintf("%s must be a date like 2026-11-20, not %q", name, text))
			}
			return text
		}
		q.from, q.to = date("from"), date("to")
		if stream == "planning" && q.from+q.to != "" {
			q.zone = zone
		}
	}
	if stream == "events" {
		switch text := v.Get("available"); text {
		case "":
		case "true", "false":
			q.available = new(text == "true")
		default:
			problems = append(problems, fmt.Sprintf("available must be true or false, not %q", text))
		}
	}
	if len(problems) > 0 {
		return q, idp.BadRequest(strings.Join(problems, "; ") + ".")
	}
	return q, nil
}

// matches reports whether a row matches, ignoring since.
func (q query) matches(r *row) bool {
	event, order := eventAndOrder(r.record)
	if q.event != "" && event != q.event || q.order != "" && order != q.order || q.status != "" && statusOf(r.record) != q.status {
		return false
	}
	if e, ok := r.record.(*record.Event); ok {
		return (q.from == "" || e.Date >= q.from) && (q.to == "" || e.Date <= q.to) &&
			(q.available == nil || (*e.Available > 0) == *q.available)
	}
	if p, ok := r.record.(*record.Planning); ok && q.zone != nil {
		day := p.StartsAt.In(q.zone).Format(time.DateOnly)
		return (q.from == "" || day >= q.from) && (q.to == "" || day <= q.to)
	}
	return true
}

// compare compares rows in the requested order, with the id as tie-breaker.
func (q query) compare(a, b *row) int {
	if q.oldestChange {
		a, b = b, a
	}
	if q.newestChange || q.oldestChange {
		return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(b.record.RecordID(), a.record.RecordID()))
	}
	return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.record.RecordID(), b.record.RecordID()))
}

// key returns the time and id that a list is sorted by.
func (q query) key(r *row) (time.Time, string) {
	if q.newestChange || q.oldestChange {
		return r.updated.time(), r.record.RecordID()
	}
	return r.created.time(), r.record.RecordID()
}
