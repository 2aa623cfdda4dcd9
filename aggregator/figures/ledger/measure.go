package ledger

import "housecount/aggregator/figures"

// basisOf is what each measure is computed from.
var basisOf = [figures.MeasureCount]basis{
	figures.Booked:         onTickets,
	figures.Received:       onPayments,
	figures.Refunded:       onReturns,
	figures.ChargedBack:    onReturns,
	figures.Reversed:       onReturns,
	figures.Fees:           onFees,
	figures.VAT:            onVAT,
	figures.RefundsPending: onPayments,
	figures.ToBePaid:       onOrders,
	figures.ToBePaidBack:   onOrders,
	figures.Goodwill:       onOrders,
}

// basis is what a measure is computed from.
type basis uint8

const (
	onTickets  basis = iota // prices of tickets
	onFees                  // the fees that tickets report
	onVAT                   // the VAT that tickets report, or the venue's rates
	onPayments              // payments and refund records
	onReturns               // these, and refunds that only the payment itself reports
	onOrders                // all of these
	basisCount
)
