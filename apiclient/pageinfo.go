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
	link         string
	linkReported bool
	// next is the address of the next page in the body, empty on the last one; nextSaid
	// says that the body has a place for it.
	next         string
	nextReported bool
	// nextOdd says that there is something in that pagePosition that is no address.
	nextUnreadable bool
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
	info := pageInfo{bare: l.Envelope == nil, page: -1, pages: -1, total: -1, perPage: -1}
	info.readLink(header.Values("Link"))
	if !info.bare {
		info.readEnvelope(l)
		info.applyRule(rule, l.Envelope)
	}
	return info
}

// applyRule reads the places that rule names instead of those where services usually tell.
func (info *pageInfo) applyRule(rule profile.PagingRule, envelope map[string]json.RawMessage) {
	if rule.Next != "" {
		raw := valueAt(envelope, rule.Next)
		if link := object(raw); link["href"] != nil {
			raw = link["href"]
		}
		info.next = text(raw)
		info.nextReported = info.next != "" || string(raw) == "null" || string(raw) == `""`
		info.nextUnreadable = !info.nextReported && raw != nil && !slices.Contains([]string{"false", "{}", "[]"}, string(raw))
	}
	if rule.Cursor != "" {
		info.cursor = scalar(valueAt(envelope, rule.Cursor))
	}
	if rule.More != "" {
		info.more = boolean(valueAt(envelope, rule.More))
	}
	if rule.Total != "" {
		info.total = count(valueAt(envelope, rule.Total))
	}
}

// readAround reads what is around the list, where services usually tell of pages.
func (info *pageInfo) readEnvelope(l *profile.List) {
	meta, pagination, paged := object(l.Envelope["meta"]), object(l.Envelope["pagination"]), object(l.Envelope["page"])
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
	everywhere := []map[string]json.RawMessage{meta, pagination, l.Envelope}

	for _, name := range []string{"has_more", "has_more_items"} {
		if raw, ok := at(name, everywhere...); ok {
			if info.more = boolean(raw); info.more != nil {
				break
			}
		}
	}

	for _, place := range []struct {
		in   map[string]json.RawMessage
		name string
	}{{object(l.Envelope["links"]), "next"}, {object(l.Envelope["_links"]), "next"}, {l.Envelope, "next"}, {pagination, "next"}} {
		if raw, ok := place.in[place.name]; ok && info.readNext(raw) {
			break
		}
	}
	if l.Embedded && !info.nextReported && l.Envelope["_links"] != nil {
		info.nextReported = true // HAL leaves a link out that leads nowhere
	}

	for _, place := range []struct {
		in          map[string]json.RawMessage
		name, param string
	}{
		{meta, "next_cursor", "cursor"}, {l.Envelope, "next_cursor", "cursor"}, {pagination, "next_cursor", "cursor"},
		{pagination, "continuation", "continuation"}, {l.Envelope, "next_page_starts_after", "start_after_id"},
	} {
		if raw, ok := place.in[place.name]; ok {
			var text json.RawMessage
			_ = json.Unmarshal(raw, &text)
			if s := scalar(text); s != "" || string(raw) == "null" || string(raw) == `""` {
				info.cursor, info.cursorName = s, place.param
				break
			}
		}
	}

	if raw, ok := at("next_page", meta, pagination, l.Envelope); ok {
		if n := count(raw); n > 0 {
			info.nextPage = n
		} else if string(raw) == "null" {
			info.nextPage = -1
		}
	}

	switch {
	case paged != nil:
		info.page, info.pages, info.fromZero = count(paged["number"]), count(paged["totalPages"]), true
	default:
		info.page = number(everywhere, "current_page", "page_number", "page")
		info.pages = number(everywhere, "last_page", "page_count", "total_pages", "pages")
	}
	info.total = number(everywhere, "total", "object_count", "total_count", "nbrofresults")
	if info.total < 0 {
		info.total = count(paged["totalElements"])
	}
	if info.total < 0 && l.Name == "results" {
		info.total = count(l.Envelope["count"]) // elsewhere it is the number of rows on the page
	}
	info.perPage = number(everywhere, "per_page", "limit", "page_size", "pageSize")
	info.lastID = text(l.Envelope["object"]) == "list"
}

// readNext takes the address of the next page from a text, from {"href": …}, or from
// null; it returns false for what is none of them.
func (info *pageInfo) readNext(raw json.RawMessage) bool {
	if link := object(raw); len(link) > 0 {
		raw = link["href"]
	}
	if string(raw) == "null" {
		info.next, info.nextReported = "", true
		return true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || s != "" && !strings.ContainsAny(s, "/?") {
		return false
	}
	info.next, info.nextReported = strings.TrimSpace(s), true
	return true
}

// readLink reads Link headers (RFC 8288) as far as they speak of pages.
func (info *pageInfo) readLink(values []string) {
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
					if info.link == "" {
						info.link = target
					}
					info.linkReported = true
				case "prev", "previous", "first", "last":
					info.linkReported = true
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
