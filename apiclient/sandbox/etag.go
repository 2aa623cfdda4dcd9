package sandbox

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
)

// tagOf is an entity tag for what was made of the parts. It holds within one run of the
// sandbox: edition is random.
func (s *Sandbox) tagOf(parts ...any) string {
	h := fnv.New128a()
	fmt.Fprint(h, s.edition)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%v", p)
	}
	return fmt.Sprintf(`W/"%x"`, h.Sum(nil))
}

// unchanged sets the tag of an answer and says that the client has it already, which it
// then has been told (RFC 9110, 13.1.2).
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Vary", "Authorization")
	for _, line := range r.Header.Values("If-None-Match") {
		for known := range strings.SplitSeq(line, ",") {
			known = strings.TrimSpace(known)
			if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
				w.WriteHeader(http.StatusNotModified)
				return true
			}
		}
	}
	return false
}
