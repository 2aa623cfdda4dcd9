package apiclient

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"housecount/apiclient/profile"
)

// pageInfo is what an answer says about the list that it is a part of.
type pageInfo struct {
	bare bool // nothing but the list
	// link is the address of the next page in a Link header; linked says that the header
	// spoke of pages at all.
	link   string
	linked bool
	// next is the address of the next page in the body, empty on the last one; nextSaid
	// says that the body has a place for it.
	next     string
	nextSaid bool
	// nextOdd says that there is something in that pagePosition that is no address.
	nextOdd bool
	// cursor is where the next page begins, empty on the last one; cursorName is the
	// parameter to send it by, empty when the body has no place for one.
	cursor, cursorName string
	// more is nil when the answer does not say whether there is more.
	more *bool
	// nextPage is the number of the next page, -1 on the last one, 0 when not said.
	nextPage int
	// page and pages are the page's number and their count, -1 when not said; fromZero
	// says that they are counted as services do that count pages from 0.
	page, pages int
	fromZero    bool
	// total and perPage are -1 when not said.
	total, perPage int
	// lastID says that the list goes on after the id of its last row.
	lastID bool
}

// parsePageInfo takes what l and the answer's header say about pages, where rule says if it does.
func parsePageInfo(l *profile.List, header http.Header, rule profile.PagingRule) pageInfo {
	t := pageInfo{bare: l.Around == nil, page: -1, pages: -1, total: -1, perPage: -1}
	t.readLink(header.Values("Link"))
	if !t.bare {
		t.readAround(l)
		t.applyRule(rule, l.Around)
	}
	return t
}

// applyRule reads the places that rule names instead of those where services usually tell.
func (t *pageInfo) applyRule(rule profile.PagingRule, around map[string]json.RawMessage) {
	if rule.Next != "" {
		raw := pluck(around, rule.Next)
		if link := object(raw); link["href"] != nil {
			raw = link["href"]
		}
		t.next = text(raw)
		t.nextSaid = t.next != "" || string(raw) == "null" || string(raw) == `""`
		t.nextOdd = !t.nextSaid && raw != nil && !slices.Contains([]string{"false", "{}", "[]"}, string(raw))
	}
	if rule.Cursor != "" {
		t.cursor = scalar(pluck(around, rule.Cursor))
	}
	if rule.More != "" {
		t.more = truth(pluck(around, rule.More))
	}
	if rule.Total != "" {
		t.total = count(pluck(around, rule.Total))
	}
}

// readAround reads what is around the list, where services usually tell of pages.
func (t *pageInfo) readAround(l *profile.List) {
	meta, pagination, paged := object(l.Around["meta"]), object(l.Around["pagination"]), object(l.Around["page"])
	// at looks for a name in the places where a list speaks of its pages.
	at := func(name string, in ...map[string]json.RawMessage) (json.RawMessage, bool) {
		for _, m := range in {
			if raw, ok := m[name]; ok {
				return raw, true
			}
		}
		return nil, false
	}
	number := func(in []map[string]json.RawMessage, names ...string) int {
		for _, m := range in {
			for _, name := range names {
				if n := count(m[name]); n >= 0 {
					return n
				}
			}
		}
		return -1
	}
	everywhere := []map[string]json.RawMessage{meta, pagination, l.Around}

	for _, name := range []string{"has_more", "has_more_items"} {
		if raw, ok := at(name, everywhere...); ok {
			if t.more = truth(raw); t.more != nil {
				break
			}
		}
	}

	for _, place := range []struct {
		in   map[string]json.RawMessage
		name string
	}{{object(l.Around["links"]), "next"}, {object(l.Around["_links"]), "next"}, {l.Around, "next"}, {pagination, "next"}} {
		if raw, ok := place.in[place.name]; ok && t.readNext(raw) {
			break
		}
	}
	if l.Embedded && !t.nextSaid && l.Around["_links"] != nil {
		t.nextSaid = true // HAL leaves a link out that leads nowhere
	}

	for _, place := range []struct {
		in          map[string]json.RawMessage
		name, param string
	}{
		{meta, "next_cursor", "cursor"}, {l.Around, "next_cursor", "cursor"}, {pagination, "next_cursor", "cursor"},
		{pagination, "continuation", "continuation"}, {l.Around, "next_page_starts_after", "start_after_id"},
	} {
		if raw, ok := place.in[place.name]; ok {
			var text json.RawMessage
			_ = json.Unmarshal(raw, &text)
			if s := scalar(text); s != "" || string(raw) == "null" || string(raw) == `""` {
				t.cursor, t.cursorName = s, place.param
				break
			}
		}
	}

	if raw, ok := at("next_page", meta, pagination, l.Around); ok {
		if n := count(raw); n > 0 {
			t.nextPage = n
		} else if string(raw) == "null" {
			t.nextPage = -1
		}
	}

	switch {
	case paged != nil:
		t.page, t.pages, t.fromZero = count(paged["number"]), count(paged["totalPages"]), true
	default:
		t.page = number(everywhere, "current_page", "page_number", "page")
		t.pages = number(everywhere, "last_page", "page_count", "total_pages", "pages")
	}
	t.total = number(everywhere, "total", "object_count", "total_count", "nbrofresults")
	if t.total < 0 {
		t.total = count(paged["totalElements"])
	}
	if t.total < 0 && l.Name == "results" {
		t.total = count(l.Around["count"]) // elsewhere it is the number of rows on the page
	}
	t.perPage = number(everywhere, "per_page", "limit", "page_size", "pageSize")
	t.lastID = text(l.Around["object"]) == "list"
}

// readNext takes the address of the next page from a text, from {"href": …}, or from
// null; it returns false for what is none of them.
func (t *pageInfo) readNext(raw json.RawMessage) bool {
	if link := object(raw); len(link) > 0 {
		raw = link["href"]
	}
	if string(raw) == "null" {
		t.next, t.nextSaid = "", true
		return true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || s != "" && !strings.ContainsAny(s, "/?") {
		return false
	}
	t.next, t.nextSaid = strings.TrimSpace(s), true
	return true
}

// readLink reads Link headers (RFC 8288) as far as they speak of pages.
func (t *pageInfo) readLink(values []string) {
	for _, v := range values {
		for {
			start := strings.IndexByte(v, '<')
			if start < 0 {
				break
			}
			end := strings.IndexByte(v[start:], '>')
			if end < 0 {
				break
			}
			target := v[start+1 : start+end]
			v = v[start+end+1:]
			params := v
			if i := nextLink(v); i >= 0 {
				params, v = v[:i], v[i:]
			} else {
				v = ""
			}
			for _, rel := range relations(params) {
				switch strings.ToLower(rel) {
				case "next":
					if t.link == "" {
						t.link = target
					}
					t.linked = true
				case "prev", "previous", "first", "last":
					t.linked = true
				}
			}
		}
	}
}

// nextLink is where the parameters of a link end and another link follows, -1 when none
// does. A comma within quotes ends nothing.
func nextLink(v string) int {
	inQuotes := false
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '\\' && inQuotes:
			i++
		case v[i] == '"':
			inQuotes = !inQuotes
		case v[i] == ',' && !inQuotes:
			return i
		}
	}
	return -1
}

// relations are the words of the first rel parameter.
func relations(params string) []string {
	for _, p := range strings.Split(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.Fields(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return nil
}
