package profile

import (
	"cmp"
	"fmt"
	"time"
)

// WindowRule is for a list that can only be asked for by a window of time: it is read once for each
// window from Start until Ahead days after now. Without From and To there are no windows.
type WindowRule struct {
	// From and To are the parameters of a window's begin and end. Neighbouring windows share that
	// moment, so that it matters not to which of them the service counts it.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// Format and Zone say how both are written, as those of SinceRule.
	Format string `yaml:"format"`
	Zone   string `yaml:"zone"`
	// Start is the day of the first window, YYYY-MM-DD; it may be a {variable}. It has to stay the
	// same: what an earlier day has is not in the list.
	Start string `yaml:"start"`
	// Days is the length of a window, 31 when 0, and Ahead how many days after now the last one
	// ends, at least 1.
	Days  int `yaml:"days"`
	Ahead int `yaml:"ahead"`
	// Basis is updated or created if the window is of the time of the last change, or of the
	// creation, of a row: changes are then asked for by a window that begins at the time since. It
	// is empty if the window is of another time, such as that of a performance; then a read of
	// changes reads all windows.
	Basis string `yaml:"basis"`
}

// Window is a window of time for which a list is read.
type Window struct {
	From, To time.Time
	// AskFrom and AskTo are the values of the parameters.
	AskFrom, AskTo string
}

// Key returns a text that identifies the window; those of later ones are greater.
func (w Window) Key() string { return w.From.UTC().Format("2006-01-02T15:04:05Z") }

const (
	defaultWindowDays = 31
	maxWindows        = 2000
)

// Windows reports whether the list is read by windows.
func (s *StreamRule) Windows() bool { return s.Window.From != "" }

// ChangesBasis returns by which time changes can be asked for, empty if they cannot.
func (s *StreamRule) ChangesBasis() string {
	switch {
	case s.Since.Param != "":
		return cmp.Or(s.Since.Basis, BasisUpdated)
	case s.Windows():
		return s.Window.Basis
	}
	return ""
}

// Between returns the windows to read at a time, in order: all, or those from since on if that is
// not zero and the windows have a Basis. zone is where Start and the days are, if Zone is empty.
func (w WindowRule) Between(since, now time.Time, zone string) (all []Window, err error) {
	ask := SinceRule{Format: w.Format, Zone: w.Zone}
	in, err := time.LoadLocation(cmp.Or(w.Zone, zone))
	if err != nil {
		return nil, fmt.Errorf("the zone %.60q of window is not known; give one like Europe/Amsterdam", cmp.Or(w.Zone, zone))
	}
	from, err := time.ParseInLocation(time.DateOnly, w.Start, in)
	if err != nil {
		return nil, fmt.Errorf("the start %.60q of window is no day like 2024-01-01", w.Start)
	}
	if w.Basis != "" && since.After(from) {
		from = since
	}
	end := now.In(in).AddDate(0, 0, max(w.Ahead, 1))
	for from.Before(end) {
		if len(all) == maxWindows {
			return nil, fmt.Errorf("the window makes more than %d requests of the list; give more days to each, or a later start", maxWindows)
		}
		to := from.AddDate(0, 0, cmp.Or(w.Days, defaultWindowDays))
		if to.After(end) {
			to = end
		}
		one := Window{From: from, To: to}
		if one.AskFrom, _, err = ask.Ask(from, zone); err != nil {
			return nil, err
		}
		if one.AskTo, _, err = ask.Ask(to, zone); err != nil {
			return nil, err
		}
		all, from = append(all, one), to
	}
	return all, nil
}

// window checks how a list is read by windows.
func (c *profileChecker) window(at string, s *StreamRule) {
	w := s.Window
	if w == (WindowRule{}) {
		return
	}
	if w.From == "" || w.To == "" || w.From == w.To {
		c.add(at, "needs from and to, the two parameters of a window's begin and end; give both")
		return
	}
	c.printable(at+".from", w.From)
	c.printable(at+".to", w.To)
	c.timeFormat(at, w.Format, w.Zone)
	c.text(at+".start", w.Start, false)
	if _, err := time.Parse(time.DateOnly, w.Start); err != nil && !holdsVariable(w.Start) {
		c.add(at+".start", "is %.60q; give the first day that matters, such as 2024-01-01", w.Start)
	}
	c.within(at+".days", w.Days, 0, 3660)
	c.within(at+".ahead", w.Ahead, 0, 3660)
	c.oneOf(at+".basis", w.Basis, BasisUpdated, BasisCreated)
	switch {
	case s.Over != "":
		c.add(at, "is of no use with over, which has its own lists; leave one of them out")
	case s.Since.Param != "":
		c.add(at, "is of no use with since; leave one of them out")
	}
}
