package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"housecount/handlers/compress"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/query"
)

func (s *site) home(w http.ResponseWriter, r *http.Request) error { return redirect(w, "/tonight") }

// view answers with the page whose request the guard has read.
func (s *site) view(w http.ResponseWriter, r *http.Request) error {
	v := visitOf(r)
	ready := s.Ready() // read before the figures, so that the figures include what made it true
	snapshot := s.Snapshot()
	write, kind := s.Renderer.Page, "text/html; charset=utf-8"
	if v.request.Explains() {
		w.Header().Set("Vary", "Accept")
		if accept := r.Header.Get("Accept"); strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html") {
			write, kind = func(w io.Writer, f web.Frame) error { return explain.JSON(w, s.Renderer, f) }, "application/json"
		}
		if !ready {
			return notReady(w)
		}
	}
	w.Header().Set("Content-Type", kind)
	s.visitCookie().Keep(w, r, s.Now())
	err := write(w, web.Frame{
		Request:  v.request,
		Snapshot: snapshot, // taken once, so that everything on the page is of one moment
		Now:      s.Now(),
		Ready:    ready,
		User:     v.staff.Name,
	})
	if errors.Is(err, web.ErrNotFound) {
		return &fault{status: http.StatusNotFound, code: "no_performance", text: v.request.Missing(snapshot)}
	}
	return err
}

// notReady refuses exports and data while there are no figures. They would have 0 for unknown values, and nothing
// would correct them later.
func notReady(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "5")
	return &fault{status: http.StatusServiceUnavailable, code: "not_ready"}
}

// exportFigures answers with the figures of the page whose request the guard has read, as a table for a
// spreadsheet, and records the export.
func (s *site) exportFigures(w http.ResponseWriter, r *http.Request) error {
	return s.exportFile(w, r, csvFile, s.Renderer.Export)
}

// exportWorkbook answers with the tables of the page as a workbook, and exportSheet with the first of them as CSV. Both are sent while they
// are made, once the export is recorded.
func (s *site) exportWorkbook(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set(compress.No, "a workbook is compressed")
	return s.exportSheets(w, r, workbookFile, web.Workbook)
}

func (s *site) exportSheet(w http.ResponseWriter, r *http.Request) error {
	return s.exportSheets(w, r, csvFile, web.SheetOfCSV)
}

func (s *site) exportSheets(w http.ResponseWriter, r *http.Request, kind file, format web.SheetFormat) error {
	var made *web.SheetFile
	err := s.exportFile(w, r, kind, func(_ io.Writer, f web.Frame) (name string, err error) {
		if made, err = s.Renderer.SheetFile(f); err != nil {
			return "", err
		}
		return made.Name, nil
	})
	if err != nil {
		return err
	}
	w.(*answer).stream = func(w io.Writer) error {
		if !visitOf(r).request.Custom() {
			return made.Write(w, format)
		}
		return takeTurns(r.Context(), s.customPeriods, w, func(w io.Writer) error { return made.Write(w, format) })
	}
	return nil
}

// inTurns writes what may be made only with one of tokens. While it is sent to a visitor, who may be slow, another may make theirs.
type inTurns struct {
	io.Writer
	ctx    context.Context
	tokens chan struct{}
	held   bool
}

// takeTurns calls write with a writer in turns.
func takeTurns(ctx context.Context, tokens chan struct{}, w io.Writer, write func(io.Writer) error) error {
	t := &inTurns{Writer: w, ctx: ctx, tokens: tokens}
	if err := t.take(); err != nil {
		return err
	}
	defer t.give()
	return write(t)
}

func (t *inTurns) take() error {
	select {
	case t.tokens <- struct{}{}:
		t.held = true
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

func (t *inTurns) give() {
	if t.held {
		<-t.tokens
		t.held = false
	}
}

func (t *inTurns) Write(b []byte) (int, error) {
	t.give()
	if n, err := t.Writer.Write(b); err != nil {
		return n, err
	}
	return len(b), t.take()
}

func (t *inTurns) Flush() {
	t.give()
	if w, ok := t.Writer.(http.Flusher); ok {
		w.Flush()
	}
	t.take() // the next Write reports an error
}

// file is a kind of file that a browser downloads.
type file struct{ extension, contentType string }

var (
	csvFile      = file{".csv", "text/csv; charset=utf-8; header=present"}
	workbookFile = file{web.WorkbookExtension, web.WorkbookType}
)

// exportFile answers with what write writes of the page whose request the guard has read, and records the export. write
// returns the name of the file.
func (s *site) exportFile(w http.ResponseWriter, r *http.Request, kind file, write func(io.Writer, web.Frame) (string, error)) error {
	v := visitOf(r)
	if !s.Ready() {
		return notReady(w)
	}
	snapshot := s.Snapshot()
	name, err := write(w, web.Frame{Request: v.request, Snapshot: snapshot, Now: s.Now(), Ready: true})
	if errors.Is(err, web.ErrNotFound) {
		return &fault{status: http.StatusNotFound, code: "no_performance", text: v.request.Missing(snapshot)}
	} else if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind.contentType)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+kind.extension+`"`)
	act := s.act(r, v.staff, actFigures)
	act.ObjectName = name
	if e := snapshot.Event(r.PathValue("event")); e != nil {
		act.Object, act.ObjectName = e.Event.ID, e.Event.Title
	}
	act.ObjectName = clip(act.ObjectName)
	return s.record(r.Context(), act)
}

// requestFor parses what an address asks of a page, in a language. Its error is a *fault.
func requestFor(p web.Page, r *http.Request, who *sessions.Staff, language web.Locale) (web.Request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return web.Request{}, &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	inPath := p.PathParams()
	for _, name := range inPath {
		values[name] = append(values[name], r.PathValue(name))
	}
	if own := p.OwnParam(); own != "" {
		values[own] = append(values[own], who.ID)
	}
	q, err := web.NewRequest(p.Name, values, who.Role.Access(), language)
	if wrong, ok := errors.AsType[*query.Error](err); ok {
		if slices.Contains(inPath, wrong.Param) {
			return web.Request{}, errNotFound()
		}
		return web.Request{}, &fault{status: http.StatusBadRequest, code: "address", text: wrong.In(language), cause: err}
	}
	if errors.Is(err, web.ErrForbidden) {
		return web.Request{}, &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: p.LeastRole(), another: true, back: r.URL.RequestURI(),
			cause: fmt.Errorf("role %s may not see %s", who.Role, p.Name)}
	}
	return q, err
}

// healthz answers as long as the process runs.
func (s *site) healthz(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusOK, "ok")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, fmt.Sprintln(text))
}
