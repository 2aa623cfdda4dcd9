package figures

// UnmatchedPayments is money of payments that belong to no performance which is shown: they name none, or one that
// no list gave, or one that was deleted.
type UnmatchedPayments struct {
	Event    string // id of the performance that they name; empty for none
	Net      Sums   // received less what went back
	Payments int
	// IDs are those of the first payments that name no performance.
	IDs []string
}
