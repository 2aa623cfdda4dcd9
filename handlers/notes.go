package handlers

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/query"
)

// enterNote stores a note about a day, or the days to until, or, with the id of a performance as event, about that performance on a day; with was it
// stands in place of the one with that text, of was_day, which must not be gone; with remove it removes the note of that day and text. Who may note
// what is Access.Notes. A day may be exceptional, which a comparison may leave out.
func (s *site) enterNote(w http.ResponseWriter, r *http.Request) error {
	text, wrong := query.ReadText(r.PostFormValue("text"))
	day, noDay := query.ReadDay(r.PostFormValue("day"))
	until, noUntil := day, noDay
	if last := r.PostFormValue("until"); last != "" {
		until, noUntil = query.ReadDay(last)
	}
	days := figures.Day(until).Since(figures.Day(day))
	if noUntil != nil || days < 0 || days >= figures.MostNoteDays || text == "" || len(text) > web.MostNote || wrong != nil || noDay != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such note")}
	}
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, _ *evening.Evening, show *evening.Show) error {
		event := ""
		if show != nil {
			event = show.Event.ID
		}
		access := who.Role.Access()
		if !access.Notes(event) {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Manager, another: true}
		}
		note := &record.Setting{Name: record.SettingNote, Of: record.NoteOf(event, text), From: day}
		if value := int64(0); r.PostFormValue("remove") == "" {
			if r.PostFormValue("exceptional") != "" && event == "" {
				value = 1
			}
			if note.Value = &value; until != day {
				note.To = until
			}
		}
		err := store.ErrChanged
		for i := 0; i < changedAgain && errors.Is(err, store.ErrChanged); i++ {
			snapshot, now := s.Snapshot(), s.Now()
			edited := snapshot.Settings().Get(note.Name, record.NoteOf(event, r.PostFormValue("was")), r.PostFormValue("was_day"))
			if r.PostFormValue("was") != "" && edited == nil {
				return &fault{status: http.StatusConflict, code: "note_gone", back: s.pageBefore(r, "/tonight")}
			}
			err = s.set(ctx, r, snapshot, now, noteChanges(snapshot.Settings(), *note, edited))
		}
		return err
	})
}

// noteChanges returns what stores a note, or removes it if it has no value, in place of one that it edits; edited is nil for
// none. A note keeps who wrote it and when: the one that stands there already, or else the one that is edited. There is nothing to do for one that is as it is to be.
func noteChanges(all *figures.Settings, note record.Setting, edited *record.Setting) (changes []*record.Setting) {
	held := all.Get(note.Name, note.Of, note.From)
	if note.Value == nil && held == nil || note.Value != nil && held != nil && *held.Value == *note.Value && held.To == note.To && (edited == nil || edited.RecordID() == held.RecordID()) {
		return nil
	}
	if of := cmp.Or(held, edited); of != nil && note.Value != nil {
		note.Author, note.Written = of.By, of.At
		if of.Author != "" {
			note.Author, note.Written = of.Author, of.Written
		}
	}
	if edited != nil && note.Value != nil && edited.RecordID() != note.RecordID() {
		changes = append(changes, &record.Setting{Name: edited.Name, Of: edited.Of, From: edited.From})
	}
	return append(changes, &note)
}
