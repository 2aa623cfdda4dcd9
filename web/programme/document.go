package programme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// The most that a programme may have.
const (
	MostViews   = 30
	MostSeconds = 60 * 60
	MostText    = 400 // bytes
)

// Fault is what is wrong with a programme.
type Fault struct {
	View  int    // which of its views, from 1; 0 for the whole
	Field string // the field's name in the document; empty for the whole
}

func (f *Fault) Error() string {
	if f.View == 0 {
		return fmt.Sprintf("programme: it has no views, or more than %d, or is no such document", MostViews)
	}
	return fmt.Sprintf("programme: view %d: %s is not valid", f.View, f.Field)
}

// Parse reads a programme as Document writes it, whose views show these pages. Its error is a
// *Fault.
func Parse(document []byte, pages []string) (Programme, error) {
	var p Programme
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || len(p.Views) == 0 || len(p.Views) > MostViews {
		return Programme{}, &Fault{}
	}
	if _, err := d.Token(); err != io.EOF {
		return Programme{}, &Fault{}
	}
	for i, v := range p.Views {
		for _, f := range []struct {
			field string
			valid bool
		}{
			{"page", slices.Contains(pages, v.Page)},
			{"event", len(v.Event) <= MostText},
			{"text", len(v.Text) <= MostText},
			{"seconds", v.Seconds >= int(shortest.Seconds()) && v.Seconds <= MostSeconds},
			{"days", !slices.ContainsFunc(v.When.Days, func(d int) bool { return d < 1 || d > 7 })},
			{"from", v.When.From.valid()},
			{"to", v.When.To.valid()},
			{"phase", slices.Contains([]Phase{"", Arriving, Running, Interval, InUse}, v.When.Phase)},
		} {
			if !f.valid {
				return Programme{}, &Fault{i + 1, f.field}
			}
		}
	}
	return p, nil
}

func (m Moment) valid() bool {
	_, clock := m.clock()
	return clock || slices.Contains([]Moment{"", FirstDoors, LastCurtain, LastEnd}, m)
}

// Document returns the programme as JSON.
func (p Programme) Document() []byte {
	b, _ := json.Marshal(p) // of texts and numbers
	return b
}
