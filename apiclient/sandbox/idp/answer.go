package idp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Bearer returns the bearer token of a request, or "" if there is none.
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

// Problem is an error with its HTTP status, served in the format of RFC 9457.
type Problem struct {
	Status int
	Detail string
	Errors []FieldError // of the fields of the body
}

// FieldError describes what is wrong with one field.
type FieldError struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return p.Detail }

func BadRequest(detail string) error { return &Problem{Status: http.StatusBadRequest, Detail: detail} }

func NotFound(detail string) error { return &Problem{Status: http.StatusNotFound, Detail: detail} }

func Conflict(detail string) error { return &Problem{Status: http.StatusConflict, Detail: detail} }

// WriteProblem writes a problem response.
func WriteProblem(w http.ResponseWriter, status int, detail string, errors ...FieldError) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(ProblemBody(status, detail, errors...))
}

func ProblemBody(status int, detail string, errors ...FieldError) []byte {
	body, _ := json.Marshal(struct { // cannot fail: only strings and a number
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`

		Errors []FieldError `json:"errors,omitempty"`
	}{"about:blank", http.StatusText(status), status, detail, errors})
	return body
}

// WriteError writes err: a Problem with its status, any other error as a 500.
func WriteError(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*Problem](err); ok {
		WriteProblem(w, p.Status, p.Detail, p.Errors...)
		return
	}
	WriteProblem(w, http.StatusInternalServerError, err.Error())
}

// WriteJSON writes v as JSON.
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

// Allow reports whether the method is one of those given. Otherwise it has written a 405 response.
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
