package admin

import (
	"errors"

	"housecount/web"
	"housecount/web/query"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

// page adapts a method of builder to the table of pages.
func page(build func(builder) (web.View, error)) func(*web.Builder) (web.View, error) {
	return func(b *web.Builder) (web.View, error) { return build(builder{b}) }
}

func init() {
	web.AddPages(
		web.Page{Name: "screens", Path: web.ScreensPath, Nav: 6, Visible: admins, WokenBy: web.ByFigures, Source: fromScreens, Build: page(builder.screens)},
		web.Page{Name: "sessions", Path: web.SessionsPath, Params: []query.Param{
			{Name: "who"}, {Name: "what", Read: query.OneOf(Actions...)}, {Name: "days", Default: sessionsDays[0], Read: query.OneOf(sessionsDays...)}, {Name: "skip", Read: query.ReadWhole},
			{Name: "own", Own: true},
		}, Nav: 7, Visible: admins, WokenBy: web.ByNothing, Source: fromSessions, Build: page(builder.sessions)},
		web.Page{Name: "settings", Path: web.SettingsPath, Still: true, Params: []query.Param{{Name: "saved", Read: query.OneOf(settingSections...)}}, Nav: 8, Visible: admins, WokenBy: web.ByNothing, Build: page(builder.settingsPage)},
		web.Page{Name: "services", Path: web.ServicesPath, Under: "settings", Visible: admins, WokenBy: web.ByFigures, Same: sameAnswers, Source: fromMessages, Build: page(builder.services)},
	)
}

// admins reports whether the access includes the pages of administrators.
func admins(a web.Access, _ query.Params) bool { return a.Admin && a.WholeHouse() }

var fromScreens = &web.Source{Subject: web.WakeScreens, Read: func(s web.Sources, _ *web.Builder) (any, error) {
	if s.Screens == nil {
		return nil, errors.New("no source of screens was given")
	}
	return s.Screens()
}}

var fromSessions = &web.Source{Subject: web.WakeSessions, Read: func(s web.Sources, b *web.Builder) (any, error) {
	if s.Sessions == nil {
		return nil, errors.New("no source of sessions was given")
	}
	return s.Sessions(sessionsQuery(b.Values))
}}
