package idp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Bearer returns the token of a request, empty for none.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func RefuseToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox", error="invalid_token"`)
	WriteProblem(w, http.StatusUnauthorized, "The bearer token is not known, not for this service, has expired or was revoked.")
}

// Problem is an error with its HTTP status, served as RFC 9457 has it.
type Problem struct {
	Status int
	Detail string
	Errors []FieldError // of a body that was read
}

// FieldError is what is wrong with one field.
type FieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return p.Detail }

func BadRequest(detail string) error { return &Problem{Status: http.StatusBadRequest, Detail: detail} }

func NotFound(detail string) error { return &Problem{Status: http.StatusNotFound, Detail: detail} }

func Conflict(detail string) error { return &Problem{Status: http.StatusConflict, Detail: detail} }

// WriteProblem answers with a problem.
func WriteProblem(w http.ResponseWriter, status int, detail string, errors ...FieldError) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(ProblemBody(status, detail, errors...))
}

func ProblemBody(status int, detail string, errors ...FieldError) []byte {
	body, _ := json.Marshal(struct { // strings and a number: cannot fail
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`

		Errors []FieldError `json:"errors,omitempty"`
	}{"about:blank", http.StatusText(status), status, detail, errors})
	return body
}

// WriteError answers with err, which is a problem or our own mistake.
func WriteError(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*Problem](err); ok {
		WriteProblem(w, p.Status, p.Detail, p.Errors...)
		return
	}
	WriteProblem(w, http.StatusInternalServerError, err.Error())
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		WriteError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.Write(body)
}

// Allow refuses other methods than those named; it reports whether to go on.
func Allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
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
	WriteProblem(w, http.StatusMethodNotAllowed, "This address answers "+header+" only.")
	return false
}
