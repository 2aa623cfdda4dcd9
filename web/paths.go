package web

// The addresses of pages that other pages link to.
const (
	ChangesPath = "/changes"
	// VisitPath redirects to what has changed since the last visit.
	VisitPath     = ChangesPath + "/visit"
	MarketingPath = "/marketing"
	// CampaignPath is where Marketing posts a campaign that is added or removed.
	CampaignPath  = MarketingPath + "/campaigns"
	ReconcilePath = "/reconcile"
	RevenuePath   = "/revenue"
	SessionsPath  = "/sessions"
	RolesPath     = SessionsPath + "/roles"
	SettingsPath  = "/settings"
	tonightPath   = "/tonight"
)

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

// LeaveOutPath is the address to which a page posts that a past performance is to be left out of the
// comparables of another, or included again. The form has their ids as past and event, each query-escaped,
// and undo.
const LeaveOutPath = "/comparables"

// WalkInPath is the address to which a page posts walk-ins: a form with the id of the performance as event
// and the name of the gate, each query-escaped, and their count, below 0 for people who went out.
const WalkInPath = "/walk-ins"
