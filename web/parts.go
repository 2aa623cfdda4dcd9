package web

import (
	"encoding/json"
	"strconv"

	"housecount/web/charts"
)

type Link struct {
	Href, Text string
	Current    bool
}

// NumberRow is a row of numbers with their names.
type NumberRow struct {
	ID   string
	List []Named
	Text sentence // the result of the formula
	// Links lead to the settings that are missing.
	Links []Link
}

// Facts are sentences side by side, separated by points; a new line begins without a point.
type Facts []sentence

// Named is a number with its name and a note.
type Named struct {
	Term string
	Main num
	Note sentence
}

// Caption is the text of a chart. An empty one hides its chart; a chartless one hides the drawing alone.
type Caption struct {
	ID, Title string
	Side      sentence // beside the title
	Text      sentence
	Key       charts.Key
	Chart     string // the id of the chart's element
	Label     string // the chart in words
	Empty     bool
	Chartless bool
	Bad       bool // Side says what is bad
}

// chart is a chart's element with its option.
type chart struct {
	ID, Label string
	Option    json.RawMessage
}

// chartOption renders the option of a chart as JSON for the page's script.
type chartOption chart

// Table is the data of a chart as numbers.
type Table struct {
	ID, Caption string
	Label       string // for screen readers, where another table of the page has the same caption
	Columns     []string
	Rows        []TableRow
}

// TableRow is a row of a Table.
type TableRow struct {
	Name  string
	Cells []num
}

// RowID returns the element id of a table's row by its place: if two rows change places, these two are sent
// and not the whole table.
func RowID(table string, place int) string { return table + "-" + strconv.Itoa(place) }

// Head is a page's title and the view in a sentence or two.
type Head struct {
	Title string
	Name  bool // the title is outside text
	When  sentence
	Text  sentence
	Links []Link
	Parts []Link // of the page, each with an address of its own
}
