package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"housecount/apiclient/sandbox/idp"
	"housecount/web/wall"
)

// screenViews are all views that a programme may have.
var screenViews = wall.ScreenPages()

// publicViews are those of them that strangers may see.
var publicViews = []string{"board", "next", "week", "places", "message"}

// screenSizes are the sizes of screens.
var screenSizes = []screen{{1920, 1080, "dark"}, {1080, 1920, "dark"}, {3840, 2160, "dark"}, {1280, 720, "dark"}}

// thumb is how wide a picture is that is seen from across the room.
const thumb = 160

// pairedScreen is a paired screen.
type pairedScreen struct {
	*visitor
	programme string // its id
	views     []string
}

// takeViews takes a device that waits, and what a public screen and one of the office show through an
// evening: each view, one with a message, and one while the program does not answer. Beside them it takes the pages on which they are looked after.
func takeViews(ctx context.Context, b *browser, h *house, o options) error {
	began := time.Now()
	admin, err := b.login(h.url, staff("admin"))
	if err != nil {
		return err
	}
	of, err := h.ofTonight(ctx)
	if err != nil {
		return err
	}
	office, err := b.stranger(h)
	if err != nil {
		return err
	}
	public, err := b.stranger(h)
	if err != nil {
		return err
	}
	office.role, public.role = "office", "public"
	if err := public.takeScreens(filepath.Join(o.out, "0-pairing"), "pairing", o); err != nil {
		return err
	}
	both := []pairedScreen{{visitor: office, views: screenViews}, {visitor: public, views: publicViews}}
	for i := range both {
		s := &both[i]
		if s.programme, err = admin.saveProgramme(s.role, of, 60, s.views...); err != nil {
			return err
		}
		form := map[string]string{"name": "The " + s.role + "’s", "place": "First floor", "shows": s.role, "programme": s.programme}
		if s.role == "office" {
			form["money"] = "today"
		}
		if err := s.pair(admin, form); err != nil {
			return err
		}
	}
	for _, phase := range phases {
		at, err := o.at(phase.clock)
		if err != nil {
			return err
		}
		if err := h.jump(ctx, at); err != nil {
			return err
		}
		dir := filepath.Join(o.out, phase.name)
		if err := admin.speak(admin.language, at); err != nil {
			return err
		}
		for _, s := range both {
			for _, view := range s.views {
				if err := errors.Join(admin.changeProgramme(s.programme, s.role, of, view), s.do(await(shows(view)))); err != nil {
					return fmt.Errorf("%s, %s, %s: %w", phase.name, s.role, view, err)
				}
				if err := s.takeScreens(dir, view, o); err != nil {
					return err
				}
			}
		}
		if phase.name == readmePhase {
			if err := takeManagement(admin, h, both, of, o.inside(phase.name)); err != nil {
				return err
			}
		}
		fmt.Printf("%s  %s\n", phase.name, time.Since(began).Round(time.Second))
	}
	return nil
}

// takeManagement takes the pages that manage screens, what the screens show with a message, and what they show while
// the program does not answer.
func takeManagement(admin *visitor, h *house, both []pairedScreen, of performance, o options) error {
	for i, view := range []string{"arrivals", "board"} {
		if err := errors.Join(admin.changeProgramme(both[i].programme, both[i].role, of, view), both[i].do(await(shows(view)))); err != nil {
			return err
		}
	}
	id, err := admin.text(`(async () => (await (await fetch("/screens")).text()).match(/edit[?]screen=([^"]+)/)[1])()`)
	if err != nil {
		return err
	}
	for _, p := range []place{
		{"fleet", "/screens", screens}, {"fleet-screen", "/screens/edit?screen=" + id, screens}, {"fleet-programme", "/screens/programme?id=" + both[1].programme, screens},
		{"fleet-message", "/screens/message", screens}, {"fleet-pair", "/screens/pair", screens},
	} {
		if _, err := admin.take(p, o.out, o.only); err != nil {
			return err
		}
	}
	for _, urgent := range []string{"", "1"} {
		if err := admin.post("/screens/message", map[string]string{"text": "Late entry to the Grote Zaal by door B until 20:40", "for": "10", "urgent": urgent}); err != nil {
			return err
		}
		for _, s := range both {
			if err := errors.Join(s.do(await(fmt.Sprintf(`document.querySelector("#said")?.matches(".urgent") === %t`, urgent != ""))), s.takeScreens(o.out, "said"+urgent, o)); err != nil {
				return err
			}
		}
	}
	if _, err := admin.take(place{"fleet-said", "/screens", screens}, o.out, o.only); err != nil {
		return err
	}
	if err := h.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	defer h.command.Process.Signal(syscall.SIGCONT)
	for _, s := range both {
		if err := errors.Join(s.do(await(`document.documentElement.dataset.socket === "lost"`)), s.takeScreens(o.out, "lost", o)); err != nil {
			return err
		}
	}
	return nil
}

// takeScreens takes what a screen shows in all sizes, each as it is and as a thumbnail.
func (v *visitor) takeScreens(dir, name string, o options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, l := range screenSizes {
		path := filepath.Join(dir, fmt.Sprintf("%s-%s-%dx%d", name, v.role, l.width, l.height))
		if !o.only.MatchString(path) {
			continue
		}
		for suffix, scale := range map[string]float64{".png": 1, "-thumb.png": thumb / float64(l.width)} {
			png, err := v.shoot(l, &page.Viewport{Width: float64(l.width), Height: float64(l.height), Scale: scale})
			if err != nil {
				return err
			}
			if err := os.WriteFile(path+suffix, png, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// shows reports whether the open page, a screen's, shows a view, and nothing that gives way any more.
func shows(view string) string {
	return fmt.Sprintf(`document.body.dataset.topic.split("?")[0].endsWith("/%s") && document.querySelectorAll("main").length === 1`, view)
}

// stranger opens a tab of a device that waits.
func (b *browser) stranger(h *house) (*visitor, error) {
	ctx, _ := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext()) // it ends with the browser's
	v := &visitor{ctx: ctx, base: h.url, role: "screen"}
	if err := chromedp.Do(ctx, chromedp.Navigate(h.url+"/screen")); err != nil {
		return nil, err
	}
	return v, v.do(dress(screen{1280, 720, "dark"}), await(`document.querySelectorAll(".code span").length === 2`))
}

// pair has an administrator pair a waiting device.
func (v *visitor) pair(admin *visitor, form map[string]string) error {
	code, err := v.text(`[...document.querySelectorAll(".code span")].map(e => e.textContent).join("")`)
	if err != nil {
		return err
	}
	form = maps.Clone(form)
	form["do"], form["code"], form["language"] = "pair", code, "en"
	return errors.Join(admin.post("/screens/pair", form), v.do(await(`document.body.dataset.topic && document.documentElement.dataset.socket === "open"`)))
}

// saveProgramme saves a programme in which the views take turns, and gives its id.
func (v *visitor) saveProgramme(name string, of performance, seconds int, views ...string) (id string, err error) {
	if err := v.post("/screens/programme", programmeForm(name, of, seconds, views...)); err != nil {
		return "", err
	}
	return v.text(fmt.Sprintf(`(async () => {
		const links = [...new DOMParser().parseFromString(await (await fetch("/screens/programme")).text(), "text/html").querySelectorAll(".others a")];
		return new URL(links.find(a => a.textContent.trim() === %q).href, location).searchParams.get("id");
	})()`, name))
}

// changeProgramme has a programme be of one view.
func (v *visitor) changeProgramme(id, name string, of performance, view string) error {
	version, err := v.text(fmt.Sprintf(`(async () => new DOMParser().parseFromString(await (await fetch("/screens/programme?id=%s")).text(), "text/html").querySelector("[name=version]").value)()`, query(id)))
	if err != nil {
		return err
	}
	form := programmeForm(name, of, 60, view)
	form["id"], form["version"] = id, version
	return v.post("/screens/programme", form)
}

func programmeForm(name string, of performance, seconds int, views ...string) map[string]string {
	form := map[string]string{"name": name, "do": "save"}
	for i, view := range views {
		n := "." + strconv.Itoa(i)
		form["page"+n], form["seconds"+n], form["text"+n] = view, strconv.Itoa(seconds), "The bar on the balcony is open"
		switch view {
		case "arrivals":
			form["hall"+n] = of.hall
		case "performance":
			form["event"+n] = of.id
		}
	}
	return form
}

// post sends a form as the visitor's page does.
func (v *visitor) post(path string, form map[string]string) error {
	fields, err := json.Marshal(form)
	if err != nil {
		return err
	}
	status, err := v.text(fmt.Sprintf(`(async () => String((await fetch(%q, {method: "POST", body: new URLSearchParams(%s)})).status))()`, path, fields))
	if err == nil && status != "200" {
		err = fmt.Errorf("%s is answered %s", path, status)
	}
	return err
}

// staff returns who logs in by a name.
func staff(user string) idp.Staff {
	return idp.DemoStaff[slices.IndexFunc(idp.DemoStaff, func(s idp.Staff) bool { return s.User == user })]
}

// ofTonight returns a performance of the evening.
func (h *house) ofTonight(ctx context.Context) (performance, error) {
	all, err := h.events(ctx, h.opened)
	if err != nil {
		return performance{}, err
	}
	return all[max(0, slices.IndexFunc(all, func(p performance) bool { return p.tonight }))], nil
}
