// Command screens takes pictures of a demonstration's evening, for developers of housecount: every page in
// every role, language, width, scheme and phase of the evening; four small ones for the README; or one page
// after another through an evening, with what they show and what is true. It also shows every view of a
// screen, follows a screen for a day at speed with what its browser needs, and measures what a screen costs
// its device and the program.
//
// It runs bin/housecount, steers its clock through the sandbox's control path and opens the pages in
// Chromium, as staff would. Nothing here is part of the program.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"housecount/apiclient/sandbox/idp"
	"housecount/web/words"
)

type options struct {
	program  string
	out      string
	readme   string
	evening  bool
	start    time.Time // of the demonstration's clock
	seed     uint64
	every    time.Duration
	soak     time.Duration // of the venue's time; 0 for no soak
	speed    float64       // of the house's clock
	views    bool
	letters  bool
	measure  bool
	from, to string
	only     *regexp.Regexp
}

// inside returns options with which pictures go to a directory inside out.
func (o options) inside(dir string) options {
	o.out = filepath.Join(o.out, dir)
	return o
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	house, err := openHouse(ctx, o)
	if err != nil {
		return err
	}
	defer house.close()
	b, closeBrowser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer closeBrowser()
	if o.soak > 0 {
		return soak(ctx, b, house, o)
	}
	if o.measure {
		return measure(ctx, b, house, o)
	}
	if o.views {
		return takeViews(ctx, b, house, o)
	}
	if o.letters {
		return takeLetters(ctx, b, house, o)
	}
	if o.evening {
		return takeEvening(ctx, b, house, o)
	}
	return takeAll(ctx, b, house, o)
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("screens", flag.ContinueOnError)
	f.StringVar(&o.program, "housecount", "bin/housecount", "the program to take pictures of")
	f.StringVar(&o.out, "out", "assets/screens", "directory for the pictures")
	f.StringVar(&o.readme, "readme", "", "directory for the four small pictures of the README; none unless given")
	f.BoolVar(&o.evening, "evening", false, "follow Tonight, one performance and the wall through an evening instead, and write evening.csv")
	f.Uint64Var(&o.seed, "seed", 1, "which house")
	f.DurationVar(&o.every, "every", 5*time.Minute, "with -evening: how much of the venue's time is between two pictures")
	f.StringVar(&o.from, "from", "19:00", "with -evening: when to begin")
	f.StringVar(&o.to, "to", "12:00", "with -evening: when to end, the next day when it is before noon or at it")
	f.DurationVar(&o.soak, "soak", 0, "have a tab be a screen for so much of the venue's time instead, write soak.csv, and fail where it shows nothing or needs more and more")
	f.Float64Var(&o.speed, "speed", 60, "with -soak: how much faster the venue's clock goes")
	f.BoolVar(&o.views, "views", false, "take every view of a screen instead, in all sizes and as a thumbnail, and the pages on which screens are looked after")
	f.BoolVar(&o.letters, "letters", false, "take the letters alone, as they would go out, at 320 and 600 px, and fail where one is wider")
	f.BoolVar(&o.measure, "measure", false, "say instead what the wall costs the device that shows it, and what 2,000 screens cost the program")
	day := f.String("day", "2026-11-21", "the evening")
	only := f.String("only", "", "take only pictures whose name matches this expression")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	if o.speed < 1 || o.soak < 0 {
		return o, fmt.Errorf("-speed %g and -soak %s: at least 1 and 0", o.speed, o.soak)
	}
	switch {
	case o.measure:
		o.speed = 1
	case o.soak == 0:
		o.speed = standstill
	}
	if o.every < time.Minute {
		return o, fmt.Errorf("-every %s: at least a minute", o.every)
	}
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		return o, err
	}
	if o.start, err = time.ParseInLocation(time.DateOnly, *day, zone); err != nil {
		return o, fmt.Errorf("-day: %w", err)
	}
	if _, err := o.at(o.from); err != nil {
		return o, err
	}
	_, err = o.at(o.to)
	return o, err
}

// at returns when the house's clock shows hh:mm on the evening or, up to noon, on the next day.
func (o options) at(clock string) (time.Time, error) {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		return t, fmt.Errorf("%q is not a time: give one like 19:00", clock)
	}
	y, m, d := o.start.Date()
	if t.Hour() < 12 || t.Hour() == 12 && t.Minute() == 0 {
		d++
	}
	return time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, o.start.Location()), nil
}

// phases are the moments of an evening at which all pages are looked at.
var phases = []struct{ name, clock string }{
	{"1-before-doors", "17:30"}, {"2-arriving", "20:05"}, {"3-running", "21:20"}, {"4-emptying", "22:18"},
	{"5-after-midnight", "00:34"}, {"6-morning", "09:40"},
}

// screens are the sizes and schemes in which a page is looked at; the wall has a size and a
// scheme of its own.
var (
	screens    = []screen{{1440, 900, "light"}, {1440, 900, "dark"}, {390, 844, "light"}, {390, 844, "dark"}}
	wallScreen = screen{1920, 1080, "dark"}
)

// takeAll takes every page in every role, language, screen and phase.
func takeAll(ctx context.Context, b *browser, h *house, o options) error {
	began, taken := time.Now(), 0
	all := map[words.Locale][]*visitor{} // in the order of the staff
	for _, phase := range phases {
		at, err := o.at(phase.clock)
		if err != nil {
			return err
		}
		if err := h.jump(ctx, at); err != nil {
			return err
		}
		for _, language := range words.Locales {
			for i, who := range idp.DemoStaff {
				if i == len(all[language]) {
					v, err := b.login(h.url, who)
					if err != nil {
						return fmt.Errorf("log in as %s: %w", who.User, err)
					}
					all[language] = append(all[language], v)
				}
				v := all[language][i]
				if err := v.speak(language, at); err != nil {
					return err
				}
				pages, err := v.pages(ctx, h, at)
				if err != nil {
					return err
				}
				for _, p := range pages {
					n, err := v.take(p, filepath.Join(o.out, phase.name), o.only)
					if err != nil {
						return fmt.Errorf("%s, %s in %s as %s: %w", phase.name, p.name, language, who.User, err)
					}
					taken += n
				}
			}
		}
		if o.readme != "" && phase.name == readmePhase {
			if err := takeReadme(ctx, all[words.English], h, o.readme); err != nil {
				return err
			}
		}
		fmt.Printf("%s  %d pictures  %s\n", phase.name, taken, time.Since(began).Round(time.Second))
	}
	return nil
}

// place is a page to look at.
type place struct {
	name, path string
	screens    []screen
}

// pages returns all that the visitor's role may see: those of the navigation, the performances of
// this evening and of each trouble to come, one of each kind that these lead to, and the walls.
func (v *visitor) pages(ctx context.Context, h *house, at time.Time) ([]place, error) {
	links, err := v.links("nav a[href]")
	if err != nil {
		return nil, err
	}
	var all []place
	for _, l := range links {
		if l.Path != "/wall" {
			all = append(all, place{pathName(l.Path), l.Path, screens})
		}
	}
	events, err := h.events(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		all = append(all, place{"event-" + e.name, "/events/" + e.id, screens})
	}
	further, err := v.further(all)
	if err != nil {
		return nil, err
	}
	for _, path := range further {
		all = append(all, place{pathName(path), path, screensOf(path)})
	}
	wall := []screen{wallScreen}
	all = append(all, place{"wall", "/wall", wall}, place{"screen", "/screen", wall})
	var halls []string
	for _, e := range events {
		if e.tonight && !slices.Contains(halls, e.hall) {
			halls = append(halls, e.hall)
			all = append(all, place{"wall-" + pathName(e.hall), "/wall?hall=" + query(e.hall), wall})
		}
	}
	return all, nil
}

// file returns the name of a picture.
func (p place) file(v *visitor, l screen) string {
	return fmt.Sprintf("%s-%s-%d-%s-%s.png", p.name, v.role, l.width, l.scheme, v.language)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func pathName(path string) string {
	return cmp.Or(notInNames.ReplaceAllString(lower(path), "-"), "home")
}
