package night

import (
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// life is the page of one alert: what became of it, and who was told.
type life struct {
	Head  web.Head
	Figs  web.Figs
	Steps []lifeStep
}

// lifeStep is what happened at a time, with the numbers of then or, for those who may see them, the addresses of who was told.
type lifeStep struct {
	at         time.Time
	Level      evening.Level // where it was raised or became more severe
	Time       string
	What, Side words.Sentence
}

// toldFor is for how long it is known who was told: letters are stored for a few days longer.
const toldFor = 39 * 24 * time.Hour

// seesAlert is the Visible of the page: without an alert, whether there is such a page at all.
func seesAlert(a web.Access, id string) bool {
	code, _, _ := strings.Cut(codeAndSubject(id), ":")
	return id == "" || a.SeesAlert(&evening.Alert{Code: code})
}

// codeAndSubject returns the key of an alert, by its id in the log.
func codeAndSubject(id string) string {
	if i := strings.LastIndexByte(id, '#'); i >= 0 {
		return id[:i]
	}
	return id
}

// alert builds the page of an alert. What is not in the log, or not of what the access includes, is not told from each other.
func (b builder) alert() (web.View, error) {
	p := life{Head: web.Head{Title: b.Code("nav", "alert"), Text: b.Say("life.missing")}}
	for _, r := range b.Snapshot.Alerts {
		if r.RecordID() == b.Values.Get("id") && b.within(r.Alert) {
			told, _ := b.Source.(toldOf)
			p = b.life(r, told)
		}
	}
	return web.View{Title: p.Head.Title, Body: p.body, Fragments: []web.Fragment{{ID: "head", HTML: p.Head.HTML()}, {ID: "figs", HTML: p.Figs.HTML()}, {ID: "life", HTML: p.html()}}}, nil
}

// toldOf are those who were told of an alert; nil where that is not known.
type toldOf []web.LetterReader

func (b builder) life(r *record.RaisedAlert, told toldOf) (p life) {
	code, id, _ := strings.Cut(r.Alert, ":")
	day := b.Calendar.Day(r.Raised)
	p.Head = web.Head{Title: web.Capital(b.Code("alert_code", code)), When: words.Sentence{{Text: b.DayTitle(string(day), string(b.Today))}}}
	if e := b.eventOf(id); e != nil {
		if gate, ok := strings.CutPrefix(id, e.Event.ID+":"); ok {
			p.Head.When = words.Join(" · ", words.Sentence{{Text: b.GateName(gate)}}, p.Head.When)
		}
		p.Head.When = words.Join(" · ", words.NameAlone(b.TitleOf(e)), p.Head.When)
		p.Head.Links = append(p.Head.Links, web.Link{Href: web.EventHref(e.Event.ID), Text: words.Bare(b.TitleOf(e))})
	}
	if why := b.Snapshot.BackupFault(); why != "" && code == evening.AlertBackup && r.Cleared.IsZero() {
		p.Head.When = words.Join(" · ", p.Head.When, words.Sentence{{Text: b.Code("backup_fault", string(why))}})
	}
	p.Head.Links = append(p.Head.Links, web.Link{Href: web.NightPath + "?day=" + string(day), Text: b.Text("nav.night")})
	p.Steps = b.lifeSteps(code, id, r)
	if told != nil && b.Now.Sub(r.Raised) < toldFor {
		p.Steps = append(p.Steps, b.toldSteps(told)...)
	} else {
		told = nil
	}
	slices.SortStableFunc(p.Steps, func(x, y lifeStep) int { return x.at.Compare(y.at) })
	for i := range p.Steps {
		at := p.Steps[i].at
		if p.Steps[i].Time = b.Clock(at, b.Zone); b.Calendar.Day(at) != day {
			p.Steps[i].Time = b.DayShortOf(b.Calendar.Day(at)) + " " + p.Steps[i].Time
		}
	}
	p.Figs = b.lifeFigs(r, told)
	return p
}

// lifeFigs returns how long an alert stood, after how long somebody took it on, and how many people were told at once.
func (b builder) lifeFigs(r *record.RaisedAlert, told toldOf) (all web.Figs) {
	to := r.Cleared
	if to.IsZero() {
		to = b.Now
	}
	spell := func(to time.Time) string { return b.Spell(max(1, words.MinutesBetween(r.Raised, to))) }
	stood := web.Fig{Term: b.Text("life.stood"), Main: web.Plain(spell(to)), Note: words.Sentence{{Text: b.happenedTime(b.Calendar.Day(r.Raised), r.Raised, r.Cleared)}}}
	taken := web.Fig{Term: b.Text("life.taken_on"), Main: web.Plain(b.Text("report.nobody"))}
	at, by := r.Taken, slices.Concat(r.By, r.Took)
	if i := slices.IndexFunc(r.Steps, func(s record.AlertStep) bool { return s.What == record.AlertTaken }); i >= 0 && (at.IsZero() || len(by) == 0) {
		at, by = r.Steps[i].At, []string{r.Steps[i].By} // it is nobody's any more
	}
	if !at.IsZero() && len(by) > 0 {
		taken.Main, taken.Note = web.Plain(b.Text("life.after", words.Text("spell", spell(figures.Later(r.Raised, at))))), b.Names(by)
	}
	if all = (web.Figs{stood, taken}); told != nil {
		sent := slices.DeleteFunc(slices.Clone(told), func(t web.LetterReader) bool { return t.Last.State != letterSent || t.Last.Name == Cleared })
		f := web.Fig{Term: b.Text("life.told_n"), Main: web.Plain(b.Count(len(people(sent, nil))))}
		if len(sent) > 0 {
			f.Note = words.Sentence{{Text: b.List(b.waysOf(sent))}}
		}
		all = append(all, f)
	}
	return all
}

// lifeSteps returns what the log has of an alert. What a version of the program logged that did not log each step is in one.
func (b builder) lifeSteps(code, id string, r *record.RaisedAlert) (all []lifeStep) {
	if r.Began().Before(r.Raised.Add(-time.Minute)) {
		all = append(all, lifeStep{at: r.Began(), What: b.Say("life.began")})
	}
	raised := lifeStep{at: r.Raised, Level: evening.Level(r.Level), What: b.Say("life.raised"), Side: b.counted(code, r.First, r.Licensed)}
	if raised.Level == evening.Bad && !slices.ContainsFunc(r.Steps, func(s record.AlertStep) bool { return s.What == record.AlertWorse }) {
		raised.What = b.Say("life.raised_urgent")
	} else {
		raised.Level = evening.Warn
	}
	all = append(all, raised)
	if by := slices.Concat(r.By, r.Took); len(by) > 0 && !slices.ContainsFunc(r.Steps, func(s record.AlertStep) bool { return s.What == record.AlertTaken }) {
		all = append(all, lifeStep{at: figures.Later(r.Raised, r.Taken), What: b.Say("life.taken", words.Part("by", b.Names(by)))})
	}
	for _, s := range r.Steps {
		step := lifeStep{at: figures.Later(r.Raised, s.At), Side: b.counted(code, s.N, r.Licensed)}
		by := words.Part("by", words.NameAlone(s.By))
		switch s.What {
		case record.AlertTaken:
			step.What = b.Say("life.taken", by)
		case record.AlertHandedBack:
			step.What = b.Say("life.handed_back", by)
		case record.AlertGrown:
			step.What = b.Say("life.grown")
		case record.AlertWorse:
			step.What, step.Level = b.Say("life.worse"), evening.Bad
		default: // of a newer version of the program
			continue
		}
		all = append(all, step)
	}
	if !r.Cleared.IsZero() {
		all = append(all, lifeStep{at: r.Cleared, What: b.Say("life.over"), Side: words.Join(" · ", b.counted(code, r.Last, r.Licensed), b.outcome(code, id))})
	}
	return all
}

// outcome returns what came of what an alert was about, where that is counted.
func (b builder) outcome(code, id string) words.Sentence {
	e := b.eventOf(id)
	if code != evening.AlertHold || e == nil {
		return nil
	}
	if late := b.OfShow(b.Evening.Show(e), figures.KeyCameLate); !late.Unknown() {
		return b.Say("life.came_late", words.Fig("n", late))
	}
	return nil
}

// counted returns what an alert of a code counted at a time; nothing where that is not known, or is an amount.
func (b builder) counted(code string, n, licensed int) words.Sentence {
	if n == 0 {
		return nil
	}
	count, allowed := words.Int("n", n), words.Int("licensed", licensed)
	switch code {
	case evening.AlertQuietGate:
		return b.Say("counted.to_come", count)
	case evening.AlertHold:
		return b.Say("counted.outside", count)
	case evening.AlertFewerIn:
		return b.Say("counted.fewer", count)
	case evening.AlertCrowded, evening.AlertCrowdedBuilding, evening.AlertMaybeCrowded:
		if licensed == 0 {
			return b.Say("counted.inside", count)
		}
		return b.Say("counted.inside_of", count, allowed)
	case evening.AlertNearlyCrowded, evening.AlertRoomForFewer:
		return b.Say("counted.may_enter", count)
	case evening.AlertOversold:
		return b.Say("counted.seatless", count)
	case evening.AlertBlockedSold:
		return b.Say("counted.blocked", count)
	case evening.AlertOverLicensed:
		if licensed == 0 {
			return b.Say("counted.sold", count)
		}
		return b.Say("counted.sold_of", count, allowed)
	case evening.AlertNearLicensed:
		return b.Say("counted.may_sell", count)
	case evening.AlertFewLeft:
		return b.Say("counted.left", count)
	case evening.AlertStreams:
		return b.Say("counted.lists", count)
	case evening.AlertDiffers:
		return b.Say("counted.differ", count)
	case evening.AlertCancelled, evening.AlertPostponed:
		return b.Say("counted.sold", count)
	case evening.AlertBehindPace:
		return b.Say("counted.behind", count)
	}
	return nil
}
