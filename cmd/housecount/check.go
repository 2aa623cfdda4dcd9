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
)

// checkCommand asks a service what housecount would get from it.
type checkCommand struct {
	serviceFlags `embed:""`

	Rows    int      `help:"Most rows to read of each list; 0 for all of them." default:"2000"`
	Sample  []string `help:"Instead of asking the service: saved answers to run the profile over, printing the records that they give. The list's name may be left out where the file has it." sep:"none" placeholder:"[LIST=]FILE"`
	OpenAPI string   `name:"openapi" help:"Instead of asking for records: compare the profile with the service's OpenAPI document." placeholder:"URL|FILE"`
}

// verdict is what a check came to, as an exit code: all well, degraded or unusable.
type verdict int

func (v verdict) Error() string {
	if v == exitUsage {
		return "unusable: nothing can be shown from this service as it is configured"
	}
	return "degraded: the service can be used, without what is said above"
}

// Run checks and prints what it found.
func (c checkCommand) Run(ctx context.Context, env environment) error {
	if len(c.Sample) > 0 && c.OpenAPI != "" {
		return &configError{[]string{"--sample and --openapi are two things: give one of them at a time"}}
	}
	switch {
	case len(c.Sample) > 0:
		return c.samples(env)
	case c.OpenAPI != "":
		return c.compare(ctx, env)
	}
	var faults configError
	o := c.settle(&faults)
	if c.Rows < 0 {
		faults.add("--rows must be at least 0, not %d", c.Rows)
	}
	if err := faults.orNil(); err != nil {
		return err
	}
	client, err := newClient(o)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	var all []*finding
	answered := false
	for _, s := range client.Streams() {
		f := &finding{stream: s, progress: env.stderr, total: -1, came: newFields()}
		f.ask(ctx, client, c.Rows)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		all = append(all, f)
		answered = answered || f.err == nil
		if e, ok := errors.AsType[*apiclient.Error](f.err); ok && hopeless(e) && !answered {
			break // the others would be refused in the same way
		}
	}
	fmt.Fprintf(env.stdout, "%s: %s\n\n", o.Profile.Name, o.Profile.About)
	return report(env.stdout, all)
}

// hopeless says that a failure is not one of a single list.
func hopeless(e *apiclient.Error) bool {
	return slices.Contains([]apiclient.ErrorKind{apiclient.Unreachable, apiclient.Unauthorized, apiclient.Slow, apiclient.Foreign}, e.Kind)
}

// finding is what one list of the service came to.
type finding struct {
	stream   apiclient.Stream
	progress io.Writer
	telling  sync.Mutex // guards progress and said
	said     time.Time  // when progress was last told

	err error // that ended the reading; nil for none
	// rows were read of total, -1 when not told; whole says that there are no more.
	rows, total int
	whole       bool
	pages       int
	paging      profile.Paging
	took        time.Duration // the longest answer
	limits      []string
	skew        time.Duration
	updated     []time.Time
	filter      filter
	came        *fields
}

// filter is what became of the question for changes.
type filter string

const (
	filterHonoured filter = "can be asked for"
	filterIgnored  filter = "question ignored" // the service gives everything
	filterNone     filter = "none"             // the profile has no question for them
	filterUntold   filter = "not seen"
)

// ask reads a list as far as about limit rows, 0 for all, and then its changes.
func (f *finding) ask(ctx context.Context, client *apiclient.Client, limit int) {
	f.tell("asking", 0)
	defer f.tellWaits(client)()
	reading, stop := context.WithCancel(ctx)
	defer stop()
	enough := false
	for r, err := range client.Read(reading, f.stream.Name, apiclient.Query{OnPage: func(p apiclient.Page) {
		// What was enough shows only when the page after it has come, perhaps without a record.
		if enough = limit > 0 && f.rows >= limit; enough {
			stop()
			return
		}
		f.page(p)
	}}) {
		if enough {
			break
		}
		if f.err = f.note(r, err); f.err != nil {
			return
		}
	}
	f.askForChanges(ctx, client)
}

// page notes what an answer said about itself.
func (f *finding) page(p apiclient.Page) {
	f.rows += p.Rows
	f.pages++
	f.total, f.whole, f.skew = p.Total, p.Resume == "", p.Skew
	if f.paging == "" || !f.whole { // what showed how to go on, and not only where the end is
		f.paging = p.Style
	}
	f.took = max(f.took, p.Took)
	for _, family := range p.Limits {
		if !slices.Contains(f.limits, family) {
			f.limits = append(f.limits, family)
		}
	}
	f.tell(f.read(), 3*time.Second)
}

// read is how much was read.
func (f *finding) read() string {
	if f.total >= 0 && f.total != f.rows {
		return fmt.Sprintf("%d of %d", f.rows, f.total)
	}
	return fmt.Sprint(f.rows)
}

// tell tells progress, unless it did a moment ago.
func (f *finding) tell(what string, moment time.Duration) {
	f.telling.Lock()
	defer f.telling.Unlock()
	if time.Since(f.said) < moment {
		return
	}
	f.said = time.Now()
	fmt.Fprintf(f.progress, "%s: %s\n", f.stream.Name, what)
}

// tellWaits tells every ten seconds without another word, until stop, what is waited for.
func (f *finding) tellWaits(client *apiclient.Client) (stop func()) {
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
			f.tell(what, 10*time.Second)
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// note takes what was yielded; an error is one that ended the reading.
func (f *finding) note(r record.Record, err error) error {
	refused, isRefused := errors.AsType[*record.Refusal](err)
	switch {
	case isRefused:
		f.came.refuse(refused)
	case err != nil:
		return err
	default:
		f.came.add(r)
		if at := r.RecordUpdated(); !at.IsZero() {
			f.updated = append(f.updated, at)
		}
	}
	return nil
}

// askForChanges asks for what changed after most of what was read, and sees whether
// something older comes.
func (f *finding) askForChanges(ctx context.Context, client *apiclient.Client) {
	slices.SortFunc(f.updated, time.Time.Compare)
	f.filter = filterUntold
	switch {
	case f.stream.Since == "":
		f.filter = filterNone
		return
	case len(f.updated) == 0 || f.updated[0].Equal(f.updated[len(f.updated)-1]):
		return
	}
	since := f.updated[len(f.updated)*9/10]
	if since.Equal(f.updated[0]) {
		since = f.updated[len(f.updated)-1]
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	pages := 0
	for _, err := range client.Read(reading, f.stream.Name, apiclient.Query{UpdatedSince: since, OnPage: func(p apiclient.Page) {
		if pages++; pages > 1 {
			stop() // the page may hold no record
		}
		switch {
		case p.Unfiltered:
			f.filter = filterIgnored
		case p.Rows > 0 && f.filter == filterUntold:
			f.filter = filterHonoured
		}
	}}) {
		if pages > 1 || f.filter == filterIgnored {
			return
		}
		if _, isRefused := errors.AsType[*record.Refusal](err); err != nil && !isRefused {
			f.err = err
			return
		}
	}
}

// samples runs the profile over saved answers and prints the records as JSON, one a line.
func (c checkCommand) samples(env environment) error {
	p, err := readProfile(c.Profile)
	if err != nil {
		return &configError{[]string{"--profile: " + err.Error()}}
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
			return &configError{[]string{"--sample: " + err.Error()}}
		}
		given[list] = true
		samples = append(samples, profile.Sample{Stream: list, Body: body})
	}
	came := newFields()
	out := json.NewEncoder(env.stdout)
	out.SetEscapeHTML(false)
	for r, err := range p.Sample(c.Var, samples) {
		refused, isRefused := errors.AsType[*record.Refusal](err)
		switch {
		case isRefused:
			came.refuse(refused)
			continue
		case err != nil:
			fmt.Fprintf(env.stderr, "%s (a saved answer is given as --sample LIST=FILE)\n", strings.TrimPrefix(err.Error(), "apiclient: "))
			return verdict(exitUsage)
		}
		came.add(r)
		line := struct {
			Record record.Kind   `json:"record"`
			Fields record.Record `json:"fields"`
		}{r.RecordKind(), r}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(came.records)) {
		fmt.Fprintf(env.stderr, "%d %s, never: %s\n", came.records[kind], plural(kind), strings.Join(came.never(kind), ", "))
	}
	for _, line := range came.causes() {
		fmt.Fprintln(env.stderr, "refused:", line)
	}
	for _, line := range came.unmapped() {
		fmt.Fprintln(env.stderr, "nobody has mapped", line)
	}
	figures := came.lost(came.records[record.KindScan] > 0)
	for _, line := range figures {
		fmt.Fprintln(env.stderr, "this costs:", line)
	}
	for list, needs := range p.Needs() {
		for _, other := range needs {
			if given[list] && !given[other] {
				fmt.Fprintf(env.stderr, "%s needs the rows of %s: give --sample %s=FILE too\n", list, other, other)
			}
		}
	}
	switch {
	case len(came.records) == 0:
		return verdict(exitUsage)
	case len(came.refused) > 0, len(came.unknown) > 0, len(figures) > 0:
		return verdict(exitFailed)
	}
	return nil
}

// compare holds the profile against a document of the service, which is fetched without any
// credential.
func (c checkCommand) compare(ctx context.Context, env environment) error {
	p, err := readProfile(c.Profile)
	if err != nil {
		return &configError{[]string{"--profile: " + err.Error()}}
	}
	document, err := readDocument(ctx, c.OpenAPI)
	if err != nil {
		return &configError{[]string{"--openapi: " + err.Error()}}
	}
	differences, err := probe.Compare(p, document)
	if err != nil {
		return &configError{[]string{"--openapi: " + err.Error()}}
	}
	worse, lost := exitOK, 0
	for _, d := range differences {
		worse = exitFailed
		if d.Lost {
			lost++
		}
		fmt.Fprintf(env.stdout, "%s: %s\n", d.Stream, d.Text)
	}
	if lists := p.Lists(); lost == len(lists) {
		worse = exitUsage
	}
	if worse != exitOK {
		return verdict(worse)
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
		return nil, fmt.Errorf("%q is not an address", shown(from))
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}}
	a, err := client.Do(q)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address as it was given
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(from), err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", shown(from), a.Status)
	}
	b, err := io.ReadAll(io.LimitReader(a.Body, maxDocument+1))
	if len(b) > maxDocument {
		return nil, fmt.Errorf("%s is larger than %d bytes", shown(from), maxDocument)
	}
	return b, err
}
