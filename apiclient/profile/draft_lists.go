package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"housecount/apiclient/record"
)

// draftList is a list of a draft: its rows, and what its members are, seen by themselves and beside the other lists.
type draftList struct {
	name     string
	rules    []string // that say where the rows are
	counters string   // rules of paging, for the numbers of rows and pages that stand beside the rows
	rows     []map[string]any
	kind     record.Kind

	own    []*column // of what becomes a record: of a row, or of what is in each
	id     *column   // of own
	each   string    // the path of what is in each row; empty if a row is a record
	around []*column // of the row, where each is set
	used   map[*column]bool
}

// findDraftList finds the rows of an answer, and the rules that say where they are.
func findDraftList(sample Sample) (*draftList, error) {
	l := &draftList{name: sample.Stream, used: map[*column]bool{}}
	found, err := l.find(sample.Body)
	if err != nil {
		return nil, err
	}
	const most = 500
	for _, raw := range found.Rows[:min(len(found.Rows), most)] {
		v, err := decodeAny(raw)
		if row, ok := v.(map[string]any); ok && err == nil && len(row) > 0 {
			l.rows = append(l.rows, row)
		}
	}
	if len(l.rows) == 0 {
		return nil, errors.New("the list is empty; save an answer with some rows")
	}
	l.own = columnsOf(l.rows, ".")
	return l, nil
}

func (l *draftList) find(body []byte) (*List, error) {
	if len(strings.TrimSpace(string(body))) == 0 {
		return nil, errors.New("the file is empty; save the answer of the service, with some rows")
	}
	found, err := Find(body, "", false)
	if err == nil {
		at := found.Name
		if found.Embedded {
			at = "_embedded." + at
		}
		if at != "" {
			l.rules = append(l.rules, "list: "+at)
		}
		return found, nil
	}
	if lines, err := findLines(body); err == nil && len(lines.Rows) > 1 {
		l.rules = []string{"format: lines"}
		return lines, nil
	}
	byKey, keyErr := Find(body, "", true)
	if keyErr != nil {
		return nil, fmt.Errorf("%w; save what the service answers as it comes, with nothing before or after it", err)
	}
	keyed := len(byKey.Rows) > 0 && !slices.ContainsFunc(byKey.Rows, func(raw []byte) bool { return len(raw) == 0 || raw[0] != '{' })
	if !keyed || len(byKey.Rows) == 1 || !alike(byKey.Rows) {
		if v, valueErr := decodeAny(body); valueErr == nil {
			if at := deepestList(v, "", 4); at.path != "" {
				if deep, deepErr := Find(body, at.path, false); deepErr == nil {
					l.rules, l.counters = []string{"list: " + at.path}, countersBeside(at)
					return deep, nil
				}
			}
		}
	}
	if !keyed {
		return nil, err
	}
	l.rules = []string{"each_key: true         # each member is a row; its name is .key"}
	return byKey, nil
}

// alike reports whether rows have a member in common, beside the key that each has.
func alike(rows [][]byte) bool {
	times := map[string]int{}
	for _, raw := range rows {
		v, _ := decodeAny(raw)
		row, _ := v.(map[string]any)
		for name := range row {
			times[name]++
		}
	}
	delete(times, "key")
	for _, n := range times {
		if n == len(rows) {
			return true
		}
	}
	return false
}

// listPlace is where an array of objects is.
type listPlace struct {
	path   string // dotted
	rows   int
	beside map[string]any // the object that it is a member of
}

var plainMember = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// deepestList returns the longest array of objects in the objects of v.
func deepestList(v any, at string, depth int) (best listPlace) {
	m, ok := v.(map[string]any)
	if !ok || depth == 0 {
		return best
	}
	for _, name := range sortedKeys(m) {
		if !plainMember.MatchString(name) {
			continue
		}
		path := strings.TrimPrefix(at+"."+name, ".")
		here := listPlace{}
		if rows, ok := m[name].([]any); ok {
			if len(rows) > 0 {
				if _, ok := rows[0].(map[string]any); ok {
					here = listPlace{path, len(rows), m}
				}
			}
		} else {
			here = deepestList(m[name], path, depth-1)
		}
		if here.rows > best.rows {
			best = here
		}
	}
	return best
}

var (
	totalNames = regexp.MustCompile(`^(total|count|nombre|aantal|anzahl|gesamt|totaal|totale|numero|ilosc|records|rows)`)
	pagesNames = regexp.MustCompile(`^(pages|lastpage|pagecount|totalpages|numpages|seiten|paginas|pagine|nombrepages|strony|stron)$`)
)

// countersBeside returns the rules for the numbers of rows and pages beside a list.
func countersBeside(at listPlace) (rules string) {
	before := at.path[:strings.LastIndex(at.path, ".")+1]
	done := map[string]bool{}
	for _, name := range sortedKeys(at.beside) {
		n, isNumber := at.beside[name].(json.Number)
		count, err := n.Int64()
		rule := ""
		switch {
		case !isNumber || err != nil || !plainMember.MatchString(name):
		case pagesNames.MatchString(plainName(name)):
			rule = "last"
		case totalNames.MatchString(plainName(name)) && count >= int64(at.rows):
			rule = "total"
		}
		if rule != "" && !done[rule] {
			done[rule] = true
			rules += ", " + rule + ": " + before + name
		}
	}
	return rules
}

// idNames match the name of a member that may identify a row, as the service writes it.
var idNames = regexp.MustCompile(`^(?i:id|guid|uuid|nr|no|num|number|numero|code|key|slug|ref|reference|barcode|(ticket|event|order|show|scan|line|seat)(id|nr|no))$|` +
	`^(id|no|nr|num|numero|code|ref)[A-Z_]|[a-z](I[dD]|N[rR]|N[oO]|Num|Code|Key|Uuid|UUID)$|_(?i:id|nr|no|num|code|key|uuid)$`)

// idsOf returns the columns that may identify the rows: those whose values all differ and which every row has, that
// have a fitting name, or else all of them.
func idsOf(columns []*column, rows int) []*column {
	var named, all []*column
	for _, c := range columns {
		if len(c.values) != rows || c.distinct() != rows || timesOf(c) != "" || slices.ContainsFunc(c.values, isNoID) {
			continue
		}
		all = append(all, c)
		if idNames.MatchString(c.path[strings.LastIndex(c.path, ".")+1:]) {
			named = append(named, c)
		}
	}
	if len(named) > 0 {
		return named[:1]
	}
	return all
}

func isNoID(v any) bool {
	text, ok := scalarOf(v)
	_, isBool := v.(bool)
	return !ok || isBool || text == "" || strings.ContainsAny(text, " ,") || hourText.MatchString(text)
}

// idOf returns the column that identifies the rows of a list: the one that other lists name most, of those that may be
// it, and that names none of theirs; nil without one.
func (d *draft) idOf(l *draftList, rows int) (id *column) {
	most := math.MinInt
	for _, c := range idsOf(l.own, rows) {
		named, ids := 0, c.ids()
		for _, other := range d.lists {
			if other != l && slices.ContainsFunc(other.own, func(o *column) bool { return o.amongst(ids, l.name, c.name) }) {
				named++
			}
			if other != l && slices.ContainsFunc(other.own, func(o *column) bool {
				return o.distinct() == len(o.values) && len(o.values) >= rows && c.amongst(o.ids(), other.name, o.name)
			}) {
				named--
			}
		}
		if named > most {
			id, most = c, named
		}
	}
	return id
}

// ids returns the values of a column.
func (c *column) ids() map[string]bool {
	ids := map[string]bool{}
	for _, v := range c.values {
		text, _ := scalarOf(v)
		ids[text] = true
	}
	return ids
}

// link finds what the rows of the lists are, and which of their members name rows of others.
func (d *draft) link() {
	for _, l := range d.lists {
		l.id = d.idOf(l, len(l.rows))
		l.kind = kindByName(l.name)
	}
	d.refer()
	for _, l := range d.lists {
		if l.kind == "" && !slices.ContainsFunc(l.own, func(c *column) bool { return c.refers != nil }) && d.referredTo(l) {
			l.kind = record.KindEvent
		}
	}
	for _, l := range d.lists {
		if l.kind == "" {
			l.kind = l.kindByMembers()
		}
	}
	for _, l := range d.lists {
		inner, each := nestedRows(l.kind, l.rows)
		if each == "" {
			continue
		}
		l.each, l.around, l.own = each, columnsOf(l.rows, "$row."), columnsOf(inner, ".")
		l.id = d.idOf(l, len(inner))
	}
	d.refer()
}

// refer finds the columns whose values are ids of another list. Short numbers are that by their name alone: they would
// be found in every list that is numbered.
func (d *draft) refer() {
	for _, to := range d.lists {
		if to.id == nil {
			continue
		}
		ids := to.id.ids()
		for _, l := range d.lists {
			if l == to {
				continue
			}
			for _, c := range slices.Concat(l.own, l.around) {
				if c != l.id && c.refers == nil && c.amongst(ids, to.name, to.id.name) {
					c.refers = to
				}
			}
		}
	}
}

// amongst reports whether at least half of a column's values are among the ids of a list, which has a name and one of
// its ids.
func (c *column) amongst(ids map[string]bool, list, id string) bool {
	found, short := 0, 0
	for _, v := range c.values {
		text, ok := scalarOf(v)
		if ok && ids[text] {
			found++
		}
		if len(text) < 3 {
			short++
		}
	}
	if found == 0 || found*2 < len(c.values) {
		return false
	}
	stem := plainName(list[:min(len(list), 4)])
	return short == 0 || strings.Contains(c.whole, stem) || c.name == id && len(c.name) > 4
}

func (d *draft) referredTo(to *draftList) bool {
	return slices.ContainsFunc(d.lists, func(l *draftList) bool {
		return slices.ContainsFunc(l.own, func(c *column) bool { return c.refers == to })
	})
}

// unused returns the paths of the members that the draft does not use.
func (l *draftList) unused(around []*column) (paths []string) {
	for _, c := range slices.Concat(l.own, around) {
		if !l.used[c] {
			paths = append(paths, c.path)
		}
	}
	return paths[:min(len(paths), 40)]
}

// column is what the rows have at a path.
type column struct {
	path   string     // as a jq program
	name   string     // of the last member, in lower case, without signs
	whole  string     // of all members on the way, likewise
	values []any      // that are not null
	refers *draftList // the list whose rows' ids its values are
}

// columnsOf returns the scalar members of rows, also those of objects in them, in the order of their
// paths, the shallow ones first.
func columnsOf(rows []map[string]any, before string) (all []*column) {
	byPath := map[string]*column{}
	var add func(m map[string]any, at string, depth int)
	add = func(m map[string]any, at string, depth int) {
		for name, v := range m {
			path := at + jqName(name)
			switch v := v.(type) {
			case map[string]any:
				if depth < 2 {
					add(v, path+".", depth+1)
				}
			case []any, nil:
			default:
				c := byPath[path]
				if c == nil {
					c = &column{path: path, name: plainName(name), whole: plainName(strings.TrimPrefix(path, "$row"))}
					byPath[path] = c
				}
				c.values = append(c.values, v)
			}
		}
	}
	for _, row := range rows {
		add(row, before, 0)
	}
	for _, c := range byPath {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *column) int {
		if n := strings.Count(a.path, ".") - strings.Count(b.path, "."); n != 0 {
			return n
		}
		return strings.Compare(a.path, b.path)
	})
	return all
}

// jqName returns a member's name as a jq program reads it.
func jqName(name string) string {
	if varName.MatchString(strings.ToLower(name)) {
		return name
	}
	quoted, _ := json.Marshal(name) // cannot fail for a string
	return string(quoted)
}

// plainName returns a name in lower case, without accents and signs.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, norm.NFD.String(strings.ToLower(strings.ReplaceAll(name, "ł", "l"))))
}

// nestedRows returns the objects of the array in which rows of orders hold their tickets, and its path; none
// if there is no such array.
func nestedRows(kind record.Kind, rows []map[string]any) (inner []map[string]any, path string) {
	if kind != record.KindTicket {
		return nil, ""
	}
	for _, row := range rows {
		for _, name := range sortedKeys(row) {
			list, ok := row[name].([]any)
			if !ok || path != "" && path != "."+jqName(name) || !nestedNames.MatchString(plainName(name)) {
				continue
			}
			for _, one := range list {
				if m, ok := one.(map[string]any); ok && len(m) > 0 {
					inner, path = append(inner, m), "."+jqName(name)
				}
			}
		}
	}
	return inner, path
}
