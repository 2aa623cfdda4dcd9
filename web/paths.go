package web

// Where pages are that others lead to.
const (
	marketingPath = "/marketing"
	reconcilePath = "/reconcile"
	revenuePath   = "/revenue"
	sessionsPath  = "/sessions"
	settingsPath  = "/settings"
	tonightPath   = "/tonight"
)

// Where a page sends what is to be done with a screen: a form with its id as screen, and what as do.
const (
	ScreensPath    = "/screens"
	ScreenActPath  = "/screens/act"
	ScreenEditPath = "/screens/edit"
	RevokePath     = "/screens/revoke"
	MessagePath    = "/screens/message"
	WithdrawPath   = "/screens/withdraw"
	ProgrammePath  = "/screens/programme"
	PicturePath    = "/screens/picture"
	ScreenAppPath  = "/screen/app.webmanifest" // the web app manifest of a screen's page
)

// Names of pages that only screens show.
const (
	// PerformancePage is about one performance, which a view of it names.
	PerformancePage = "performance"
	// DarkPage is what a screen shows in its dark hours: nothing.
	DarkPage = "dark"
	// waitingPage is the name of what WaitingRequest asks for.
	waitingPage = "pairing"
)
