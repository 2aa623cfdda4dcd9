package web

import (
	"crypto/sha256"
	"encoding/base64"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// MostNote is the longest text of a note, in bytes.
const MostNote = 240

// NoteKey identifies the note that a form edits or removes.
type NoteKey struct {
	Event, Day, Until, Text string
	// Exceptional is true if the note calls its day exceptional.
	Exceptional bool
}

// NoteForm adds a note about a performance or, without one, about a day.
type NoteForm struct {
	Event string // the id of the performance
	Day   string // the day that is filled in
	// Exceptional offers to call the day exceptional.
	Exceptional bool
}

// NoteRow is a note in a list.
type NoteRow struct {
	ID          string
	Day         string
	Href, Title string // of the performance; empty for a note about a day
	Text        string
	Exceptional bool
	By          string
	Key         *NoteKey // nil for those who may not change it
}

// NoteList lists notes.
type NoteList struct {
	ID   string
	Rows []NoteRow
}

// NoteID returns the element id of a note in a table. It follows from the note and not from its place, so that the form in
// which somebody edits a note stays with it when others come and go.
func NoteID(table string, n *figures.Note) string {
	digest := sha256.Sum256([]byte(string(n.Day) + " " + record.NoteOf(n.Event, n.Text)))
	return table + "-" + base64.RawURLEncoding.EncodeToString(digest[:9])
}

// Notes reports whether a person of the access may note something about a performance, or about the day of the house if
// event is empty.
func (a Access) Notes(event string) bool {
	if event == "" {
		return a.SeesMoney() && a.WholeHouse()
	}
	return a.SeesToday()
}

// NotesOf returns the notes about a performance, the last day first.
func (b *Builder) NotesOf(event string) []figures.Note {
	return b.notes(func(n *figures.Note) bool { return n.Event == event && event != "" })
}

// NotesOn returns the notes about the days from and to, of the house and of performances, the last day first.
func (b *Builder) NotesOn(from, to figures.Day) []figures.Note {
	return b.notes(func(n *figures.Note) bool { return n.Until >= from && n.Day <= to })
}

// DayNotes are NotesOn about the days themselves.
func (b *Builder) DayNotes(from, to figures.Day) []figures.Note {
	return b.notes(func(n *figures.Note) bool { return n.Event == "" && n.Until >= from && n.Day <= to })
}

// notes returns the notes that match, without those of what the access does not include.
func (b *Builder) notes(match func(*figures.Note) bool) (all []figures.Note) {
	if b.House == nil {
		return nil
	}
	for i := range b.House.Notes {
		n := &b.House.Notes[i]
		if seen := n.Event == "" && b.Access.WholeHouse() || n.Event != "" && b.Event(n.Event) != nil; seen && match(n) {
			all = append(all, *n)
		}
	}
	return all
}

// NoteList returns notes as a list.
func (b *Builder) NoteList(id string, notes []figures.Note) (l NoteList) {
	l.ID = id
	for i := range notes {
		n := &notes[i]
		r := NoteRow{ID: NoteID(id, n), Day: b.NoteDays(n), Text: words.Bare(n.Text), Exceptional: n.Exceptional, By: b.NoteBy(n), Key: b.NoteKey(n)}
		if e := b.Event(n.Event); e != nil {
			r.Href, r.Title = EventHref(n.Event), b.TitleOf(e)
		}
		l.Rows = append(l.Rows, r)
	}
	return l
}

// NoteKey returns what edits or removes a note; nil for those who may not.
func (b *Builder) NoteKey(n *figures.Note) *NoteKey {
	if !b.Access.Notes(n.Event) {
		return nil
	}
	return &NoteKey{n.Event, string(n.Day), string(n.Until), n.Text, n.Exceptional}
}

// NoteDays returns the day or the days that a note is about.
func (b *Builder) NoteDays(n *figures.Note) string {
	if n.Until == n.Day {
		return b.DayShortOf(n.Day)
	}
	return b.PeriodOf(n.Day, n.Until)
}

// NoteBy returns who wrote a note and, if it was edited, by whom and when.
func (b *Builder) NoteBy(n *figures.Note) string {
	if n.EditedBy == "" {
		return n.By
	}
	return b.Text("notes.edited", words.Name("by", n.By), words.Name("editor", n.EditedBy), words.Text("when", b.DayShortOf(b.Calendar.Day(n.Edited))+", "+b.Clock(n.Edited, b.Zone)))
}

// NoteForm returns the form for a note about a performance, or about a day if event is empty; nil for those who may not.
func (b *Builder) NoteForm(event string, day figures.Day) *NoteForm {
	if !b.Access.Notes(event) {
		return nil
	}
	return &NoteForm{Event: event, Day: string(day), Exceptional: event == ""}
}
