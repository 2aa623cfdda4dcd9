package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
	"housecount/cmd/housecount/report"
)

// checkCommand asks a service what housecount would get from it.
type checkCommand struct {
	options.ServiceFlags  `embed:""`
	options.LoginFlags    `embed:""`
	options.DatabaseFlags `embed:""`
	options.SealFlags     `embed:""`

	Login   bool     `help:"Instead of the ticketing service: ask the provider whether staff can log in as configured."`
	Rows    int      `help:"Most rows to read of each list; 0 for all of them." default:"2000" check:"least 0"`
	Sample  []string `help:"Instead of asking the service: saved answers to run the profile over, printing the records that they give. The list's name may be left out where the file has it." sep:"none" placeholder:"[LIST=]FILE"`
	OpenAPI string   `name:"openapi" help:"Instead of asking for records: compare the profile with the service's OpenAPI document." placeholder:"URL|FILE"`
}

func (c checkCommand) Check(faults *options.Faults) {
	switch {
	case len(c.Sample) > 0 && c.OpenAPI != "":
		faults.Add("--sample and --openapi are two things: give one of them at a time")
	case c.Login:
		c.Address(faults)
		c.SignIn(faults)
	case len(c.Sample) == 0 && c.OpenAPI == "":
		c.Client(faults)
	}
}

// Run checks and prints what it found.
func (c checkCommand) Run(ctx context.Context, env environment) error {
	switch {
	case c.Login:
		return c.checkLogin(ctx, env)
	case len(c.Sample) > 0:
		return c.samples(env)
	case c.OpenAPI != "":
		return c.compare(ctx, env)
	}
	o := c.Client(new(options.Faults))
	if needsGrants(o) {
		db, grants, err := openGrants(ctx, c.DatabaseFlags, c.SealFlags, o)
		if err != nil {
			return err
		}
		defer db.Close()
		o.Grants = grants
	}
	client, err := options.NewClient(o)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	var all []*probe.Finding
	answered := false
	for _, s := range client.Streams() {
		f := c.examine(ctx, env.stderr, client, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		all = append(all, f)
		answered = answered || f.Err == nil
		if e, ok := errors.AsType[*apiclient.Error](f.Err); ok && failsEveryList(e) && !answered {
			break // the others would be refused in the same way
		}
	}
	fmt.Fprintf(env.stdout, "%s: %s\n\n", o.Profile.Name, o.Profile.About)
	return report.Write(env.stdout, all)
}

// examine examines a list and prints its progress.
func (c checkCommand) examine(ctx context.Context, w io.Writer, client *apiclient.Client, s apiclient.Stream) *probe.Finding {
	t := &progress{name: s.Name, w: w}
	t.tell("asking", 0)
	defer t.tellWaits(client)()
	return probe.Examine(ctx, client, s, c.Rows, func(f *probe.Finding) { t.tell(rowsRead(f), 3*time.Second) })
}

// failsEveryList reports whether a failure of one list means that the others fail in the same way.
func failsEveryList(e *apiclient.Error) bool {
	return slices.Contains([]apiclient.ErrorKind{apiclient.Unreachable, apiclient.Unauthorized, apiclient.Ungranted, apiclient.Unstored, apiclient.Slow, apiclient.Foreign}, e.Kind)
}

// progress prints the progress of examining a list.
type progress struct {
	name string
	mu   sync.Mutex // guards what follows
	w    io.Writer
	said time.Time // when it was last printed
}

// rowsRead returns in words how many rows of a list were read.
func rowsRead(f *probe.Finding) string {
	if f.Total >= 0 && f.Total != f.Rows {
		return fmt.Sprintf("%d of %d", f.Rows, f.Total)
	}
	return fmt.Sprint(f.Rows)
}

// tell prints progress, unless it has just done so.
func (t *progress) tell(what string, moment time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.said) < moment {
		return
	}
	t.said = time.Now()
	fmt.Fprintf(t.w, "%s: %s\n", t.name, what)
}

// tellWaits prints every ten seconds, until stop is called, what is being waited for.
func (t *progress) tellWaits(client *apiclient.Client) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			what := "waiting for an answer"
			if left := client.Paused(); left > 0 {
				what = fmt.Sprintf("waiting %s more, for a limit of requests", left.Round(time.Second))
			}
			t.tell(what, 10*time.Second)
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// samples applies the profile to saved answers and prints the records as JSON, one per line.
func (c checkCommand) samples(env environment) error {
	p, err := options.ReadProfile(c.Profile)
	if err != nil {
		return &options.Faults{List: []string{"--profile: " + err.Error()}}
	}
	var samples []profile.Sample
	given := map[string]bool{}
	for _, text := range c.Sample {
		list, file, named := strings.Cut(text, "=")
		if !named {
			file = text
			list, _, _ = strings.Cut(filepath.Base(file), ".")
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return &options.Faults{List: []string{"--sample: " + err.Error()}}
		}
		given[list] = true
		samples = append(samples, profile.Sample{Stream: list, Body: body})
	}
	came := probe.NewFields()
	out := json.NewEncoder(env.stdout)
	out.SetEscapeHTML(false)
	for r, err := range p.Sample(c.Var, samples) {
		refused, isRefused := errors.AsType[*record.Refusal](err)
		switch {
		case isRefused:
			came.Refuse(refused)
			continue
		case err != nil:
			fmt.Fprintf(env.stderr, "%v (a saved answer is given as --sample LIST=FILE)\n", err)
			return report.Unusable
		}
		came.Add(r)
		line := struct {
			Record record.Kind   `json:"record"`
			Fields record.Record `json:"fields"`
		}{r.RecordKind(), r}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	for list, needs := range p.Needs() { // first, as what follows may come of it
		for _, other := range needs {
			if given[list] && !given[other] {
				fmt.Fprintf(env.stderr, "%s needs the rows of %s: give --sample %s=FILE too\n", list, other, other)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(came.Records)) {
		fmt.Fprintf(env.stderr, "%d %s, never: %s\n", came.Records[kind], probe.Plural(kind), strings.Join(came.NeverFilled(kind), ", "))
	}
	for _, line := range came.Causes() {
		fmt.Fprintln(env.stderr, "refused:", line)
	}
	for _, line := range came.Unmapped() {
		fmt.Fprintln(env.stderr, "nobody has mapped", line)
	}
	figures := came.Lost(came.Records[record.KindScan] > 0)
	for _, line := range figures {
		fmt.Fprintln(env.stderr, "this costs:", line)
	}
	switch {
	case len(came.Records) == 0:
		return report.Unusable
	case len(came.Refused) > 0, len(came.Unknown) > 0, len(figures) > 0:
		return report.Degraded
	}
	return nil
}

// compare compares the profile with an OpenAPI document of the service, which is fetched without credentials.
func (c checkCommand) compare(ctx context.Context, env environment) error {
	p, err := options.ReadProfile(c.Profile)
	if err != nil {
		return &options.Faults{List: []string{"--profile: " + err.Error()}}
	}
	document, err := readDocument(ctx, c.OpenAPI)
	if err != nil {
		return &options.Faults{List: []string{"--openapi: " + err.Error()}}
	}
	differences, err := probe.Compare(p, document)
	if err != nil {
		return &options.Faults{List: []string{"--openapi: " + err.Error()}}
	}
	worse, lost := report.Verdict(0), 0
	for _, d := range differences {
		worse = report.Degraded
		if d.Lost {
			lost++
		}
		fmt.Fprintf(env.stdout, "%s: %s\n", d.Stream, d.Text)
	}
	if lists := p.Lists(); lost == len(lists) {
		worse = report.Unusable
	}
	if worse != 0 {
		return worse
	}
	fmt.Fprintf(env.stdout, "the document has every list, parameter and field that the profile %s reads\n", p.Name)
	return nil
}

// maxDocument is the largest document that is fetched, in bytes.
const maxDocument = 16 << 20

// readDocument reads a file, or fetches an address.
func readDocument(ctx context.Context, from string) ([]byte, error) {
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		return os.ReadFile(from)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address", options.Shown(from))
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}}
	a, err := client.Do(q)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address as it was given
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", options.Shown(from), err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", options.Shown(from), a.Status)
	}
	b, err := io.ReadAll(io.LimitReader(a.Body, maxDocument+1))
	if len(b) > maxDocument {
		return nil, fmt.Errorf("%s is larger than %d bytes", options.Shown(from), maxDocument)
	}
	return b, err
}
