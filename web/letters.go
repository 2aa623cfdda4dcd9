package web

import "time"

// Letters are the letters that a person gets by mail.
type Letters struct {
	// Mail is true if there is a mail server.
	Mail bool
	// Address is the person's, empty if the sign-in service has verified none.
	Address string
	Names   []string
	// Without are the codes of alerts of which the person is not told by mail, and WithoutOnDevices those on their devices.
	Without, WithoutOnDevices []string
	Last                      *LetterState // nil for none
	// PushKey is the key by which browsers get notifications, and Devices are those of the person that do.
	PushKey string
	Devices []LetterReader
	// Everybody are all who get letters, for administrators.
	Everybody []LetterReader
}

// LetterReader is a person who gets letters, or a device of theirs.
type LetterReader struct {
	Person  string // who this is to the store; empty for the house's own address
	Address string
	Device  string // the name of the device, empty for mail
	Names   []string
	Last    *LetterState
}

// LetterState is what became of a letter. State is waiting, sent, refused, late or void; Failure is what the mail server
// said last, and At when it was sent or given up, or was made if it waits.
type LetterState struct {
	Name, State, Failure string
	At                   time.Time
}
