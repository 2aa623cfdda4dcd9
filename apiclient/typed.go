package apiclient

import (
	"context"
	"iter"
)

// Events yields the events that match q.
func (c *Client) Events(ctx context.Context, q Query) iter.Seq2[*Event, error] {
	return typed[*Event](c.Read(ctx, "events", q))
}

// Tickets yields the tickets that match q.
func (c *Client) Tickets(ctx context.Context, q Query) iter.Seq2[*Ticket, error] {
	return typed[*Ticket](c.Read(ctx, "tickets", q))
}

// Payments yields the payments that match q.
func (c *Client) Payments(ctx context.Context, q Query) iter.Seq2[*Payment, error] {
	return typed[*Payment](c.Read(ctx, "payments", q))
}

func typed[R Record](all iter.Seq2[Record, error]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for r, err := range all {
			one, _ := r.(R)
			if !yield(one, err) {
				return
			}
		}
	}
}
