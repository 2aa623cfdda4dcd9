package catalogue

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// visitorFigures are visitors: who is expected, came, is inside, is still to come or stayed away.
var visitorFigures = []Definition{
	{Key: figures.KeyExpected, Unit: figures.People, From: fromTickets, terms: sumOf(figures.KeySold), termsOf: expectedTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Expected) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Sold) }, part: figures.KeyExpected, within: goingAhead},
	{Key: figures.KeyCame, Unit: figures.People, From: fromScans,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Attendance) }, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Came) }},
	{Key: figures.KeyArrived, Unit: figures.People, From: fromScans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Arrived) }},
	{Key: figures.KeyCameUnsold, Unit: figures.People, From: fromScans,
		terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyCame}, {Op: figures.Less, Key: figures.KeyArrived}}, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(figures.Minus(s.Attendance, s.Arrived)) }},
	{Key: figures.KeyCameLate, Unit: figures.People, From: fromScans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(cameLate(s)) }},
	{Key: figures.KeyPresent, Unit: figures.People, From: fromScans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Present()) }},
	{Key: figures.KeyOut, Unit: figures.People, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyCame}, {Op: figures.Less, Key: figures.KeyPresent}},
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Out()) }},
	{Key: figures.KeyWalkIns, Unit: figures.People, From: []record.Kind{record.KindWalkIn}, ofShow: func(s *evening.Show) figures.Value { return figures.Value{Count: s.WalkedIn()} }},
	{Key: figures.KeyLeft, Unit: figures.People, From: fromScans, forecast: true, ofShow: func(s *evening.Show) figures.Value { return bandedOf(s.Left, s.LeftBand) }},
	{Key: figures.KeyInside, Unit: figures.People, From: fromScans, termsOf: insideTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Inside) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Inside) }, part: figures.KeyInside, within: anyPhase,
		ofHall: func(l *evening.Load) figures.Value { return figures.CountOf(l.Inside) }},
	{Key: figures.KeyLeaving, Unit: figures.People, From: fromScans, part: figures.KeyInside, within: func(s *evening.Show) bool { return s.Leaving && !s.DueToEnd() },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Leaving) }},
	{Key: figures.KeyMostInside, Unit: figures.People, From: fromScans, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Most) }},
	{Key: figures.KeyLicensed, Unit: figures.People, From: fromSettings, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Licensed) },
		ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Licensed) },
		ofHall:  func(l *evening.Load) figures.Value { return figures.Value{Count: l.Licensed} },
		ofEvening: func(v *evening.Evening) figures.Value {
			return ofBuilding(v, func(l *evening.Load) figures.Value { return figures.Value{Count: l.Licensed} })
		}},
	{Key: figures.KeyLoad, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyInside}, {Op: figures.DividedBy, Key: figures.KeyLicensed}},
		ofHall: func(l *evening.Load) figures.Value { return figures.ShareOf(l.Share()) },
		ofEvening: func(v *evening.Evening) figures.Value {
			return ofBuilding(v, func(l *evening.Load) figures.Value { return figures.ShareOf(l.Share()) })
		}},
	{Key: figures.KeyNotYetIn, Unit: figures.People, From: fromScans, termsOf: stillTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.NotIn()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.NotIn) }, part: figures.KeyNotYetIn, within: func(s *evening.Show) bool { return goingAhead(s) && s.Awaits() }},
	{Key: figures.KeyLatecomers, Unit: figures.People, From: fromScans, part: figures.KeyNotYetIn, within: func(s *evening.Show) bool { return s.Phase == evening.Running && !s.LateOver && dated(s) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Latecomers) }},
	{Key: figures.KeyNoShows, Unit: figures.People, From: fromScans, termsOf: awayTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Away) }, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Away) }},
	{Key: figures.KeyNoShow, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyNoShows}, {Op: figures.DividedBy, Key: figures.KeyExpected}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.NoShow) }, ofNight: func(r *evening.Result) figures.Value { return figures.ShareOf(r.NoShow) }},

	{Key: figures.KeyArrivedShare, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyArrived}, {Op: figures.DividedBy, Key: figures.KeyExpected}}, ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(evening.ArrivedShare(s.EventFigures)) }},
	perMinuteIn(figures.KeyEntries1, time.Minute), perMinuteIn(figures.KeyEntries5, 5*time.Minute), perMinuteIn(figures.KeyEntries15, 15*time.Minute),
	{Key: figures.KeyComing, Unit: figures.People, From: fromScans, forecast: true, ofGate: func(g *evening.Gate) figures.Value { return bandedOf(queued(g).Coming, queued(g).ComingBand) }},
	{Key: figures.KeyWaiting, Unit: figures.People, From: fromScans, forecast: true, ofGate: func(g *evening.Gate) figures.Value { return bandedOf(queued(g).Waiting, queued(g).WaitingBand) }},
	{Key: figures.KeyOutside, Unit: figures.People, From: fromScans, forecast: true, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(outside(s)) }},
}
