package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"housecount/apiclient/record"
)

// Draft returns a commented profile that begins from saved answers of a service. What it guesses (which
// member is the id, a time, an amount or a state) it says in comments; the result can be parsed.
// The error names an answer without a list.
func Draft(name, baseURL string, samples []Sample) ([]byte, error) {
	d := draft{times: map[string]bool{}, words: map[string]map[string]string{}}
	for _, sample := range samples {
		if !streamName.MatchString(sample.Stream) {
			return nil, fmt.Errorf("%.60q is no name of a list; give it as LIST=FILE, with lower case, digits, hyphens and underscores", sample.Stream)
		}
		if err := d.stream(sample); err != nil {
			return nil, fmt.Errorf("%s: %w", sample.Stream, err)
		}
	}
	text := d.profile(name, baseURL)
	if _, err := Parse(name+".yaml", text); err != nil {
		return nil, fmt.Errorf("no profile could be guessed from these answers: %w", err)
	}
	return text, nil
}

// draft collects what is guessed.
type draft struct {
	streams bytes.Buffer
	guesses []string // in words
	times   map[string]bool
	words   map[string]map[string]string // by field, then by the service's word; empty for a word that is not understood
	amounts bool                         // there are some
	major   bool                         // one of them has decimals
	comma   bool                         // one of them has a decimal comma
	money   bool                         // an amount has no currency beside it
}

func (d *draft) guess(format string, a ...any) {
	d.guesses = append(d.guesses, record.CleanText(fmt.Sprintf(format, a...)))
}

// stream guesses one list.
func (d *draft) stream(sample Sample) error {
	rule, rows, err := findDraftRows(sample)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("the list is empty; save an answer with some rows")
	}
	kind := d.kindOf(sample.Stream, rows)
	d.guess("each row of the list %s gives: %s", sample.Stream, kind)
	w := &d.streams
	fmt.Fprintf(w, "\n  - name: %s\n    path: %s              # where is it, below base_url?\n", sample.Stream, sample.Stream)
	for _, line := range rule {
		fmt.Fprintf(w, "    %s\n", line)
	}
	fmt.Fprintf(w, "    paging: {style: auto}   # found out by check; say it here once it is known\n")
	fmt.Fprintf(w, "    # since: {param: …}     # how changes are asked for; without it the list is always read whole\n")
	fmt.Fprintf(w, "    gives: [%s]\n    records: |\n", kind)
	inner, each := nestedRows(kind, rows)
	prefix := "      "
	if each != "" {
		d.guess("each row of %s holds its %ss in %s", sample.Stream, kind, each)
		fmt.Fprintf(w, "      . as $row\n      | $row%s[]?\n      | {\n", each)
		prefix = "          "
	} else {
		inner = rows
		fmt.Fprintf(w, "      {\n")
		prefix = "        "
	}
	fields := d.fields(kind, columnsOf(inner, "."), each != "", columnsOf(rows, "$row."))
	for i, f := range fields {
		comma := ","
		if i == len(fields)-1 {
			comma = ""
		}
		fmt.Fprintf(w, "%s%s: %s%s\n", prefix, f.name, f.value, comma)
	}
	fmt.Fprintf(w, "%s}\n", prefix[2:])
	return nil
}

// findDraftRows finds the rows of an answer, and the rules that say where they are.
func findDraftRows(sample Sample) (rules []string, rows []map[string]any, err error) {
	l, err := Find(sample.Body, "", false)
	if err == nil {
		if l.Name != "" {
			at := l.Name
			if l.Embedded {
				at = "_embedded." + at
			}
			rules = append(rules, "list: "+at)
		}
	} else if lines, lineErr := findLines(sample.Body); lineErr == nil && len(lines.Rows) > 1 {
		l, rules = lines, []string{"format: lines"}
	} else if byKey, keyErr := Find(sample.Body, "", true); keyErr == nil && len(byKey.Rows) > 0 && allObjects(byKey.Rows) {
		l, rules = byKey, []string{"each_key: true         # each member is a row; its name is .key"}
	} else {
		return nil, nil, err
	}
	const most = 500
	for _, raw := range l.Rows[:min(len(l.Rows), most)] {
		v, err := decodeAny(raw)
		if row, ok := v.(map[string]any); ok && err == nil && len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rules, rows, nil
}

func allObjects(rows [][]byte) bool {
	return !slices.ContainsFunc(rows, func(raw []byte) bool { return len(raw) == 0 || raw[0] != '{' })
}

// profile returns the text of the whole.
func (d *draft) profile(name, baseURL string) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# A first profile, guessed from saved answers. Look at every line; housecount profile test runs it over them.\n#\n# Guessed:\n")
	for _, g := range d.guesses {
		fmt.Fprintf(&w, "# - %s.\n", g)
	}
	fmt.Fprintf(&w, "name: %s\nabout: A first profile, guessed from saved answers.\nbase_url: %s\n", name, strconv.Quote(baseURL))
	fmt.Fprintf(&w, "# How is the key sent? bearer, header (with header, scheme or template), basic, query or hmac.\nauth: {kind: bearer}\n")
	if d.amounts {
		unit := "minor"
		if d.major || d.comma {
			unit = "major"
		}
		fmt.Fprintf(&w, "money:\n  unit: %-16s # 2450 is 24.50: minor; 24.5 or \"24.50\": major\n", unit)
		if d.comma {
			fmt.Fprintf(&w, "  decimal: comma\n")
		}
		if d.money {
			fmt.Fprintf(&w, "  currency: EUR          # no currency stands beside some amounts\n")
		}
		fmt.Fprintf(&w, "  # fee: included        # where price contains the buyer's fee\n")
	}
	d.timeRules(&w)
	if len(d.words) > 0 {
		fmt.Fprintf(&w, "words:\n")
		for _, field := range sortedKeys(d.words) {
			fmt.Fprintf(&w, "  %s:                    # %s\n", field, strings.Join(record.Vocabulary[field], ", "))
			for _, theirs := range sortedKeys(d.words[field]) {
				if ours := d.words[field][theirs]; ours != "" {
					fmt.Fprintf(&w, "    %s: %s\n", strconv.Quote(theirs), ours)
				} else {
					fmt.Fprintf(&w, "    # %s: …             # what does it mean?\n", strconv.Quote(theirs))
				}
			}
			if !slices.ContainsFunc(sortedKeys(d.words[field]), func(s string) bool { return d.words[field][s] != "" }) {
				fmt.Fprintf(&w, "    {}\n")
			}
		}
	}
	fmt.Fprintf(&w, "\nstreams:")
	w.Write(bytes.TrimSuffix(d.streams.Bytes(), []byte("\n")))
	w.WriteByte('\n')
	return w.Bytes()
}

// timeRules writes how times are written.
func (d *draft) timeRules(w *bytes.Buffer) {
	if len(d.times) == 0 {
		return
	}
	var formats []string
	zoned := true
	for _, f := range draftFormats { // the first that fits is tried first
		if d.times[f] {
			formats = append(formats, strconv.Quote(f))
			of, _ := newTimeFormat(f)
			zoned = zoned && (of.zoned || of.layout == "")
		}
	}
	fmt.Fprintf(w, "time:\n")
	if !zoned {
		fmt.Fprintf(w, "  zone: Europe/Amsterdam # the zone of times without one\n")
	}
	fmt.Fprintf(w, "  formats: [%s]\n", strings.Join(formats, ", "))
}

// column is what the rows have at a path.
type column struct {
	path   string // as a jq program
	name   string // of the last member, in lower case, without signs
	whole  string // of all members on the way, likewise
	values []any  // that are not null
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

func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
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
