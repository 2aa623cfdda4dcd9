package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	cdpperformance "github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

const (
	soakEvery = 5 * time.Second // of real time, between two looks
	soakTurn  = 10              // seconds of real time that each view is shown
)

// soaked is one measurement of a screen.
type soaked struct {
	at               time.Duration // since the first
	topic            string
	heap, nodes      float64
	listeners, fresh float64 // fresh is true if the page was not loaded again
	white, ink       float64 // shares of the picture
}

// soak opens a screen in one tab for as long as o says of the venue's time, which runs o.speed times as
// fast, and measures every few seconds what it shows and what the browser needs. It fails if a picture was
// empty or white, if a view never had its turn, if the page was loaded again, or if the browser needs a
// tenth more at the end than at the beginning.
func soak(ctx context.Context, b *browser, h *house, o options) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	v, err := b.openSoak(ctx, h)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(o.out, "soak.csv"))
	if err != nil {
		return err
	}
	defer file.Close()
	sheet := csv.NewWriter(file)
	if err := sheet.Write([]string{"seconds", "topic", "heap", "nodes", "listeners", "white", "ink"}); err != nil {
		return err
	}
	var all []soaked
	ticker := time.NewTicker(soakEvery)
	defer ticker.Stop()
	for began := time.Now(); time.Since(began) < time.Duration(float64(o.soak)/o.speed); {
		one, picture, err := v.soaked()
		if err != nil {
			return err
		}
		one.at = time.Since(began)
		all = append(all, one)
		if fault := one.fault(); fault != "" {
			if err := os.WriteFile(filepath.Join(o.out, fmt.Sprintf("soak-%d.png", len(all))), picture, 0o644); err != nil {
				return err
			}
		}
		number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
		if err := sheet.Write([]string{number(math.Round(one.at.Seconds())), one.topic, number(one.heap), number(one.nodes), number(one.listeners), number(one.white), number(one.ink)}); err != nil {
			return err
		}
		sheet.Flush()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	if err := errors.Join(sheet.Error(), file.Close()); err != nil {
		return err
	}
	report, err := verdict(all, screenViews)
	fmt.Print(report)
	return err
}

// fault returns what is wrong with a look by itself; empty for nothing.
func (s soaked) fault() string {
	switch {
	case s.white > .5:
		return "white"
	case s.ink < .002:
		return "empty"
	case s.fresh == 0:
		return "loaded again"
	}
	return ""
}

// verdict compares the last sixth with the first after the browser has warmed up, by their medians:
// each of them has all views in it.
func verdict(all []soaked, views []string) (report string, err error) {
	topics := make(map[string]bool)
	var faults []error
	for _, s := range all {
		topics[s.topic] = true
		if fault := s.fault(); fault != "" {
			faults = append(faults, fmt.Errorf("after %s on %s: %s", s.at.Round(time.Second), s.topic, fault))
		}
	}
	for _, view := range views {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(topics)), func(topic string) bool {
			name, _, _ := strings.Cut(topic, "?")
			return path.Base(name) == view
		}) {
			faults = append(faults, fmt.Errorf("%s was never shown", view))
		}
	}
	part := len(all) / 6
	if part < 1 {
		return "", errors.New("too few looks to compare")
	}
	report = fmt.Sprintf("%d looks at %d views\n", len(all), len(topics))
	for _, of := range []struct {
		name  string
		value func(soaked) float64
	}{
		{"heap", func(s soaked) float64 { return s.heap }}, {"nodes", func(s soaked) float64 { return s.nodes }}, {"listeners", func(s soaked) float64 { return s.listeners }},
	} {
		median := func(some []soaked) float64 {
			values := make([]float64, len(some))
			for i, s := range some {
				values[i] = of.value(s)
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		first, last := median(all[part:2*part]), median(all[len(all)-part:])
		report += fmt.Sprintf("%s: %.0f, at the end %.0f\n", of.name, first, last)
		if last > 1.1*first {
			faults = append(faults, fmt.Errorf("%s grew from %.0f to %.0f", of.name, first, last))
		}
	}
	return report, errors.Join(faults...)
}

// openSoak opens a screen with a programme of all views.
func (b *browser) openSoak(ctx context.Context, h *house) (*visitor, error) {
	admin, err := b.login(h.url, staff("admin"))
	if err != nil {
		return nil, err
	}
	of, err := h.ofTonight(ctx)
	if err != nil {
		return nil, err
	}
	id, err := admin.saveProgramme("Soak", of, min(3600, int(h.speed*soakTurn)), screenViews...)
	if err != nil {
		return nil, err
	}
	v, err := b.stranger(h)
	if err != nil {
		return nil, err
	}
	return v, errors.Join(v.pair(admin, map[string]string{"name": "Soak", "shows": "office", "money": "today", "programme": id}), v.do(await(`window.soaked = true`)))
}

// soaked measures the open page, after the browser has collected its garbage.
func (v *visitor) soaked() (s soaked, picture []byte, err error) {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return s, nil, err
	}
	all, err := chromedp.Run(ctx, metrics)
	if err != nil {
		return s, nil, err
	}
	s = soaked{heap: all["JSHeapUsedSize"], nodes: all["Nodes"], listeners: all["JSEventListeners"]}
	if s.topic, err = v.text(`document.body?.dataset.topic ?? location.href`); err != nil {
		return s, nil, err
	}
	fresh, err := v.text(`String(!!window.soaked)`)
	if err != nil {
		return s, nil, err
	}
	if fresh == "true" {
		s.fresh = 1
	}
	if picture, err = chromedp.Run(ctx, chromedp.CaptureScreenshot()); err != nil {
		return s, nil, err
	}
	seen, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return s, nil, err
	}
	s.white, s.ink = shares(seen)
	return s, picture, nil
}

// metrics returns what the browser counts of a page, by their names.
func metrics(ctx context.Context, t *chromedp.Target) (map[string]float64, error) {
	if _, err := cdp.Call(ctx, t, cdpperformance.Enable, cdpperformance.EnableParams{}); err != nil {
		return nil, err
	}
	answer, err := cdp.Call(ctx, t, cdpperformance.GetMetrics, cdp.Empty{})
	all := make(map[string]float64)
	for _, m := range answer.Metrics {
		all[m.Name] = m.Value
	}
	return all, err
}

// shares returns how much of a picture is white, and how much is not its ground.
func shares(seen image.Image) (white, ink float64) {
	bounds := seen.Bounds()
	ground := brightness(seen, bounds.Min.X, bounds.Min.Y)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			switch is := brightness(seen, x, y); {
			case is > .93:
				white++
				ink++
			case math.Abs(is-ground) > .1:
				ink++
			}
		}
	}
	all := float64(bounds.Dx() * bounds.Dy())
	return white / all, ink / all
}

func brightness(seen image.Image, x, y int) float64 {
	r, g, b, _ := seen.At(x, y).RGBA()
	return float64(r+g+b) / (3 * 0xffff)
}
