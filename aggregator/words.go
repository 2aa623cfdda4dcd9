package aggregator

import "housecount/apiclient"

// The records' own words, as far as figures are told in them, so that whoever shows
// figures needs to know nothing of the client.
type (
	Kind        = apiclient.Kind
	Money       = apiclient.Money
	EventStatus = apiclient.EventStatus
)

// The kinds of record and the states of an event.
const (
	KindEvent   = apiclient.KindEvent
	KindTicket  = apiclient.KindTicket
	KindPayment = apiclient.KindPayment
	KindScan    = apiclient.KindScan

	EventSoldOut   = apiclient.EventSoldOut
	EventCancelled = apiclient.EventCancelled
	EventPostponed = apiclient.EventPostponed
	EventEnded     = apiclient.EventEnded
)
