package apiclient

import (
	"cmp"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"housecount/apiclient/record"
)

// maxMessage is the longest text from outside in an error, in bytes.
const maxMessage = 300

// errorMessage finds the message in the body of an error response: at the dotted path, if that is
// not empty and has one, or in one of the usual forms. Any other body is returned unchanged.
func errorMessage(body []byte, path string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return string(body)
	}
	if path != "" {
		if s := scalar(valueAt(m, path)); s != "" {
			return s
		}
	}
	// RFC 9457.
	title, detail := text(m["title"]), text(m["detail"])
	if title != "" {
		return joinNonEmpty(title, detail)
	}
	// OAuth 2.0, and {"error": {"code": …, "message": …}}.
	if s := text(m["error"]); s != "" {
		return joinNonEmpty(s, cmp.Or(text(m["error_description"]), text(m["message"])))
	}
	if s := messageWithCode(object(m["error"])); s != "" {
		return s
	}
	// {"message": …} and {"code": …, "message": …}, with or without {"errors": {"field": […]}}.
	if s := messageWithCode(m); s != "" {
		if fields := object(m["errors"]); fields != nil {
			s = joinNonEmpty(s, strings.Join(collectTexts(nil, "", decodeAny(m["errors"])), "; "))
		}
		return s
	}
	// {"errors": {"title": …, "detail": …}} and {"errors": [{"code": …, "message": …}]}.
	if inner := object(m["errors"]); text(inner["title"]) != "" {
		return joinNonEmpty(text(inner["title"]), text(inner["detail"]))
	}
	var several []map[string]json.RawMessage
	if json.Unmarshal(m["errors"], &several) == nil {
		var texts []string
		for _, one := range several[:min(len(several), 3)] {
			if s := messageWithCode(one); s != "" {
				texts = append(texts, s)
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, "; ")
		}
	}
	return strings.Join(collectTexts(nil, "", decodeAny(body)), "; ")
}

// messageWithCode returns the message or detail of m after its code, empty if m has neither.
func messageWithCode(m map[string]json.RawMessage) string {
	s := cmp.Or(text(m["message"]), text(m["detail"]))
	if code := scalar(m["code"]); s != "" || code != "" && text(m["code"]) != "" {
		return joinNonEmpty(code, s)
	}
	return ""
}

func decodeAny(raw []byte) (v any) {
	_ = json.Unmarshal(raw, &v) // part of a body that has been parsed
	return v
}

// collectTexts collects the first three strings in v with their member names, which is how
// {"errors": [{"message": …}]} and {"per_page": ["…"]} report errors.
func collectTexts(texts []string, name string, v any) []string {
	switch v := v.(type) {
	case string:
		if len(texts) < 3 && strings.TrimSpace(v) != "" {
			texts = append(texts, joinNonEmpty(name, strings.TrimSpace(v)))
		}
	case []any:
		for _, inner := range v {
			texts = collectTexts(texts, name, inner)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = collectTexts(texts, key, v[key])
		}
	}
	return texts
}

func joinNonEmpty(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

// cleaner returns a function that makes text from outside safe for an error or a log: printable,
// without secrets, at most maxMessage bytes.
func cleaner(secrets func() []string) func(string) string {
	return func(s string) string {
		s = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, strings.ToValidUTF8(s, " "))
		// After replacing characters, which could form a secret; before cutting, which could leave
		// part of one.
		for _, secret := range secrets() {
			for _, spelling := range spellings(secret) {
				s = strings.ReplaceAll(s, spelling, "[hidden]")
			}
		}
		return record.Cut(strings.TrimSpace(s), maxMessage)
	}
}

// spellings returns the forms in which a response may echo a secret.
func spellings(secret string) []string {
	if secret == "" {
		return nil
	}
	quoted, _ := json.Marshal(secret) // cannot fail for a string
	inner := string(quoted[1 : len(quoted)-1])
	all := []string{
		secret, inner, strings.ReplaceAll(inner, "/", `\/`), strings.ReplaceAll(secret, "/", `\/`),
		url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
	}
	// The longest first: a shorter one may be a part of it.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}
