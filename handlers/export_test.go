package handlers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
)

// Touch does what Run does every 15 seconds.
func (s *Site) Touch(ctx context.Context) error { return s.touch(ctx) }

// Recheck does what Run does every half a minute.
func (s *Site) Recheck(ctx context.Context) error { return s.recheck(ctx) }

// NotePresence, EndExpired, RecordRefusals, RecordWalkIns and ClearOld do what Run does now and then.
func (s *Site) NotePresence(ctx context.Context) error   { return s.presence.Note(ctx) }
func (s *Site) EndExpired(ctx context.Context) error     { return s.endExpired(ctx) }
func (s *Site) RecordRefusals(ctx context.Context) error { return s.recordRefusals(ctx) }
func (s *Site) RecordWalkIns(ctx context.Context) error  { return s.recordWalkIns(ctx) }

// FindScreenAlerts does what Run does every ten seconds, once it listens for long enough.
func (s *Site) FindScreenAlerts(ctx context.Context) error { return s.findScreenAlerts(ctx) }

// SettleScreens does what Run does every ten seconds.
func (s *Site) SettleScreens(ctx context.Context) error { return s.settleScreens(ctx) }

// VerifyAudit does what Run does every hour.
func (s *Site) VerifyAudit(ctx context.Context) error { return s.verifyAudit(ctx) }

func (s *Site) ClearOld(ctx context.Context) error { return s.clearOld(ctx) }

// Endings are the reasons for which sessions are ended by others than the store.
var Endings = []string{endedByProvider, endedReplaced, endedNoRole, endedRecheck, endedSilent, endedRoleless, endedRoleTaken}

// KnownName returns the name of the known browser with a cookie; empty for none.
func KnownName(s *Site, cookie string) string {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: s.known.Cookie(), Value: cookie})
	if k := s.known.Of(r); k != nil {
		return k.Name
	}
	return ""
}

// MakeKnown returns the cookie of a browser in which somebody signed in.
func MakeKnown(s *Site) (*http.Cookie, error) {
	w := httptest.NewRecorder()
	err := s.known.MakeKnown(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Result().Cookies()[0], err
}

// Streaming returns a handler that answers with what stream writes.
func Streaming(s *Site, stream func(io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, &visit{id: "a"}))
		s.serve(func(w http.ResponseWriter, _ *http.Request) error {
			w.(*answer).stream = stream
			return nil
		}, w, r)
	})
}

// InTurns calls use with a writer that holds one of tokens but while it writes to w.
func InTurns(ctx context.Context, tokens chan struct{}, w io.Writer, use func(io.Writer) error) error {
	return takeTurns(ctx, tokens, w, use)
}
