package catalogue

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// paceFigures compare the sale of a performance with comparable ones, and estimate its result.
var paceFigures = []Definition{
	{Key: figures.KeySoldSoFar, From: fromTickets, ofPace: func(p *evening.Pace) figures.Value { return figures.CountOf(p.Sold) }},
	{Key: figures.KeyUsual, From: fromTickets, ofPace: func(p *evening.Pace) figures.Value { return banded(p, p.Usual, p.UsualBand) }},
	{Key: figures.KeyUsualFinish, From: fromTickets, ofPace: func(p *evening.Pace) figures.Value {
		return banded(p, figures.New(p.UsualFinish.Median, p.Usual.Caveat()), p.UsualFinish)
	}},
	{Key: figures.KeyFinish, From: fromTickets, ofPace: func(p *evening.Pace) figures.Value { return banded(p, p.Finish, p.FinishBand) }},
	{Key: figures.KeyFinishError, Unit: figures.Share, From: fromTickets, ofPace: func(p *evening.Pace) figures.Value { return figures.ShareOf(p.Error) }},
}

// banded returns an estimate from comparables with its band; a single comparable gives no band.
func banded(p *evening.Pace, f figures.Figure[int], band figures.Band) figures.Value {
	if len(p.Comparables) == 1 {
		band = figures.Band{}
	}
	return bandedOf(f, band)
}
