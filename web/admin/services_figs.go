package admin

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// serviceFigs returns since when the services answer, how many of their lists are complete, which answer is oldest, and how many
// webhooks came today; the last is left out where that cannot be read.
func (b builder) serviceFigs() web.Figs {
	if len(b.Health.Streams) == 0 {
		return nil
	}
	all := append(web.Figs{b.answersFig()}, b.completeFig(), b.oldestFig())
	known, ok := b.Source.(map[string][]figures.Messages)
	if !ok {
		return all
	}
	taken := 0
	var last time.Time
	for _, all := range known {
		s := b.sentToday(all)
		taken, last = taken+s.taken, figures.Later(last, s.last)
	}
	f := web.Fig{Term: b.Text("services.webhooks"), Main: web.Plain(b.Count(taken))}
	if taken == 0 {
		f.Main = web.Plain(b.Text("services.none_yet"))
	} else {
		f.Note = b.Say("services.last", words.Text("time", b.ClockSeconds(last, b.Zone)))
	}
	return append(all, f)
}

// answersFig returns since when a list that fails has not answered, or all have: that since the last failure that is over.
func (b builder) answersFig() web.Fig {
	var silent, after figures.StreamHealth
	for _, h := range b.Health.Streams {
		switch {
		case !offered(h):
		case h.Missed >= figures.FailingPolls && (silent.Name == "" || h.LastGood.Before(silent.LastGood)):
			silent = h
		case h.Past[0].Until.After(after.Past[0].Until):
			after = h
		}
	}
	switch {
	case silent.Name != "":
		return web.Fig{Term: b.Text("services.silent_since"), Main: web.Plain(b.answered(silent)), Note: words.NameAlone(silent.Name), Warns: true}
	case after.Name != "":
		return web.Fig{Term: b.Text("services.answers_since"), Main: web.Plain(b.momentOf(after.Past[0].Until)), Note: words.NameAlone(after.Name)}
	}
	f := web.Fig{Term: b.Text("services.interruptions"), Main: web.Plain(b.Text("services.none"))}
	var since time.Time // when all did
	unknown := false
	for _, h := range b.Health.Streams {
		if offered(h) {
			since, unknown = figures.Later(since, h.Answers), unknown || h.Answers.IsZero()
		}
	}
	if !unknown {
		f.Note = b.Say("services.answers_from", words.Text("time", b.momentOf(since)))
	}
	return f
}

// completeFig returns how many of the lists that are offered say that they are complete.
func (b builder) completeFig() web.Fig {
	complete, of := 0, 0
	for _, h := range b.Health.Streams {
		if !offered(h) {
			continue
		}
		if of++; b.listState(h) == b.Text("services.complete") {
			complete++
		}
	}
	f := web.Fig{Term: b.Text("services.lists_complete"), Main: web.Plain(b.Text("services.of", words.Int("n", complete), words.Int("of", of)))}
	if n := len(b.Health.Streams) - of; n > 0 {
		f.Note = b.Say("services.not_offered", words.Int("n", n))
	}
	return f
}

// oldestFig returns when the list that has been silent for longest answered; one that never did is the oldest.
func (b builder) oldestFig() web.Fig {
	var oldest figures.StreamHealth
	for _, h := range b.Health.Streams {
		if offered(h) && (oldest.Name == "" || h.LastGood.Before(oldest.LastGood)) {
			oldest = h
		}
	}
	return web.Fig{Term: b.Text("services.oldest"), Main: web.Plain(b.answered(oldest)), Note: words.NameAlone(oldest.Name)}
}
