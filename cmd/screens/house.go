package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// patience is how long to wait for what ought to take a moment.
const patience = 3 * time.Minute

// house is a running demonstration whose clock goes only when it is moved.
type house struct {
	url        string
	service    string // the sandbox's address
	key        string
	database   string
	command    *exec.Cmd
	opened     time.Time // where the clock began
	houseStart time.Time // midnight of the evening
	speed      float64
}

// standstill is a speed at which the clock does not move in the time that pictures take.
const standstill = 1e-7

// openHouse starts a demonstration at four in the afternoon.
func openHouse(ctx context.Context, o options) (*house, error) {
	h := &house{opened: o.start.Add(16 * time.Hour), houseStart: o.start, speed: o.speed}
	if at, err := o.at(o.from); err == nil && o.evening && at.Before(h.opened) {
		return nil, fmt.Errorf("-from %s is before the clock of the evening begins, at %s", o.from, h.opened.Format("15:04"))
	}
	h.command = exec.CommandContext(ctx, o.program, "demo", "--listen", "127.0.0.1:0", "--seed", strconv.FormatUint(o.seed, 10),
		"--speed", strconv.FormatFloat(o.speed, 'g', -1, 64), "--start", h.opened.Format("2006-01-02 15:04"))
	h.command.Cancel = func() error { return h.command.Process.Signal(os.Interrupt) }
	h.command.WaitDelay = patience
	h.command.Stderr = os.Stderr
	out, err := h.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.command.Start(); err != nil {
		return nil, fmt.Errorf("start the demonstration: %w (make build makes it)", err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch word := strings.Fields(lines.Text()); {
		case len(word) == 2 && word[0] == "housecount":
			h.url = word[1]
		case len(word) == 3 && word[0] == "sandbox":
			h.service, h.key = word[1], word[2]
		case len(word) == 2 && word[0] == "database":
			h.database = word[1]
		case len(word) > 0 && word[0] == "login":
			return h, h.ready(ctx)
		}
	}
	return nil, errors.Join(errors.New("the demonstration did not say where it is"), h.command.Wait())
}

func (h *house) close() {
	if err := h.command.Cancel(); err == nil {
		h.command.Wait()
	}
}

// ready waits until the figures are there.
func (h *house) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if err := h.call(ctx, http.MethodGet, h.url+"/readyz", nil, nil); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the figures were not there after %s", patience)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// jump moves the clock on to at.
func (h *house) jump(ctx context.Context, at time.Time) error {
	truth, err := h.truth(ctx)
	if err != nil {
		return err
	}
	ahead := at.Sub(truth.AsOf)
	if ahead <= 0 {
		return nil
	}
	return h.call(ctx, http.MethodPost, h.service+"/sandbox/advance", map[string]float64{"seconds": ahead.Seconds()}, nil)
}

func (h *house) truth(ctx context.Context) (t sandbox.Truth, err error) {
	return t, h.call(ctx, http.MethodGet, h.service+"/sandbox/truth", nil, &t)
}

// performance is one that is worth a picture.
type performance struct {
	id, name, hall string
	tonight        bool
}

// events returns those of the evening, then one of each kind of trouble in the days after it.
func (h *house) events(ctx context.Context, at time.Time) ([]performance, error) {
	from := h.houseStart
	var page struct{ Data []record.Event }
	address := h.service + "/v2/events?per_page=500&from=" + from.Format(time.DateOnly) + "&to=" + from.AddDate(0, 0, 7).Format(time.DateOnly)
	if err := h.call(ctx, http.MethodGet, address, nil, &page); err != nil {
		return nil, err
	}
	var all []performance
	seen := map[string]bool{}
	for _, e := range page.Data {
		tonight := e.Date == from.Format(time.DateOnly)
		name := pathName(e.Hall)
		switch {
		case tonight:
		case e.Available != nil && *e.Available < 0:
			name = "oversold"
		case e.Status == record.EventCancelled, e.Status == record.EventPostponed:
			name = string(e.Status)
		case e.StartsAt.After(at) && e.Status == record.EventOnSale:
			name = "to-come"
		default:
			continue
		}
		if !seen[name] {
			seen[name] = true
			all = append(all, performance{e.ID, name, e.Hall, tonight})
		}
	}
	return all, nil
}

// call makes a request and decodes the answer into out.
func (h *house) call(ctx context.Context, method, address string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	q, err := http.NewRequestWithContext(ctx, method, address, &body)
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(address, h.service) && h.service != "" {
		q.Header.Set("Authorization", "Bearer "+h.key)
	}
	a, err := (&http.Client{Timeout: patience}).Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, cmp.Or(q.URL.Path, "/"), a.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(a.Body).Decode(out)
}

func query(s string) string { return url.QueryEscape(s) }
func lower(s string) string { return strings.Trim(strings.ToLower(s), "/") }
