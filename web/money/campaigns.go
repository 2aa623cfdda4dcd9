package money

import (
	"iter"
	"math"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/query"
	"housecount/web/words"

	"github.com/bojanz/currency"
)

// mostCampaignName is the longest name of a campaign, in bytes.
const mostCampaignName = 240

// campaign is a campaign that somebody noted.
type campaign struct {
	Name, When string
	From       string // its first day
	// Usual is what is sold on such days otherwise, and Extra what was sold beside it in the days of it that are over; a dash
	// if that is not known.
	Usual, Extra string
	Chance       bool // Extra may be chance
	// Cost is what it cost, and Each that for each place of Extra; empty if that is not known, or may be chance.
	Cost, Each string
	Form       campaignForm
	Why        []string // the explanation; empty before a day of it is over
	from       figures.Day
	cost       record.Money
	sales      compare.CampaignSales
}

// campaignForm is what a form of a campaign is filled in with.
type campaignForm struct {
	To             string // the last day
	Currency, Cost string // without a currency there is no field for the cost
	Step           string // what the cost is a multiple of
}

func (b builder) campaignForm(to string) campaignForm {
	code := costCurrency(b.Snapshot)
	return campaignForm{To: to, Currency: code, Step: web.Major(1, code).String()}
}

// campaigns is the list of campaigns.
type campaigns struct{ Rows []campaign }

// noted returns the campaigns, the newest first.
func (b builder) noted() (all []campaign) {
	for _, set := range b.Settings().All(record.SettingCampaign) {
		from := figures.Day(set.From)
		to := from.Add(int(*set.Value) - 1)
		c := campaign{Name: set.Of, When: b.PeriodOf(from, to), From: set.From, Form: b.campaignForm(string(to)), from: from}
		for cost := range costsOf(b.Settings(), set.Of, set.From) {
			code, _ := record.CampaignCosting(cost.Of)
			c.cost = record.Money{Amount: *cost.Value, Currency: code}
			c.Cost = b.Money(*cost.Value, code)
			c.Form.Currency, c.Form.Cost, c.Form.Step = code, web.Major(*cost.Value, code).String(), web.Major(1, code).String()
		}
		b.judge(&c, int(*set.Value))
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(x, y campaign) int { return y.from.Since(x.from) })
	return all
}

// judge sets what was sold in a campaign of some days against the usual, whether that may be chance, and the explanation.
func (b builder) judge(of *campaign, days int) {
	of.Usual, of.Extra = words.Dash, words.Dash
	of.sales = compare.Campaign(b.Evening, of.from, days)
	c := &of.sales
	if c.To < c.From || b.Unread() {
		return
	}
	of.Why = []string{b.Text("marketing.campaign_sold", words.Int("n", c.Sold), words.Text("days", b.PeriodOf(c.From, c.To)))}
	if !c.Known() {
		of.Why = append(of.Why, b.Text("marketing.campaign_unknown"))
		return
	}
	n, low, high := c.More()
	of.Usual, of.Extra, of.Chance = b.Qualified(figures.Estimated, nil, b.Count(c.Sold-n)).Text, b.Qualified(figures.Estimated, nil, b.Signed(n)).Text, c.MayBeChance()
	of.Why = append(of.Why, b.Text("marketing.campaign_usual", words.Text("usual", b.Fixed(int64(math.Round(10*c.Usual)), 1)), words.Int("times", c.Times)),
		b.Text("marketing.campaign_band", words.Text("low", b.Signed(low)), words.Text("high", b.Signed(high))))
	if of.Chance {
		of.Why = append(of.Why, b.Text("marketing.campaign_chance"))
	} else if each := of.each(); each.Currency != "" {
		of.Each = b.Qualified(figures.Estimated, nil, b.Money(each.Amount, each.Currency)).Text
		of.Why = append(of.Why, b.Text("marketing.campaign_cost", words.Text("cost", of.Cost), words.Int("n", n), words.Text("each", of.Each)))
	}
}

// notes returns the campaigns that began in a bucket; those of one bucket share its line.
func (b builder) notes(days *marketing.Days, campaigns []campaign) (all []charts.Note) {
	for _, c := range slices.Backward(campaigns) {
		at := slices.IndexFunc(days.Buckets, func(d marketing.Bucket) bool { return d.From <= c.from && c.from <= d.To })
		if at < 0 {
			continue
		}
		if n := len(all); n > 0 && all[n-1].At == at {
			all[n-1].Text += "\n" + words.Bare(c.Name)
		} else {
			all = append(all, charts.Note{At: at, Text: words.Bare(c.Name)})
		}
	}
	return all
}

// each returns what a campaign cost for each place that was sold beside the usual; without a currency if there is no cost, if not all
// its days are over, or if those places may be chance.
func (c *campaign) each() (m record.Money) {
	if n, _, _ := c.sales.More(); c.cost.Currency != "" && c.sales.Known() && n > 0 && !c.sales.MayBeChance() && string(c.sales.To) == c.Form.To {
		m = record.Money{Amount: figures.Sums{c.cost}.Per(n).In(c.cost.Currency), Currency: c.cost.Currency}
	}
	return m
}

// costsOf yields what a campaign cost, a setting for each currency.
func costsOf(s *figures.Settings, name, from string) iter.Seq[*record.Setting] {
	return func(yield func(*record.Setting) bool) {
		for _, set := range s.All(record.SettingCampaignCost) {
			if _, campaign := record.CampaignCosting(set.Of); campaign == name && set.From == from && !yield(set) {
				return
			}
		}
	}
}

// costCurrency is the currency in which the cost of a campaign is noted: the first of the house; empty if nothing was booked yet.
func costCurrency(s *figures.Snapshot) string {
	for _, code := range figures.Currencies(s.Total.Of(figures.Booked).Value) {
		return code
	}
	return ""
}

// ReadCampaign reads the form of a campaign, with which somebody notes it, changes its days or its cost, or removes it. It returns
// what is to be set, in which the caller says by whom and when, and nothing if all is so already. It is not ok if the form names no
// campaign, no days in their order, or no amount.
func ReadCampaign(form url.Values, s *figures.Snapshot) (changes []*record.Setting, ok bool) {
	name, wrong := query.ReadText(form.Get("of"))
	from, noDay := query.ReadDay(form.Get("from"))
	if strings.TrimSpace(name) == "" || len(name) > mostCampaignName || wrong != nil || noDay != nil {
		return nil, false
	}
	set := func(setting record.SettingName, of string, value *int64) {
		held := s.Settings().Get(setting, of, from)
		if value == nil && held != nil || value != nil && (held == nil || *held.Value != *value) {
			changes = append(changes, &record.Setting{Name: setting, Of: of, From: from, Value: value})
		}
	}
	if form.Get("remove") != "" {
		set(record.SettingCampaign, name, nil)
		for cost := range costsOf(s.Settings(), name, from) {
			set(cost.Name, cost.Of, nil)
		}
		return changes, true
	}
	to, noDay := query.ReadDay(form.Get("to"))
	if noDay != nil {
		return nil, false
	}
	days := int64(figures.Day(to).Since(figures.Day(from))) + 1
	if least, most := figures.SettingBounds(record.SettingCampaign); days < least || days > most {
		return nil, false
	}
	set(record.SettingCampaign, name, &days)
	code := costCurrency(s)
	for cost := range costsOf(s.Settings(), name, from) { // it keeps its currency
		code, _ = record.CampaignCosting(cost.Of)
	}
	if typed := form.Get("cost"); typed != "" {
		cost, is := minorUnits(typed, code)
		if least, most := figures.SettingBounds(record.SettingCampaignCost); !is || cost < least || cost > most {
			return nil, false
		}
		set(record.SettingCampaignCost, record.CampaignCostOf(code, name), &cost)
	} else if form.Has("cost") {
		set(record.SettingCampaignCost, record.CampaignCostOf(code, name), nil)
	}
	return changes, true
}

// minorUnits reads an amount of 0 or more as forms send it, with a point before its decimals.
func minorUnits(text, code string) (n int64, ok bool) {
	a, err := currency.NewAmount(text, code)
	if err != nil {
		return 0, false
	}
	whole, _ := a.Cmp(a.Round())
	n, err = a.Int64()
	return n, err == nil && n >= 0 && whole == 0
}
