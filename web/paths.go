package web

// The addresses of pages that other pages link to.
const (
	CalendarPath = "/calendar"
	ChangesPath  = "/changes"
	// VisitPath redirects to what has changed since the last visit.
	VisitPath     = ChangesPath + "/visit"
	MarketingPath = "/marketing"
	// CampaignPath is where Marketing posts a campaign that is added or removed.
	CampaignPath = MarketingPath + "/campaigns"
	// ManualPath is where the manual begins, which package manual shows.
	ManualPath    = "/manual"
	ReconcilePath = "/reconcile"
	NightPath     = "/night"
	AlertPath     = NightPath + "/alert" // the life of one alert
	// LettersPath is where a person chooses letters, StopPath is where a letter's link stops them, DevicesPath is
	// where devices are added and removed, and WhichAlertsPath where a person chooses of which alerts they are told.
	LettersPath     = "/letters"
	StopPath        = LettersPath + "/stop"
	DevicesPath     = LettersPath + "/devices"
	WhichAlertsPath = LettersPath + "/which"
	RevenuePath     = "/revenue"
	SessionsPath    = "/sessions"
	RolesPath       = SessionsPath + "/roles"
	// ServicesPath is where administrators see what each list of the services gives, and how it answers.
	ServicesPath = "/services"
	// ConnectionPath is where administrators see and change how housecount is connected to its services.
	ConnectionPath = "/settings/connection"

	// KeysPath is where People posts a key for programs that is made or revoked.
	KeysPath     = SessionsPath + "/keys"
	SettingsPath = "/settings"
	EventsPath   = "/events"
	tonightPath  = "/tonight"
)

// Parts of the manual that pages lead to.
const (
	signInHelp = ManualPath + "/sign-in#when-a-sign-in-fails"
	// WebhooksHelp is where the manual says how a service sends word of news.
	WebhooksHelp = ManualPath + "/connect#webhooks"
	rolesHelp    = ManualPath + "/sign-in#roles"
	faultHelp    = ManualPath + "/troubleshooting#the-strip-names-a-fault"
	heldHelp     = ManualPath + "/troubleshooting#the-service-asks-us-to-wait"
	pagesHelp    = ManualPath + "/pages"
)

// chapters are the parts of the manual about a page, by its name; other pages have pagesHelp.
var chapters = map[string]string{
	"calendar": ManualPath + "/pages#calendar",
	"screens":  ManualPath + "/screens",
	"sessions": ManualPath + "/people",
	"settings": ManualPath + "/pages#settings",
	"letters":  ManualPath + "/mail",
}

// MessageHelp returns the part of the manual about a message, by its code; empty if there is none.
func MessageHelp(code string) string {
	switch code {
	case "no_role", "sign_in_old", "sign_in_stale", "sign_in_refused", "sign_in_failed", "sign_in_down":
		return signInHelp
	case "role":
		return rolesHelp
	}
	return ""
}

// Addresses to which a page posts an action on a screen: a form with the id as screen and the action as do.
const (
	ScreensPath    = "/screens"
	ScreenActPath  = "/screens/act"
	ScreenEditPath = "/screens/edit"
	RevokePath     = "/screens/revoke"
	MessagePath    = "/screens/message"
	DimAllPath     = "/screens/dim"
	WithdrawPath   = "/screens/withdraw"
	ProgrammePath  = "/screens/programme"
	PicturePath    = "/screens/picture"
	ScreenAppPath  = "/screen/app.webmanifest" // the web app manifest of a screen's page
)

// screenSocket is the address of a screen's socket. The server decides what it shows.
const screenSocket = "/screen/live"

// Names of pages that only screens show.
const (
	// PerformancePage is about the one performance that a view names.
	PerformancePage = "performance"
	// DarkPage shows nothing, in a screen's dark hours.
	DarkPage = "dark"
	// WaitingPage is the page of WaitingRequest.
	WaitingPage = "pairing"
)

// ToChanges links to what changed, for those who see the whole house.
func (b *Builder) ToChanges() []Link {
	if !b.Access.WholeHouse() {
		return nil
	}
	return []Link{{Href: VisitPath, Text: b.Text("changes.link")}}
}

// ToNight links to the report of the last day that is finished, if there is one.
func (b *Builder) ToNight() []Link {
	if b.Evening.LastFinished() == "" {
		return nil
	}
	return []Link{{Href: NightPath, Text: b.Text("nav.night")}}
}

// toWaiting returns a link to the change of the connection that waits for the next start, for administrators.
func (b *Builder) toWaiting() []Link {
	if !b.waits || !b.Access.Admin {
		return nil
	}
	return []Link{{Href: ConnectionPath, Text: b.Text("connection.waits")}}
}

// NotePath is where a note is added or removed; see NoteForm.
const NotePath = "/notes"
