package web

import (
	"encoding/json"
	"strconv"
)

type link struct {
	Href, Text string
	Current    bool
}

// numberRow is a row of numbers with their names.
type numberRow struct {
	ID   string
	List []named
	Text sentence // what they come to
	// Links lead to where what is missing can be set.
	Links []link
}

// facts stand side by side with points between them; where a line is full the next begins without one.
type facts []sentence

// factsOf are those of the sentences that say something.
func factsOf(all ...sentence) (f facts) {
	for _, s := range all {
		if len(s) > 0 {
			f = append(f, s)
		}
	}
	return f
}

type named struct {
	Term string
	Main num
	Note sentence
}

// caption is what a chart shows, in a sentence. An empty one hides its chart, one that is chartless
// that alone.
type caption struct {
	ID, Title string
	Text      sentence
	Key       key
	Chart     string // the id of the chart's element
	Label     string // the chart in words
	Empty     bool
	Chartless bool
}

// chart is a chart's element with its option.
type chart struct {
	ID, Label string
	Option    json.RawMessage
}

// chartOption is the part of it that is not seen.
type chartOption chart

// table is what a chart shows, in numbers.
type table struct {
	ID, Caption string
	Columns     []string
	Rows        []tableRow
}

type tableRow struct {
	Name  string
	Cells []num
}

// rowID is the id of a table's row. It is that of its place: rows that change places are two rows
// that differ, and are sent without the rest of the table.
func rowID(table string, place int) string { return table + "-" + strconv.Itoa(place) }
