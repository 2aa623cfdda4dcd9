package profile

import (
	"bytes"
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
		l, err := findDraftList(sample)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sample.Stream, err)
		}
		d.lists = append(d.lists, l)
	}
	d.link()
	for _, l := range d.lists {
		d.stream(l)
	}
	text := d.profile(name, baseURL)
	if _, err := Parse(name+".yaml", text); err != nil {
		return nil, fmt.Errorf("no profile could be guessed from these answers: %w", err)
	}
	return text, nil
}

// draft collects what is guessed.
type draft struct {
	lists   []*draftList
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

// stream writes one list.
func (d *draft) stream(l *draftList) {
	d.guess("each row of the list %s gives: %s", l.name, l.kind)
	w := &d.streams
	fmt.Fprintf(w, "\n  - name: %s\n    path: %s              # where is it, below base_url?\n", l.name, l.name)
	for _, line := range l.rules {
		fmt.Fprintf(w, "    %s\n", line)
	}
	fmt.Fprintf(w, "    paging: {style: auto}   # found out by check; say it here once it is known\n")
	if l.counters != "" {
		fmt.Fprintf(w, "    # paging: {style: page, param: page, size_param: size, size: 100%s}   # its page and size by your service's names\n", l.counters)
	}
	fmt.Fprintf(w, "    # since: {param: …}     # how changes are asked for, format: as in time; without it the list is always read whole\n")
	fmt.Fprintf(w, "    gives: [%s]\n    records: |\n", l.kind)
	prefix, around := "        ", []*column(nil)
	if l.each != "" {
		d.guess("each row of %s holds its %ss in %s", l.name, l.kind, l.each)
		fmt.Fprintf(w, "      . as $row\n      | $row%s[]?\n      | {\n", l.each)
		prefix, around = "          ", l.around
	} else {
		fmt.Fprintf(w, "      {\n")
	}
	fields, open := d.fields(l, around)
	for i, f := range fields {
		comma := ","
		if i == len(fields)-1 {
			comma = ""
		}
		fmt.Fprintf(w, "%s%s: %s%s\n", prefix, f.name, f.value, comma)
	}
	fmt.Fprintf(w, "%s}\n", prefix[2:])
	if len(open) > 0 {
		fmt.Fprintf(w, "%s# Not found: %s. Which is it?\n", prefix[2:], strings.Join(open, ", "))
	}
	if rest := l.unused(around); len(rest) > 0 {
		fmt.Fprintf(w, "%s# Not used: %s\n", prefix[2:], record.CleanText(strings.Join(rest, ", ")))
	}
}

// profile returns the text of the whole.
func (d *draft) profile(name, baseURL string) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# A first profile, guessed from saved answers. Look at every line; housecount profile test runs it over them.\n#\n# Guessed:\n")
	for _, g := range d.guesses {
		fmt.Fprintf(&w, "# - %s.\n", g)
	}
	fmt.Fprintf(&w, "name: %s\nabout: A first profile, guessed from saved answers.\nbase_url: %s\n", name, strconv.Quote(baseURL))
	fmt.Fprintf(&w, "# How is the key sent? bearer is \"Authorization: Bearer KEY\". Others, in place of it:\n")
	fmt.Fprintf(&w, "# auth: {kind: header, header: X-Api-Key}\n# auth: {kind: header, template: \"Token token={key}\"}   # of Authorization, unless header is given\n")
	fmt.Fprintf(&w, "# auth: {kind: query, param: api_key}\n# basic and hmac: see housecount help profile\nauth: {kind: bearer}\n")
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
	fmt.Fprintf(&w, "\n# A list that is asked for by POST, with the page and the time since in the body, has these lines in place of its own:\n")
	fmt.Fprintf(&w, "#   method: POST\n#   params: body\n#   body: '{}'             # what is always sent\n")
	fmt.Fprintf(&w, "#   paging: {style: page, param: page, size_param: size, size: 100}\n")
	fmt.Fprintf(&w, "#   since: {param: since, format: %s}\n", strconv.Quote(d.sinceFormat()))
	fmt.Fprintf(&w, "streams:")
	w.Write(bytes.TrimSuffix(d.streams.Bytes(), []byte("\n")))
	w.WriteByte('\n')
	return w.Bytes()
}

// sinceFormat returns how times with an hour are written, as far as that is known.
func (d *draft) sinceFormat() string {
	for _, f := range draftFormats {
		if d.times[f] && !isDay(f) {
			return f
		}
	}
	return "rfc3339"
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
