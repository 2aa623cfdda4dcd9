package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/sessions"
	"housecount/web"
)

// Actions in addition to those of the store.
const (
	actExported = "audit_exported" // somebody exported the audit
	actFigures  = "figures_exported"
	actSeen     = "alert_seen"
	actUnseen   = "alert_unseen" // an acknowledgement was taken back
	actWalkIn   = "walk_in"
)

// Reasons for ending sessions, in addition to the store's own.
const (
	endedByAdmin    = "admin"
	endedByProvider = "provider"
	endedReplaced   = "replaced" // by another sign-in of the same browser
	endedNoRole     = "no_role"  // replaced by a sign-in that gave no role
	endedRecheck    = "recheck"
	endedSilent     = "recheck_silent"
	endedRoleless   = "recheck_no_role"
	endedRoleTaken  = "role_taken"
)

// act returns an act of a person who is signed in.
func (s *site) act(r *http.Request, who *sessions.Staff, action string) store.Act {
	return store.Act{Actor: s.sessions.Owned(who.Subject), Name: who.Name, Action: action, Address: s.from(r)}
}

// record adds an act to the audit and logs it. Its error must stop what is being done: administrators' actions are
// not carried out without a record.
func (s *site) record(ctx context.Context, a store.Act) error {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "act", slog.String("action", a.Action), slog.String("actor", a.Actor),
		slog.String("object", clip(a.Object)), slog.String("before", a.Before), slog.String("after", a.After),
		slog.String("reason", a.Reason), slog.Int("count", max(a.Count, 1)), slog.String("address", a.Address))
	return s.Audit.Append(ctx, a)
}

// note is record for what has been done already: a failure is logged and stops nothing, and it does not depend on ctx.
func (s *site) note(ctx context.Context, a store.Act) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), enterTimeout)
	defer cancel()
	if err := s.record(ctx, a); err != nil {
		s.Log.Error("an act is not in the audit", "action", a.Action, "actor", a.Actor, "err", err)
	}
}

// shortID returns the beginning of a session's or a screen's id, to distinguish it in a log.
func shortID(id string) string { return id[:min(len(id), 12)] }

// refusalsEvery is how often refusals are recorded.
const refusalsEvery = time.Minute

// recordRefusals records the refusals since the last time.
func (s *site) recordRefusals(ctx context.Context) error {
	counts, order := s.refusals.Take()
	for i, of := range order {
		err := s.record(ctx, store.Act{Actor: store.ActorStranger, Action: store.ActRefused, Reason: of.Reason, Count: counts[of], Address: of.Address})
		if err != nil { // the next time, together with later ones
			for _, of := range order[i:] {
				s.refusals.Add(of, counts[of])
			}
			return err
		}
	}
	return nil
}

const (
	clearEvery = time.Hour
	// presenceRetention is how long the last presence of a holder is stored.
	presenceRetention = 30 * 24 * time.Hour
	// reauthRetention is for how long a person whose session was ended needs a newer sign-in.
	reauthRetention = 30 * 24 * time.Hour
)

// verifyAudit compares each act of the audit with the one before it, for the page of people, and logs when they do not
// fit any more.
func (s *site) verifyAudit(ctx context.Context) error {
	c, err := s.Audit.Verify(ctx)
	if err != nil {
		return err
	}
	if before := s.chain.Swap(&c); c.Broken && (before == nil || !before.Broken) {
		s.Log.Error("the record of what was done was changed in the database, beside housecount", "at", c.BrokenAt)
	}
	s.Hub.Wake(web.WakeSessions)
	return nil
}

// clearOld deletes what is older than its retention.
func (s *site) clearOld(ctx context.Context) error {
	if err := s.Presence.Clear(ctx, time.Now().Add(-presenceRetention)); err != nil {
		return err
	}
	if err := s.Sessions.ClearAnew(ctx, time.Now().Add(-reauthRetention)); err != nil || s.KeepAudit == 0 {
		return err
	}
	_, err := s.Audit.Clear(ctx, time.Now().Add(-s.KeepAudit))
	return err
}
