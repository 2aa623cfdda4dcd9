package web

import "encoding/json"

type link struct {
	Href, Text string
	Current    bool
}

// numberRow is a row of numbers with their names.
type numberRow struct {
	ID   string
	List []named
}

type named struct {
	Term string
	Main num
	Note sentence
}

// caption is what a chart shows, in a sentence. An empty one hides its chart.
type caption struct {
	ID, Title string
	Text      sentence
	Key       key
	Chart     string // the id of the chart's element
	Label     string // the chart in words
	Empty     bool
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
	Cells []string
}
