// Package figures holds what is published: figures with their quality, sums of money, days, the figures of an event, and the
// Snapshot of all of them. These are values. The package has no clock, no lock and no I/O, and nothing that
// has been published is ever changed.
//
// Three packages stand on it. Package ledger folds versions of records into a Snapshot; package evening reads a
// Snapshot at a moment; package catalogue has every figure by its key: its definition, its formula and its
// explanation. Ledger and evening do not know each other.
//
// A Figure carries its Quality and the reasons for it, and has the worst quality of what it was computed from.
// Money is in minor units of a currency and is added only to money of that currency: Sums keeps currencies apart, and
// Amounts keeps measures apart as well.
package figures
