package faults

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is a fault that is active from the start until it is cleared.
type Fault struct {
	Kind   string
	Stream string // empty for every stream
	// Rate is the probability that a request is affected, more than 0 and at most 1. It is drawn from Setup.Draw
	// and the number of the request.
	Rate   float64
	Delay  time.Duration // of latency, clock-skew and late; a default when zero
	Status int           // of error only
}

// Parse reads a list like "latency=0.2:800ms,reset,unknown-status=0.05": kinds with their rates and delays.
// The default rate is 0.1, and 1 for clock-skew.
func Parse(text string) ([]Fault, error) {
	var list []Fault
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		rest, delay, hasDelay := strings.Cut(part, ":")
		kind, rate, hasRate := strings.Cut(rest, "=")
		x := Fault{Kind: kind, Rate: .1}
		if kind == "clock-skew" {
			x.Rate = 1
		}
		var err error
		if hasRate {
			if x.Rate, err = strconv.ParseFloat(rate, 64); err != nil {
				return nil, fmt.Errorf("fault %q: the rate %q is not a number", part, rate)
			}
		}
		if hasDelay {
			if x.Delay, err = time.ParseDuration(delay); err != nil {
				return nil, fmt.Errorf("fault %q: the delay %q is not a duration like 800ms", part, delay)
			}
		}
		if err := x.Check(nil); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// Check returns an error that names what is wrong with the fault. streams are the names of all streams.
func (x Fault) Check(streams []string) error {
	c := Call{Kind: x.Kind, Stream: x.Stream, For: 1, Status: x.Status, Rate: x.Rate, Delay: x.Delay.Seconds()}
	if x.Kind == "" || !(x.Rate > 0) {
		return fmt.Errorf("fault %q has rate %g: it must be a kind with a rate that is more than 0", x.Kind, x.Rate)
	}
	if problems := c.problems(streams); len(problems) > 0 {
		return fmt.Errorf("fault %q: %s", x.Kind, strings.Join(problems, "; "))
	}
	return nil
}

// kinds describes each kind of fault. No fault changes the stored records or Truth. Kinds marked "served"
// change what is reported about records; clients stay wrong until they read the records again.
var kinds = map[string]string{
	"stall":      "answers nothing until the fault ends, then as always",
	"latency":    "answers late, by half to one and a half times the delay",
	"error":      "answers with the given status; 500 unless given, with a rate one of 500, 502, 503 and 504",
	"rate-limit": "answers 429 with Retry-After",
	"storm":      "answers 429 to a row of 3 to 10 requests",
	"truncate":   "ends the JSON in the middle",
	"reset":      "resets the connection",
	"reset-body": "resets the connection in the middle of the body",
	"endless":    "answers with a body that never ends",
	"huge":       "answers with a body of 1 GB",
	"garbage":    "answers with something that is not JSON",
	"loop":       "answers with page 1 whatever page was asked for",
	"clock-skew": "sends a Date that is off by the delay, which may be negative",
	"duplicate":  "begins a page with the last row of the page before",
	"late":       "reports changes up to the delay late, each by a time of its own, as from a copy; a list is late from its first page on",
	"shift":      "moves the pages after the first on by a row, as if one had come in front; not those by cursor",

	"vanish":         "served: leaves a row out, answers 404 for a single record",
	"test-record":    "served: adds a row that is not in the books, with test true and an id that ends in _test",
	"unknown-status": "served: gives rows a status that nobody knows",
	"absent":         "served: leaves out a field of rows, never one that all services report",
	"null":           "served: reports null for a field of rows, never one that all services report",
}

// Kinds lists the kinds of fault, in alphabetical order.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Default delays.
const (
	defaultLatency = time.Second
	defaultSkew    = 5 * time.Minute
	defaultLate    = 90 * time.Second
)

// MaxLate is the longest delay of the fault late.
const MaxLate = 10 * time.Minute

// Call sets or clears faults: the body of /sandbox/fault.
type Call struct {
	Kind   string  `json:"kind"`
	Stream string  `json:"stream"`
	For    float64 `json:"for"` // real seconds; 0 clears
	Status int     `json:"status"`
	Every  int     `json:"every"`
	Rate   float64 `json:"rate"`  // instead of every
	Delay  float64 `json:"delay"` // seconds, of latency, clock-skew and late
}

// problems returns everything that is wrong with a call.
func (c Call) problems(streams []string) []string {
	var problems []string
	if _, known := kinds[c.Kind]; !known && (c.Kind != "" || c.For != 0) {
		problems = append(problems, fmt.Sprintf("kind must be one of %s, not %q", strings.Join(Kinds(), ", "), c.Kind))
	}
	if c.Stream != "" && !slices.Contains(streams, c.Stream) {
		problems = append(problems, fmt.Sprintf("stream must be %s or left out, not %q", strings.Join(streams, ", "), c.Stream))
	}
	if !(c.For >= 0 && c.For <= 86400) {
		problems = append(problems, "for must be from 0 to 86400 seconds")
	}
	if c.Status != 0 && (c.Status < 400 || c.Status > 599) {
		problems = append(problems, "status must be from 400 to 599")
	}
	if c.Every < 0 {
		problems = append(problems, "every must not be negative")
	}
	if !(c.Rate >= 0 && c.Rate <= 1) {
		problems = append(problems, "rate must be from 0 to 1")
	}
	if !(c.Delay >= -86400 && c.Delay <= 86400) || c.Delay < 0 && c.Kind != "clock-skew" {
		problems = append(problems, "delay must be from 0 to 86400 seconds, that of clock-skew from -86400")
	}
	if c.Kind == "late" && c.Delay > MaxLate.Seconds() {
		problems = append(problems, fmt.Sprintf("delay of late must be at most %g seconds", MaxLate.Seconds()))
	}
	return problems
}
