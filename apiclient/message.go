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

// explain finds what the body of a refusal says: at the dotted path, if that is not empty
// and leads to something, or in any of the usual forms; a body in none of them is returned
// as it is.
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

// explained is the message or detail of m after its code, empty when m has neither.
func messageWithCode(m map[string]json.RawMessage) string {
	s := cmp.Or(text(m["message"]), text(m["detail"]))
	if code := scalar(m["code"]); s != "" || code != "" && text(m["code"]) != "" {
		return joinNonEmpty(code, s)
	}
	return ""
}

func decodeAny(raw []byte) (v any) {
	_ = json.Unmarshal(raw, &v) // a part of what was read before
	return v
}

// leaves collects the first three texts in v with the names that they stand under,
// which is how {"errors": [{"message": …}]} and {"per_page": ["…"]} explain themselves.
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

// cleaner returns a function that makes text from outside fit for an error or a log:
// without what is not printable, without any of the secrets, at most maxMessage bytes.
func cleaner(secrets func() []string) func(string) string {
	return func(s string) string {
		s = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, strings.ToValidUTF8(s, " "))
		// After the mapping, which might otherwise put a secret together; before the cut,
		// which might leave a piece of one.
		for _, secret := range secrets() {
			for _, spelling := range spellings(secret) {
				s = strings.ReplaceAll(s, spelling, "[hidden]")
			}
		}
		return record.Cut(strings.TrimSpace(s), maxMessage)
	}
}

// spellings are the forms in which an echoed secret may come back.
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
	// The longest first: a short one may be a part of it.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}
