package handlers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"housecount/aggregator/store"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
)

const (
	// recheckAfter is how long the sign-in service's answer about a session is valid, recheckEvery how often
	// sessions with an older answer are looked for, and recheckAtOnce how many are checked at a time.
	recheckAfter  = 5 * time.Minute
	recheckEvery  = 30 * time.Second
	recheckAtOnce = 8
	// uncheckedAtLeast is for how long sessions always continue while the sign-in service does not answer.
	uncheckedAtLeast = 10 * time.Minute
)

// recheck asks the sign-in service about sessions in use that have not been checked for recheckAfter.
func (s *site) recheck(ctx context.Context) error {
	for {
		claimed, err := s.Sessions.Claim(ctx, time.Now().Add(-recheckAfter), recheckAtOnce)
		if err != nil || len(claimed) == 0 {
			return err
		}
		var wg sync.WaitGroup
		failures := make([]error, len(claimed))
		for i, session := range claimed {
			wg.Go(func() { failures[i] = s.recheckOne(ctx, session) })
		}
		wg.Wait()
		if err := errors.Join(failures...); err != nil {
			return err
		}
	}
}

// recheckOne asks about one session, and updates or ends it depending on the answer. It returns only errors of the database.
func (s *site) recheckOne(ctx context.Context, session store.SessionInfo) error {
	given, err := s.sessions.Grants(ctx)
	if err != nil {
		return err
	}
	who := s.sessions.Decode(session.Data, given)
	if who == nil {
		return nil // a session of another configuration gives no rights
	}
	next, err := s.ask(ctx, session.ID, *who)
	if err == nil && (next.Address != who.Address || !slices.Equal(next.Values, who.Values)) {
		s.refreshLetters(ctx, &next, false)
	}
	switch role, _, ok := s.sessions.Roles.Role(next.Values, next.Address, given); {
	case errors.Is(err, signin.ErrRevoked):
		if err := s.lapseLetters(ctx, session.Subject); err != nil {
			return err
		}
		return s.endUnattended(ctx, session, endedRecheck, err)
	case err != nil && s.SessionUnchecked > 0 && !who.Silent.IsZero() && time.Since(who.Silent) > max(s.SessionUnchecked, uncheckedAtLeast):
		return s.endUnattended(ctx, session, endedSilent, fmt.Errorf("the sign-in service has not answered since %v: %w", who.Silent.Round(time.Second), err))
	case err != nil:
		s.Log.Warn("a session could not be checked with the sign-in service; it goes on", "subject", who.Subject, "err", err)
		if !who.Silent.IsZero() || ctx.Err() != nil {
			return nil
		}
		next.Silent = time.Now()
		return s.keep(ctx, session.ID, next)
	case !ok:
		return s.endUnattended(ctx, session, endedRoleless, errors.New("no role is left"))
	case role != who.Role:
		s.note(ctx, store.Act{Actor: store.ActorProvider, Action: store.ActRoleChanged, Object: session.Subject, ObjectName: next.Name,
			Before: string(who.Role), After: string(role)})
	}
	return s.keep(ctx, session.ID, next)
}

// keepTimeout is how long to try to store a session's data.
const keepTimeout = 10 * time.Second

// keep stores a session's data even while housecount is shutting down: a refresh token that was used is no longer
// valid, and without the next one the session would end.
func (s *site) keep(ctx context.Context, id string, who sessions.Staff) error {
	data, err := s.sessions.Encode(who)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, s.Sessions.Replace(ctx, id, data) })
	return err
}

// ask returns the present claims of the person of a session, or signin.ErrRevoked. It stores a new refresh token before
// anything else can fail.
func (s *site) ask(ctx context.Context, session string, who sessions.Staff) (sessions.Staff, error) {
	c, err := s.sessions.OpenCredentials(who.Sealed)
	if err != nil {
		return who, err
	}
	e, err := s.provider.Endpoints(ctx)
	if err != nil {
		return who, err
	}
	token, err := s.provider.Renew(ctx, e, c.Refresh)
	if err != nil {
		return who, err
	}
	if c.Refresh != token.RefreshToken {
		c.Refresh = token.RefreshToken
		if who.Sealed, err = s.sessions.SealCredentials(c); err != nil {
			return who, err
		}
		if err := s.keep(ctx, session, who); err != nil {
			return who, err
		}
	}
	id, err := s.provider.Renewed(ctx, e, who.Subject, token)
	if err != nil {
		return who, err
	}
	if id.ValuesKnown {
		who.Values, who.Name = id.Values, id.Name
	}
	if id.AddressKnown {
		who.Address = id.Address
	}
	who.Silent = time.Time{}
	if id.IDToken != "" {
		c.IDToken = id.IDToken
		who.Sealed, err = s.sessions.SealCredentials(c)
	}
	return who, err
}

// endUnattended ends a session without a request by its owner. The hint closes its sockets.
func (s *site) endUnattended(ctx context.Context, session store.SessionInfo, reason string, why error) error {
	s.Log.Info("the sign-in service was asked about a session, which ends", "subject", session.Subject, "address", session.Address, "why", why)
	return s.end(ctx, store.ByID(session.ID), store.Act{Actor: store.ActorProvider, Action: store.ActSessionEnded, Reason: reason})
}

// touch stores, in one statement, which sessions are in use: those with a socket, and those with a request since the last time.
func (s *site) touch(ctx context.Context) error {
	used := s.sessions.TakeUsed()
	for _, h := range s.Hub.Holders() {
		used[h.Credential] = true
	}
	if len(used) == 0 {
		return nil
	}
	tokens := slices.Collect(maps.Keys(used))
	err := s.Sessions.Touch(ctx, tokens)
	if err != nil {
		s.sessions.Use(tokens...) // they are stored the next time
	}
	return err
}

// touchEvery is how often the use of sessions is stored.
const touchEvery = 15 * time.Second
