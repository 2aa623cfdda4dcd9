package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"housecount/web"
	"housecount/web/night"
	"housecount/web/words"
)

// letterScreens are those of a letter: the narrowest phone, and the width that it is made for.
var letterScreens = []screen{{320, 640, "light"}, {320, 640, "dark"}, {600, 800, "light"}, {600, 800, "dark"}}

// letterPhases are the moments at which letters are looked at; the second is when one goes out while the evening goes on.
var letterPhases = []struct{ name, clock string }{{"1-arriving", "20:05"}, {"2-late", "23:31"}, {"3-morning", "09:40"}}

// screensOf returns the screens in which a page is looked at.
func screensOf(path string) []screen {
	if strings.HasPrefix(path, web.LettersPath+"/") {
		return letterScreens
	}
	return screens
}

// takeLetters takes the letters alone: each for the roles with the fewest and the most rights, in every language, while people arrive,
// late in the evening and in the morning. It fails where one is wider than the narrowest phone.
func takeLetters(ctx context.Context, b *browser, h *house, o options) error {
	began, taken := time.Now(), 0
	for _, phase := range letterPhases {
		at, err := o.at(phase.clock)
		if err == nil {
			err = h.jump(ctx, at)
		}
		if err != nil {
			return err
		}
		for _, role := range []string{"door", "admin"} {
			v, err := b.login(h.url, staff(role))
			if err != nil {
				return err
			}
			for _, language := range words.Locales {
				if err := v.speak(language, at); err != nil {
					return err
				}
				for _, name := range slices.Concat(night.LetterNames, []string{night.TonightDay, night.RevenueWeek}) {
					if name == night.RevenueWeek && role != "admin" { // it has money
						continue
					}
					p := place{"letter-" + name, web.LettersPath + "/" + name, letterScreens}
					n, err := v.take(p, filepath.Join(o.out, phase.name), o.only)
					if err == nil && n > 0 {
						err = errors.Join(v.do(dress(letterScreens[0])), v.do(fits))
					}
					if err != nil {
						return fmt.Errorf("%s, the letter %s in %s as %s: %w", phase.name, name, language, role, err)
					}
					taken += n
				}
			}
		}
		fmt.Printf("%s  %d pictures  %s\n", phase.name, taken, time.Since(began).Round(time.Second))
	}
	return nil
}

// fits fails if the open page is wider than its window.
func fits(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
	wide, err := chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`)(ctx, t)
	if err == nil && wide {
		err = errors.New("it is wider than its window")
	}
	return none, err
}
