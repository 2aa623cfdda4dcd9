// Package sums holds sums that change, and publishes them. The ledger adds to them and takes away from them as
// versions of records arrive: amounts by measure and currency (Amounts), what moved by day of sale and minute
// (Days), amounts of orders by the day on which they were placed (OrderDays), places by minute (MinuteCounts),
// the sales by part (Parts), and what buyers bought by their home (Homes) and by day (BuyerDays). They do not know
// tickets, orders or payments.
//
// Adding is commutative, so the order of additions does not matter, and an addition is undone by one with the
// opposite sign. What was published is never changed: publishing copies what changed since the last time
// and shares the rest. Currencies and names are stored as refs to texts (Names). Nothing here may be used by
// two goroutines at once.
package sums
