// Package notify sends letters, by mail, to devices, and to one address of the house: it makes those that are due for the
// people who want them, sends them, and notes what became of each. What is due, and what is in a letter for whom, is handed in.
//
// Each way has senders of its own, so that a mail server or a receiver that is slow holds up nobody else.
//
// Letters of one name that wait for somebody at the same time are sent as one, so that many alerts at once are one message.
//
// The outbox is in the store, so that any process may make and send: a letter is made once and, unless a process dies
// between sending it and noting that, sent once. The second copy then has the Message-ID of the first, by which mail
// programs recognise it.
package notify

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator/store"
)

// Due is a letter that is due for whoever wants it, about a day or an alert, and is worth sending for a time.
type Due struct {
	Name, About string
	For         time.Duration
	// Apart is how long after the last letter of this name somebody gets this one. Those of a name that are to be sent to
	// somebody at the same time are sent as one.
	Apart time.Duration
	// To reports whether it is for somebody; nil if it is for everybody.
	To func(store.Subscriber) bool
}

// Text is what is in a letter.
type Text struct {
	Name                 string // of the letter
	Subject, Plain, HTML string
	// Brief is what a notification shows below the subject, and Open where it leads.
	Brief, Open string
	// Alerts are those that it is about, the worst first.
	Alerts []Alert
	// Stop is the address that stops the letters: a POST does so at once.
	Stop string
	// Files go with a letter by mail.
	Files []File
	// Waits is what those letters are about that are not in it, because what they would say is not known at present.
	Waits []string
}

// File is a file that goes with a letter.
type File struct {
	Name, Type string
	Content    []byte
}

// Alert is an alert in a letter, for programs.
type Alert struct {
	// ID is the same for as long as the alert stands, and Code and Level are of what kind and how severe it is.
	ID     string    `json:"id"`
	Code   string    `json:"code"`
	Level  string    `json:"level"`
	Raised time.Time `json:"raised"`
	// Cleared is when it was over; zero while it stands.
	Cleared time.Time `json:"cleared,omitzero"`
	Text    string    `json:"text"`
	// Event is the id of the performance, empty if it is about the house.
	Event string `json:"event,omitzero"`
}

// Errors of Post.Write.
var (
	// ErrVoid means that there is nothing to send: nothing happened, or the person may not get the letter.
	ErrVoid = errors.New("notify: there is nothing to send")
	// ErrNotYet means that the figures are not known at present.
	ErrNotYet = errors.New("notify: the figures are not known")
)

// Sender sends a letter.
type Sender interface {
	// Send sends a text that is worth sending for a time. Texts with the same id are of the same letters. An error that is
	// Permanent will come again; after ErrGone the receiver is no more. Those of mail and devices are called by several goroutines.
	Send(ctx context.Context, id string, to store.Subscriber, t Text, worth time.Duration) error
}

// ErrGone is an error of a Sender: the receiver exists no more.
var ErrGone = errors.New("notify: the receiver exists no more")

// permanentError is an error that will come again.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// Permanent reports whether a letter will never be sent.
func Permanent(err error) bool {
	_, ok := errors.AsType[*permanentError](err)
	return ok
}
