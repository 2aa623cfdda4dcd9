// Package admin has the pages for administrators.
//
// The pages of screens, of sessions (people signed in and the audit log) and of settings are rows of web's
// table of pages; the package adds them in its init. ReadSettings reads and checks the forms of the settings
// page.
//
// The other forms are documents of their own: the settings of a screen, a programme, a message to screens, and
// the pairing of a device. Each is a struct that the caller fills and writes with a web.Renderer. The caller
// also reads and checks what is submitted. The package stores nothing.
package admin
