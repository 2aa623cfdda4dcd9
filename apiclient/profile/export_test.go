package profile

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Internals for the external tests.

// Mapped holds the records of a row and the refusals.
type Mapped struct {
	ID      string
	Records []record.Record
	Refused []*record.Refusal
	Failed  *StartError // the page, not the row
}

// MapRow maps a row of the stream called name; it returns nothing if the stream gives no records.
func (p *Profile) MapRow(stream, row string, over any, with map[string]any) (m Mapped) {
	s := p.Stream(stream)
	if len(s.Gives) == 0 {
		return m
	}
	l, err := Find([]byte(row), ".", false)
	if err != nil {
		m.Refused = append(m.Refused, &record.Refusal{Stream: stream, Why: record.Say("is no JSON")})
		return m
	}
	all, err := s.Map(context.Background(), l, Context{Over: over, With: with})
	if errors.As(err, &m.Failed) {
		return m
	}
	if err != nil {
		m.Refused = append(m.Refused, &record.Refusal{Stream: stream, Why: record.Say("is no JSON")})
		return m
	}
	m.ID = all.IDs[0]
	for _, r := range all.Results {
		if (r.Record == nil) == (r.Refused == nil) {
			panic("neither a record nor a refusal, or both")
		}
		if r.Refused != nil {
			m.Refused = append(m.Refused, r.Refused)
		} else {
			m.Records = append(m.Records, r.Record)
		}
	}
	return m
}

// EndIsolation ends the process of Isolate.
func (p *Profile) EndIsolation() {
	defer p.isolated.hold()()
	p.isolated.end()
}

func (i *isolated) hold() (release func()) {
	i.busy <- struct{}{}
	return func() { <-i.busy }
}

// HoldIsolation keeps others from using the process of Isolate, as a row of another list does.
func (p *Profile) HoldIsolation() (release func()) { return p.isolated.hold() }

// KillIsolation kills the process of Isolate, as the operating system may, and waits until it has ended.
func (p *Profile) KillIsolation() error {
	defer p.isolated.hold()()
	err := p.isolated.process.Process.Kill()
	_, _ = p.isolated.lines.Peek(1) // until its output ends
	return err
}

// EndWith has reading and writing end with ctx, until stop returns.
func EndWith(ctx context.Context, from, to *os.File) (stop func()) {
	return (&isolated{from: from, to: to}).endWith(ctx)
}

// ShareRow runs the program keep of the stream called name on a row.
func (p *Profile) ShareRow(stream, row string, over any) (key string, stored map[string]any, err error) {
	v, err := decodeAny([]byte(row))
	if err != nil {
		return "", nil, err
	}
	return p.Stream(stream).mapShared(context.Background(), v, Context{Over: over})
}

// Templates returns the values of p that may contain variables, in the order of the file.
func (p *Profile) Templates() []string {
	report := append([]string{p.BaseURL}, p.Prefixes...)
	for _, m := range []map[string]string{p.Headers, {"": p.Auth.OAuth.TokenURL}, p.Auth.OAuth.Params} {
		report = slices.AppendSeq(report, maps.Values(m))
	}
	report = append(report, p.Money.Currency, p.Time.Zone)
	for _, s := range p.Streams {
		report = append(append(report, s.Path), s.Alternatives...)
		report = append(report, s.Body)
		for _, m := range []map[string]string{s.Query, s.Full, s.Changes} {
			report = slices.AppendSeq(report, maps.Values(m))
		}
		if s.Since.Param != "" {
			report = append(report, s.Since.Zone)
		}
	}
	return report
}

// MinorUnits parses an amount with a profile of this unit and rounding.
func MinorUnits(unit, rounding, currency, s string) (amount int64, why string) {
	amount, m := MoneyRule{Unit: unit, Rounding: rounding}.minorUnits(s, currency)
	return amount, m.String()
}

// ParseTime parses a time with a profile of this format; ok is false if the time or the format is
// invalid.
func ParseTime(format, s string, in *time.Location) (t time.Time, ok bool) {
	f, why := newTimeFormat(format)
	if why != "" {
		return t, false
	}
	return parseTime(s, []timeFormat{f}, in)
}

// CachedZones returns the number of time zones in p's cache.
func (p *Profile) CachedZones() int { return len(p.zones.byName) }

// FindCarefully is Find without the quick reader.
func FindCarefully(body []byte, path string, eachKey bool) (*List, error) {
	return findIn(readText(body), path, eachKey)
}

// IsReadQuickly reports whether the quick reader is sure of a body.
func IsReadQuickly(body []byte) bool {
	_, err := findIn(readQuickly(body), "", false)
	return err == nil
}
