package sandbox

import (
	"encoding/json"
	"errors"
	"net/http"
)

// problem is an error with its HTTP status, served as RFC 9457 has it.
type problem struct {
	status int
	detail string
	errors []fieldError // of a body that was read
}

// fieldError is what is wrong with one field.
type fieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.detail }

func badRequest(detail string) error { return &problem{status: http.StatusBadRequest, detail: detail} }
func notFound(detail string) error   { return &problem{status: http.StatusNotFound, detail: detail} }
func conflict(detail string) error   { return &problem{status: http.StatusConflict, detail: detail} }

// writeProblem answers with a problem.
func writeProblem(w http.ResponseWriter, status int, detail string, errors ...fieldError) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(problemBody(status, detail, errors...))
}

func problemBody(status int, detail string, errors ...fieldError) []byte {
	body, _ := json.Marshal(struct { // strings and a number: cannot fail
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`

		Errors []fieldError `json:"errors,omitempty"`
	}{"about:blank", http.StatusText(status), status, detail, errors})
	return body
}

// writeError answers with err, which is a problem or our own mistake.
func writeError(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*problem](err); ok {
		writeProblem(w, p.status, p.detail, p.errors...)
		return
	}
	writeProblem(w, http.StatusInternalServerError, err.Error())
}

// writeJSON answers with v.
func writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.Write(body)
}

// allow refuses other methods than those named; it reports whether to go on.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	header := ""
	for _, m := range methods {
		if r.Method == m {
			return true
		}
		if header != "" {
			header += ", "
		}
		header += m
	}
	w.Header().Set("Allow", header)
	writeProblem(w, http.StatusMethodNotAllowed, "This address answers "+header+" only.")
	return false
}
