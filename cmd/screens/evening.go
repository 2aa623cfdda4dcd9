package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
)

// takeEvening follows Tonight, a performance and the wall of the house through the evening. Next to the
// pictures it writes evening.csv, with what the pages show and what is true.
func takeEvening(ctx context.Context, b *browser, h *house, o options) error {
	from, err := o.at(o.from)
	if err != nil {
		return err
	}
	to, err := o.at(o.to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	events, err := h.events(ctx, from)
	if err != nil {
		return err
	}
	events = slices.DeleteFunc(events, func(p performance) bool { return !p.tonight })
	grand := events[max(0, slices.IndexFunc(events, func(p performance) bool { return p.hall == "Grote Zaal" }))]
	views := []place{{"tonight", "/tonight", screens[:1]}, {"event", "/events/" + grand.id, screens[:1]}, {"wall", "/wall", []screen{wallScreen}}}
	visitors := make([]*visitor, len(views))
	manager := idp.DemoStaff[slices.IndexFunc(idp.DemoStaff, func(s idp.Staff) bool { return s.User == "manager" })]
	for i, p := range views {
		if visitors[i], err = b.login(h.url, manager); err != nil {
			return err
		}
		if err := visitors[i].open(p.path); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(o.out, "evening.csv"))
	if err != nil {
		return err
	}
	defer file.Close()
	sheet := csv.NewWriter(file)
	if err := sheet.Write(columns(events)); err != nil {
		return err
	}
	for at := from; !at.After(to); at = at.Add(o.every) {
		if err := h.jump(ctx, at); err != nil {
			return err
		}
		words := map[string]string{}
		for i, v := range visitors {
			if err := v.do(asOf(at), plotted); err != nil { // the pages update themselves and are not loaded again
				fmt.Fprintf(os.Stderr, "%s at %s: %v\n", views[i].name, at.Format("15:04"), err)
			}
			picture, err := v.shoot(views[i].screens[0], nil)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("%s-%s.png", at.Format("02-1504"), views[i].name)
			if err := os.WriteFile(filepath.Join(o.out, name), picture, 0o644); err != nil {
				return err
			}
			if err := v.read(views[i].name, words); err != nil {
				return err
			}
		}
		truth, err := h.truth(ctx)
		if err != nil {
			return err
		}
		if err := sheet.Write(line(at, words, truth, events)); err != nil {
			return err
		}
		sheet.Flush()
		if err := sheet.Error(); err != nil {
			return err
		}
	}
	return file.Close()
}

// said are the parts of the pages whose words are written down.
var said = []struct{ view, part, selector string }{
	{"tonight", "strip", "#strip"}, {"tonight", "figs", "#figs"}, {"tonight", "attention", "#attention"}, {"tonight", "shows", ".shows"},
	{"event", "lede", "#head .lede"}, {"event", "attention", "#attention"}, {"event", "figures", "dl.figures"},
	{"wall", "main", "#wall-main"}, {"wall", "note", "#wall-note"},
}

// read adds the words of the open page, which is the view's, by column; why a figure is not exact is
// not among them.
func (v *visitor) read(view string, into map[string]string) error {
	for _, p := range said {
		if p.view != view {
			continue
		}
		text, err := v.text(fmt.Sprintf(`(() => {
			const whys = document.querySelectorAll(".why");
			whys.forEach(w => w.hidden = true);
			const text = [...document.querySelectorAll(%q)].map(e => e.innerText).join(" ").replace(/\s+/g, " ").trim();
			whys.forEach(w => w.hidden = false);
			return text;
		})()`, p.selector))
		if err != nil {
			return err
		}
		into[view+" "+p.part] = text
	}
	return nil
}

// inBuilding matches the number of people in the building on top of Tonight.
var inBuilding = regexp.MustCompile(`In the building\s*(?:[≈≤≥]\s*)?([\d,.]+)`)

// houseCount is that number as digits, empty when there is none.
func houseCount(figs string) string {
	m := inBuilding.FindStringSubmatch(figs)
	if m == nil {
		return ""
	}
	return strings.NewReplacer(",", "", ".", "").Replace(m[1])
}

func columns(events []performance) []string {
	all := []string{"at", "house count", "inside in truth", "by the scans", "to come in truth", "on the way"}
	for _, e := range events {
		all = append(all, e.hall+": sold/came/inside/to come in truth")
	}
	for _, p := range said {
		all = append(all, p.view+" "+p.part)
	}
	return all
}

// line returns one moment: the truth is that of the evening's own performances.
func line(at time.Time, words map[string]string, truth sandbox.Truth, events []performance) []string {
	var all sandbox.Totals
	var each []string
	for _, e := range events {
		f := truth.Events[e.id]
		all.Inside += f.Inside
		all.Present += f.Present
		all.ToCome += f.ToCome
		all.OnTheWay += f.OnTheWay
		each = append(each, fmt.Sprintf("%d/%d/%d/%d", f.Sold, f.Attendance, f.Inside, f.ToCome))
	}
	cells := append([]string{at.Format("2006-01-02 15:04"), houseCount(words["tonight figs"]), strconv.Itoa(all.Inside), strconv.Itoa(all.Present),
		strconv.Itoa(all.ToCome), strconv.Itoa(all.OnTheWay)}, each...)
	for _, p := range said {
		cells = append(cells, words[p.view+" "+p.part])
	}
	return cells
}
