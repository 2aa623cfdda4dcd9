// Package figures owns the definitions: what is sold, paid, received, who is in the house, and
// how far each of these can be trusted. It is pure. It has no clock, no lock and no I/O;
// whoever calls it brings the time, keeps to one goroutine, and stores what has to outlive it.
//
// A Ledger takes versions of records (Apply) and gives an immutable Snapshot. What it shows
// depends on the set of versions that it was given and on what is known of the streams
// (Coverage), never on the order in which the versions came or how often: that is what a
// fuzzer proves, and what makes a leader, a follower and a restarted process show the same.
//
// The way of a version: apply takes it in and, where it is the newest of its record, takes the
// old contribution out and puts the new one in. A ticket is posted to the account of its
// event; a payment to its group (a payment with what went back of it), whose postings are
// made anew and split over events (attribution). Accounts hold flows: places, and money by
// Measure, in all and by day. Publishing copies what changed into EventFigures; nothing that
// has been published is ever changed.
//
// Money is in minor units of a currency and is only added to its own kind: a Sums keeps
// currencies apart, an Amounts measures as well. What the ledger holds of amounts has no
// pointers; texts that many records repeat are held once (names).
//
// A Figure carries its Quality and the reasons for it, and takes the worst of what it was
// computed from. Each figure has one definition: places and visitors in places.go, money in
// revenue.go. What depends on the time of day is in the Evening of a moment: the phases of its
// performances, who is inside and who is to come, what can still be sold and was booked today,
// whether to hold, and what needs attention. Pages, screens and messages take it from there.
//
// What the definitions leave open is decided so:
//
//   - Test records count nowhere, nor does what belongs to a test event or test payment.
//   - A deleted ticket or payment counts nowhere, nor does what went back of a deleted
//     payment. The money of a deleted event is real and stays in the totals,
//     unattributed; so does that of an event that has not arrived.
//   - Nothing went back of a payment that is known and has not settled (pending, failed,
//     cancelled, expired), whatever records say (CodeUnsettled).
//   - A ticket that is void and has no time of sale was never sold; a refunded one was.
//     What was sold and is cancelled is + on the day of sale and − on that of
//     cancellation, by sold_at or else created_at, and by cancelled_at or else the time of
//     the first version in which it was void or refunded.
//   - A visitor stays one when the ticket is voided afterwards, and is one whatever its status:
//     attendance counts people. Those still to come are less only by tickets that are sold.
//   - A performance is on sale until its curtain or, where the service says that it is, half an
//     hour longer; one that is postponed is not. A sold-out one is, and has no free places.
//   - People of a performance that is called off while they are inside leave as others do.
//   - A movement without any time is in the totals and on no day (ReasonUndated).
//   - A refund or chargeback that only the payment itself reports has no time of its own: it
//     is on the day of the first version that reported it, and stays there; where a payment
//     reported ever more, each part is on its own day. Refund records stand for the parts
//     that were reported first. A record of what went back that gives no time is on the day of
//     the first version in which it had settled. What went back is then estimated
//     (ReasonUndated).
//   - What was voided or went back without a time is on a day by a guess: that day's movements,
//     and what was sold in a window that it falls in, are estimated (Flow.Guessed).
//   - A ticket's scans are its own and those listed apart from it; the same moment, gate and
//     direction is one scan. Where all scans were read from a list of their own, a ticket
//     without any was not scanned.
//   - A ticket of an event that no list gave counts in the totals and under no event
//     (Snapshot.Strays). An event of which a record was refused shows at least what it has.
//   - Planned places count for their event unless they are an option, cancelled or deleted.
//     Contacts make no figure.
//   - VAT is as the ticket gives it, or else worked out a place, half a unit rounded up, at the rate
//     that the venue has set for the ticket's type on the day of the performance. No rate is built in.
//   - What is paid back by a record is split as its payment was, so that a payment that is
//     refunded in parts leaves nothing anywhere.
package figures
