// Package admin is the pages on which administrators fill in forms: what a screen is called and
// shows, what a programme shows when, a message to screens, and the pairing of a device. Each form
// is a struct that the caller fills and that writes itself as a whole document of a web.Renderer.
// What a form posts is read and checked by its caller; nothing here is kept.
package admin
