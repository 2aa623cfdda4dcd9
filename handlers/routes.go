package handlers

import (
	"bufio"
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"time"

	"housecount/handlers/hooks"
	"housecount/handlers/signin"
	"housecount/web"
	_ "housecount/web/calendar" // adds its pages to the table
	"housecount/web/event"
	_ "housecount/web/events"
	"housecount/web/manual"
	_ "housecount/web/money"
	_ "housecount/web/night"
	"housecount/web/setup"
)

// route is a row of the route table. It has either a page or a raw handler.
type route struct {
	pattern string
	who     access
	page    handler          // answers through the adapter
	view    bool             // it is a page of the table itself
	raw     http.HandlerFunc // answers by itself, without buffer and compression
}

// access is who may use a route.
type access struct {
	// session is true if the session is read. There may be none.
	session bool
	// page, if set, requires a person whose access includes the page.
	page *web.Page
	// admin requires an administrator.
	admin bool
}

var (
	anyone  = access{}
	visitor = access{session: true} // anybody; the session is read
	admins  = access{session: true, admin: true}
)

// routes returns the pages of web's table, each with the actions of those who see it, and the other routes.
func (s *site) routes() []route {
	return slices.Concat(s.pageRoutes(), s.peopleRoutes(), s.screenRoutes(), s.programRoutes())
}

// pageRoutes returns the pages of web's table, each with the actions of those who see it.
func (s *site) pageRoutes() (all []route) {
	for _, p := range web.Pages() {
		if p.Path == "" {
			continue
		}
		add := func(pattern string, page handler) {
			all = append(all, route{pattern: pattern, who: access{session: true, page: &p}, page: page})
		}
		add("GET "+p.Path, s.view)
		all[len(all)-1].view = true
		if p.Exports() {
			add("GET "+p.Path+web.ExportName, s.exportFigures)
		}
		if p.Sheets != nil {
			add("GET "+p.Path+web.SheetXLSX, s.exportWorkbook)
			add("GET "+p.Path+web.SheetCSV, s.exportSheet)
		}
		switch p.Name {
		case "sessions":
			add("POST "+p.Path+"/end", s.endSession)
			add("POST "+web.KeysPath, s.changeKey)
			add("POST "+web.RolesPath, s.changeRole)
			add("GET "+p.Path+"/audit.csv", s.exportAudit)
		case "letters":
			add("POST "+p.Path, s.chooseLetters)
		case "settings":
			add("POST "+p.Path, s.saveSettings)
		}
	}
	return all
}

// peopleRoutes returns what people ask for besides pages, and what they send.
func (s *site) peopleRoutes() []route {
	return []route{
		{pattern: "GET /{$}", who: anyone, page: s.home},
		{pattern: "GET /live", raw: s.live}, // it authorizes by itself, because only a close code reaches a page

		{pattern: "GET /login", who: visitor, page: s.login},
		{pattern: "GET " + signin.CallbackPath, who: visitor, page: s.callback},
		{pattern: "POST /logout", who: visitor, page: s.logout},
		{pattern: "POST " + signin.BackchannelPath, who: anyone, page: s.backchannelLogout},
		{pattern: "GET " + signin.SignedOutPath, who: visitor, page: s.signedOut},
		{pattern: "GET " + web.ConnectionPath, who: admins, page: s.connectionPage},
		{pattern: "POST " + web.ConnectionPath, who: admins, page: s.changeConnection},
		{pattern: "GET " + setup.AuthorizedPath, who: admins, page: s.allowedConnection}, // as the setup had it registered
		{pattern: "GET /sessions/end", who: admins, page: s.endPage},
		{pattern: "POST /language", who: anyone, page: s.chooseLanguage},
		{pattern: "POST " + web.SeenPath, who: visitor, page: s.acknowledge},
		{pattern: "GET " + web.VisitPath, who: visitor, page: s.sinceVisit},
		{pattern: "POST " + event.WalkInPath, who: visitor, page: s.walkIn},
		{pattern: "POST " + event.LeaveOutPath, who: visitor, page: s.leaveOut},
		{pattern: "POST " + web.CampaignPath, who: visitor, page: s.noteCampaign},
		{pattern: "POST " + web.NotePath, who: visitor, page: s.enterNote},

		{pattern: "GET " + web.LettersPath + "/{name}", who: visitor, page: s.lookAtLetter},
		{pattern: "POST " + web.WhichAlertsPath, who: visitor, page: s.chooseAlerts},
		{pattern: "POST " + web.DevicesPath, who: visitor, page: s.changeDevices},
		{pattern: "GET " + web.StopPath + "/{token}", who: anyone, page: s.stopPage},
		{pattern: "POST " + web.StopPath + "/{token}", who: anyone, page: s.stopLetters},
	}
}

// screenRoutes returns what screens ask for, and what administrators do with screens.
func (s *site) screenRoutes() []route {
	return []route{
		{pattern: "GET " + screenPath, who: anyone, page: s.screen},
		{pattern: "POST " + screenPath, who: anyone, page: s.linkScreen},
		{pattern: "GET " + screenPath + "/live", raw: s.screenLive},
		{pattern: "GET " + web.ScreenAppPath, who: anyone, raw: s.screenApp},
		{pattern: "POST " + screenPath + "/report", who: anyone, page: s.reportFault},
		{pattern: "POST " + screenPath + "/leave", who: anyone, page: s.leaveScreen},
		{pattern: "GET /pair", who: anyone, page: s.pairShort},
		{pattern: "GET " + pairPath, who: admins, page: s.pairPage},
		{pattern: "POST " + pairPath, who: admins, page: s.pair},
		{pattern: "POST " + web.ScreenActPath, who: admins, page: s.actOnScreen},
		{pattern: "POST " + web.DimAllPath, who: admins, page: s.dimScreens},
		{pattern: "GET " + web.ScreenEditPath, who: admins, page: s.editPage},
		{pattern: "POST " + web.ScreenEditPath, who: admins, page: s.editScreen},
		{pattern: "GET " + web.RevokePath, who: admins, page: s.revokePage},
		{pattern: "POST " + web.RevokePath, who: admins, page: s.revokeScreen},
		{pattern: "GET " + web.PicturePath, who: admins, page: s.screenPicture},
		{pattern: "GET " + web.ProgrammePath, who: admins, page: s.programmePage},
		{pattern: "POST " + web.ProgrammePath, who: admins, page: s.saveProgramme},
		{pattern: "GET " + web.MessagePath, who: admins, page: s.messagePage},
		{pattern: "POST " + web.MessagePath, who: admins, page: s.sendMessage},
		{pattern: "POST " + web.WithdrawPath, who: admins, page: s.withdrawMessage},
	}
}

// programRoutes returns what programs ask for, and what is the same for everybody.
func (s *site) programRoutes() []route {
	return []route{
		{pattern: "POST " + hooks.Path, raw: s.webhooks.ServeHTTP},
		{pattern: "GET " + apiFigures + "{page}", who: anyone, page: s.api(s.apiTable)},
		{pattern: "GET " + apiCalendar, who: anyone, page: s.api(s.apiFeed)},
		{pattern: "GET " + apiDocument, who: anyone, page: s.document},
		{pattern: apiPath, who: anyone, page: s.apiNothing},
		{pattern: "GET " + manual.Path, who: anyone, page: s.manualContents},
		{pattern: "GET " + manual.Path + "/{topic}", who: anyone, page: s.manualChapter},
		{pattern: "GET /assets/", who: anyone, raw: s.Bundle.ServeHTTP},
		{pattern: "GET /favicon.ico", who: anyone, raw: s.icon},
		{pattern: "GET /robots.txt", who: anyone, raw: s.robots},
		{pattern: "GET " + securityTextPath, who: anyone, page: s.securityText},
		{pattern: "GET /healthz", who: anyone, raw: s.healthz},
		{pattern: "GET /readyz", who: anyone, raw: s.readyz},
	}
}

// route builds the mux from the table; zip compresses pages.
func (s *site) route(zip func(http.Handler) http.Handler) {
	s.mux = http.NewServeMux()
	s.pages, s.own = make(map[string]bool), make(map[string]string)
	for _, p := range web.Pages() {
		s.own[p.Name] = p.OwnParam()
	}
	for _, rt := range s.routes() {
		if rt.raw != nil {
			s.mux.Handle(rt.pattern, s.unbuffered(rt.raw))
			continue
		}
		if rt.who.page != nil || rt.who.admin {
			s.pages[rt.pattern] = true
		}
		h := s.guard(rt)
		s.mux.Handle(rt.pattern, zip(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.serve(h, w, r)
		})))
	}
}

// maxBody is the most that a request may send, in bytes; nothing here needs more than a short form.
const maxBody = 64 << 10

// guard calls the route's handler for those who may use it. It redirects others to the login, or answers 403 if they are logged in.
func (s *site) guard(rt route) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if to := s.publicName(r); to != "" {
			return redirect(w, to)
		}
		if !rt.who.session {
			return rt.page(w, r)
		}
		away := s.outage.State()
		if !away.Since.IsZero() && !rt.goesOn(r) {
			return s.errAway(w, nil)
		}
		ctx, who, recalled, err := s.whoIs(r.Context(), s.sessions.Token(r))
		if err != nil && r.Context().Err() == nil {
			return s.errAway(w, err)
		} else if err != nil {
			return err
		}
		if recalled && !rt.goesOn(r) {
			return s.errAway(w, nil)
		}
		r = r.WithContext(ctx)
		v := visitOf(r)
		v.staff = who
		if who == nil && (rt.who.page != nil || rt.who.admin) {
			return redirect(w, "/login?return="+url.QueryEscape(r.URL.RequestURI()))
		}
		if rt.who.admin && who.Role != web.Admin {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Admin, another: true, back: r.URL.RequestURI(),
				cause: fmt.Errorf("role %s is no administrator's", who.Role)}
		}
		if rt.who.page != nil {
			if to := s.askedLanguage(w, r, rt.who.page); to != "" {
				return redirect(w, to)
			}
			if v.request, err = requestFor(*rt.who.page, r, who, s.language(r)); err != nil {
				return err
			}
			if v.request.Custom() {
				select {
				case s.customPeriods <- struct{}{}:
					defer func() { <-s.customPeriods }()
				case <-r.Context().Done():
					return r.Context().Err()
				}
			}
		}
		return rt.page(w, r)
	}
}

// publicName returns where to redirect a visitor who came by another name of this machine, such as localhost for 127.0.0.1, because
// cookies and sockets work only for the public one. It is empty for everybody else; behind a proxy the names may differ.
func (s *site) publicName(r *http.Request) string {
	if r.Method != http.MethodGet || r.Host == s.public.Host || r.URL.Opaque != "" || !signin.Loopback(s.public.Hostname()) {
		return ""
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil || port != s.public.Port() || !signin.Loopback(host) {
		return ""
	}
	return s.public.String() + r.URL.RequestURI()
}

// unbuffered is for handlers that answer by themselves. After a panic it cuts the connection, because it is not
// known what was sent.
func (s *site) unbuffered(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		watched := &statusWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p != nil { // whatever was written already
				watched.status = http.StatusInternalServerError
			}
			s.served(r, watched.status, start)
			if p != nil {
				s.Log.Error("request failed", "request", visitOf(r).id, "path", loggedPath(r),
					"err", fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
				panic(http.ErrAbortHandler)
			}
			s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("request", visitOf(r).id),
				slog.String("method", r.Method), slog.String("path", loggedPath(r)), slog.Duration("took", time.Since(start)))
		}()
		h(watched, r)
	}
}

// statusWriter remembers the status that is written.
type statusWriter struct {
	http.ResponseWriter
	status int // 0 if none was written
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Hijack is needed for sockets.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = http.StatusSwitchingProtocols
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Flush sends what was written so far.
func (w *statusWriter) Flush() { http.NewResponseController(w.ResponseWriter).Flush() }
