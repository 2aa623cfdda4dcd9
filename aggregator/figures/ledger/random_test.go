package ledger_test

import (
	"reflect"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// byteDice throws what a fuzzer wrote; after that always 0.
type byteDice []byte

func (d *byteDice) IntN(n int) int {
	if len(*d) == 0 {
		return 0
	}
	v := int((*d)[0]) % n
	*d = (*d)[1:]
	return v
}

// randomRefusals returns of events, known and unknown.
func randomRefusals(d foldtest.Dice) map[string]int {
	refused := map[string]int{}
	for range max(0, d.IntN(4)-1) {
		refused[foldtest.OneOf(d, "evt_0", "evt_1", "evt_9", "", "*")] = 1 + d.IntN(2)
	}
	return refused
}

// variation returns an earlier record with one field as a random record of its kind has it,
// mostly at another time.
func variation(d foldtest.Dice, r record.Record) record.Record {
	other := foldtest.RandomRecord(d)
	for range 8 {
		if other.RecordKind() == r.RecordKind() {
			break
		}
		other = foldtest.RandomRecord(d)
	}
	if was, ok := r.(*record.Setting); ok { // whose id is of its fields
		next := *was
		if o, ok := other.(*record.Setting); ok {
			next.Value, next.At = o.Value, o.At
		}
		return &next
	}
	v := reflect.New(reflect.TypeOf(r).Elem())
	v.Elem().Set(reflect.ValueOf(r).Elem())
	if from := reflect.ValueOf(other).Elem(); from.Type() == v.Elem().Type() {
		field := d.IntN(from.NumField())
		v.Elem().Field(field).Set(from.Field(field))
	}
	if was, ok := r.(*record.Acknowledgement); ok { // and so is this one's
		next := v.Interface().(*record.Acknowledgement)
		next.Alert, next.By, next.Personal = was.Alert, was.By, was.Personal
		if !foldtest.OneIn(d, 3) {
			next.At = foldtest.RandomUpdate(d)
		}
		return next
	}
	if was, ok := r.(*record.RaisedAlert); ok {
		next := v.Interface().(*record.RaisedAlert)
		next.Alert, next.Number = was.Alert, was.Number
		return next
	}
	id, updated := "ID", "UpdatedAt"
	switch r.(type) {
	case *record.WalkIn, *record.ScreenMessage:
		updated = "At"
	}
	v.Elem().FieldByName(id).SetString(r.RecordID())
	if !foldtest.OneIn(d, 3) {
		v.Elem().FieldByName(updated).Set(reflect.ValueOf(foldtest.RandomUpdate(d)))
	}
	return v.Interface().(record.Record)
}
