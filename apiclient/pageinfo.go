package apiclient

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"housecount/apiclient/profile"
)

// pageInfo is what a response says about the list's other pages.
type pageInfo struct {
	bare bool // the body is only the list
	// link is the address of the next page in a Link header. linkReported reports whether the
	// header mentions pages at all.
	link         string
	linkReported bool
	// next is the address of the next page in the body, empty on the last page. nextReported
	// reports whether the body has a field for it.
	next         string
	nextReported bool
	// nextUnreadable reports that this field holds something that is no address.
	nextUnreadable bool
	// cursor is where the next page begins, empty on the last page. cursorName is the parameter to
	// send it in, empty if the body has no field for a cursor.
	cursor, cursorName string
	// more is nil if the response does not say whether there are more rows.
	more *bool
	// nextPage is the number of the next page, -1 on the last page, 0 if not reported.
	nextPage int
	// page and pages are the page's number and the number of pages, -1 if not reported. fromZero
	// reports that the response has the form of services that count pages from 0.
	page, pages int
	fromZero    bool
	// total and perPage are -1 if not reported.
	total, perPage int
	// lastID reports that the list continues after the id of its last row.
	lastID bool
}

// parsePageInfo reads what l and the response's header say about pages. rule names fields that
// differ from the usual ones.
func parsePageInfo(l *profile.List, header http.Header, rule profile.PagingRule) pageInfo {
	info := pageInfo{bare: l.Envelope == nil, page: -1, pages: -1, total: -1, perPage: -1}
	info.readLink(header.Values("Link"))
	if !info.bare {
		info.readEnvelope(l)
		info.applyRule(rule, l.Envelope)
	}
	return info
}

// applyRule reads the fields that rule names instead of the usual ones.
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

// readEnvelope reads the usual fields of the envelope around the list.
func (info *pageInfo) readEnvelope(l *profile.List) {
	meta, pagination, paged := object(l.Envelope["meta"]), object(l.Envelope["pagination"]), object(l.Envelope["page"])
	everywhere := []map[string]json.RawMessage{meta, pagination, l.Envelope}
	info.readContinuation(l, meta, pagination)
	if paged != nil {
		info.page, info.pages, info.fromZero = count(paged["number"]), count(paged["totalPages"]), true
	} else {
		info.page = firstCount(everywhere, "current_page", "page_number", "page")
		info.pages = firstCount(everywhere, "last_page", "page_count", "total_pages", "pages")
	}
	info.total = firstCount(everywhere, "total", "object_count", "total_count", "nbrofresults")
	if info.total < 0 {
		info.total = count(paged["totalElements"])
	}
	if info.total < 0 && l.Name == "results" {
		info.total = count(l.Envelope["count"]) // under another name it is the number of rows on the page
	}
	info.perPage = firstCount(everywhere, "per_page", "limit", "page_size", "pageSize")
	info.lastID = text(l.Envelope["object"]) == "list"
}

// readContinuation reads whether there are more rows, and the address, cursor or number of the next
// page.
func (info *pageInfo) readContinuation(l *profile.List, meta, pagination map[string]json.RawMessage) {
	for _, name := range []string{"has_more", "has_more_items"} {
		if info.more = boolean(firstMember(name, meta, pagination, l.Envelope)); info.more != nil {
			break
		}
	}

	for _, in := range []map[string]json.RawMessage{object(l.Envelope["links"]), object(l.Envelope["_links"]), l.Envelope, pagination} {
		if raw, ok := in["next"]; ok && info.readNext(raw) {
			break
		}
	}
	if l.Embedded && !info.nextReported && l.Envelope["_links"] != nil {
		info.nextReported = true // HAL omits the link on the last page
	}

	for _, place := range []struct {
		in          map[string]json.RawMessage
		name, param string
	}{
		{meta, "next_cursor", "cursor"}, {l.Envelope, "next_cursor", "cursor"}, {pagination, "next_cursor", "cursor"},
		{pagination, "continuation", "continuation"}, {l.Envelope, "next_page_starts_after", "start_after_id"},
	} {
		if raw, ok := place.in[place.name]; ok {
			if s := scalar(raw); s != "" || string(raw) == "null" || string(raw) == `""` {
				info.cursor, info.cursorName = s, place.param
				break
			}
		}
	}

	raw := firstMember("next_page", meta, pagination, l.Envelope)
	if n := count(raw); n > 0 {
		info.nextPage = n
	} else if string(raw) == "null" {
		info.nextPage = -1
	}
}

// firstMember returns the member called name of the first object that has one, nil if none has.
func firstMember(name string, objects ...map[string]json.RawMessage) json.RawMessage {
	for _, o := range objects {
		if raw, ok := o[name]; ok {
			return raw
		}
	}
	return nil
}

// firstCount returns the first count among the members of these names, by object and then by name;
// -1 if there is none.
func firstCount(objects []map[string]json.RawMessage, names ...string) int {
	for _, o := range objects {
		for _, name := range names {
			if n := count(o[name]); n >= 0 {
				return n
			}
		}
	}
	return -1
}

// readNext reads the address of the next page from a string, {"href": …} or null. It returns false
// for anything else.
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

// readLink reads the page relations of Link headers (RFC 8288).
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

// nextLink returns the index at which the parameters of a link end and another link follows, -1 if
// none does. Commas inside quotes are skipped.
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

// relations returns the words of the first rel parameter.
func relations(params string) []string {
	for _, p := range strings.Split(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.Fields(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return nil
}
