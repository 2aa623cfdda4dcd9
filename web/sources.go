package web

import (
	"fmt"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
)

// Sources give pages what they show besides the figures. The caller of New provides them; the row of a page in the table names its
// source. A source is asked at every rendering, and a page whose source returns the same is not rendered again. A source may be
// slow (see Request.Waits), but has to end by itself. Its error is returned as the error of the page.
type Sources struct {
	// Sessions returns who is signed in, and the audit log. It is called only for an access that includes the page.
	Sessions func(SessionsQuery) (Sessions, error)
	// Screens returns the screens on the walls, for administrators.
	Screens func() (Screens, error)
	// ScreenAlerts returns the screens that need attention. It returns at once; nil means none.
	ScreenAlerts func() []ScreenAlert
	// PastFrom returns the moment from which the past is known, zero if it is not known at all. It returns
	// at once; nil means never.
	PastFrom func() time.Time
	// Past returns the past of a performance minute by minute, nothing if it is not known.
	Past func(event string) ([]figures.MinuteFigures, error)
	// PastSoon is Past, but returns at once: the last known past if the present one is not ready. Nil means none.
	PastSoon func(event string) []figures.MinuteFigures
	// Changed returns what changed between two values of the parameters since and until (see Since). Nil
	// means that changes are not known.
	Changed func(since, until string) (catalogue.Changed, error)
	// Messages returns the messages of services since a moment, by the names that their lists have. Nil means that none can come.
	Messages func(since time.Time) (map[string][]figures.Messages, error)
	// Letters returns which letters the person of a session gets. Nil means none.
	Letters func(session string) (Letters, error)
	// Told returns who was told of an alert with an id in the log; a person once for each letter. Nil means that it is not known.
	Told func(alert string) ([]LetterReader, error)
	// Away returns since when the database does not answer. It returns at once; nil means never.
	Away func() Away
	// Waits reports whether a change of how housecount is connected waits for its next start. It returns at once; nil means never.
	Waits func() bool
	// Program is what runs, for administrators.
	Program Program
	// Behind returns the records behind an explained figure. Nil means that explanations do not list records.
	Behind func(catalogue.Explanation) (catalogue.Behind, error)
}

// Program is the version of the program, the names of the services that it reads, the first one's by its profile, the sum of the ways by
// which it can send alerts (figures.AlertByMail and so on; 0 if that is not known), and what the house's own addresses see as.
type Program struct {
	Version   string
	Services  []string
	AlertWays int
	HouseRole Role
}

// Away is since when the database does not answer, or cannot be written, and until when pages are shown without
// it, if there is a limit. The zero value is one that answers.
type Away struct {
	Since, Until time.Time
	Unwritable   bool
}

func (s Sources) away() Away {
	if s.Away == nil {
		return Away{}
	}
	return s.Away()
}

// FromFigures reports whether the page can be made of nothing but the figures, and so without the database.
func (p *Page) FromFigures() bool { return p.Source == nil || p.Source.AtOnce || p.Source.Spare }

// Source reads what a page shows besides the figures.
type Source struct {
	// Subject is the subject that wakes the page; see Request.Wakes.
	Subject string
	// AtOnce is true for a source that never waits.
	AtOnce bool
	// Spare is true for a source that the page stands without: it reads nil while the database is away, and where Read fails.
	Spare bool
	Read  func(Sources, *Builder) (any, error)
}

// The subjects of sources. The provider of a source wakes its subject when the source may return something else.
const (
	WakeSessions     = "sessions"
	WakeScreens      = "screens"
	WakeScreenAlerts = "screen alerts"
	WakeRecords      = "records" // also of the past. Nothing wakes it: an explanation is as of its request
)

var fromScreenAlerts = &Source{Subject: WakeScreenAlerts, AtOnce: true, Read: func(s Sources, _ *Builder) (any, error) {
	if s.ScreenAlerts == nil {
		return []ScreenAlert(nil), nil
	}
	return s.ScreenAlerts(), nil
}}

// readSource calls the page's source, if it has one.
func (b *Builder) readSource(s Sources) (err error) {
	from := PageNamed(b.Page).Source
	if from == nil || from.Spare && !b.away.Since.IsZero() && !b.away.Unwritable {
		return nil
	}
	if b.Source, err = from.Read(s, b); err == nil {
		return nil
	}
	if b.Source = nil; from.Spare {
		return nil
	}
	return fmt.Errorf("web: page %s: %w", b.Page, err)
}

// Waits reports whether rendering the request may wait for its source.
func (q Request) Waits() bool {
	from := PageNamed(q.Page).Source
	return from != nil && !from.AtOnce
}

// OnWall reports whether the page is made for a wall.
func (q Request) OnWall() bool { return PageNamed(q.Page).Wall }

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
