package figures

// UnmatchedPayments is money of payments that belong to no published performance: they name none, one that no list
// gave, or one that was deleted.
type UnmatchedPayments struct {
	Event    string // id of the performance that they name; empty for none
	Net      Sums   // received less what was paid back
	Payments int
	// IDs are the first ids of payments that name no performance.
	IDs []string
}
