package handlers

import (
	"context"
	"errors"
	"net/http"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
)

// enterNote stores a note about a day or, with the id of a performance as event, about that performance on a day; with remove
// it removes the note of that day and text. Who may note what is Access.Notes. A day may be exceptional, which a comparison
// may leave out.
func (s *site) enterNote(w http.ResponseWriter, r *http.Request) error {
	text, wrong := web.ReadText(r.PostFormValue("text"))
	day, noDay := web.ReadDay(r.PostFormValue("day"))
	if text == "" || len(text) > web.MostNote || wrong != nil || noDay != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such note")}
	}
	remove := r.PostFormValue("remove") != ""
	return s.entered(w, r, func(ctx context.Context, who *staff, _ *evening.Evening, show *evening.Show) error {
		event := ""
		if show != nil {
			event = show.Event.ID
		}
		access := who.Role.Access()
		if !access.Notes(event) {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Manager, another: true}
		}
		value := int64(0)
		if r.PostFormValue("exceptional") != "" && event == "" {
			value = 1
		}
		err := store.ErrChanged
		for i := 0; i < changedAgain && errors.Is(err, store.ErrChanged); i++ {
			snapshot, now := s.Snapshot(), s.Now()
			change := &record.Setting{Name: record.SettingNote, Of: record.NoteOf(event, text), From: day}
			if held := snapshot.Settings().Get(change.Name, change.Of, day); remove && held == nil || !remove && held != nil && *held.Value == value {
				return nil
			}
			if !remove {
				change.Value = &value
			}
			err = s.set(ctx, r, who, snapshot, now, []*record.Setting{change})
		}
		return err
	})
}
