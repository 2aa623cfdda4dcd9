package bodies

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"housecount/apiclient/record"
)

// Bodies are written as encoding/json writes them and read as it reads them, whatever a
// record holds.
func TestBodies(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	parse := NewParser()
	for range 20_000 {
		kind := record.Kinds[random.IntN(len(record.Kinds))]
		r := record.New(kind)
		fill(reflect.ValueOf(r).Elem(), random)
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Append([]byte("before"), r)
		if err != nil || string(got) != "before"+string(want) {
			t.Fatalf("seed %d: %v\n got %s\nwant %s", seed, err, got, want)
		}
		expected, err := Decode(kind, want)
		if err != nil {
			t.Fatal(err)
		}
		inUTC(reflect.ValueOf(expected))
		back, err := parse.Record(kind, want)
		if inUTC(reflect.ValueOf(back)); err != nil || !reflect.DeepEqual(back, expected) {
			t.Fatalf("seed %d: %s: %v\n got %+v\nwant %+v", seed, want, err, back, expected)
		}
	}
}

// Our own bodies are never left to encoding/json.
func TestParserReadsBodies(t *testing.T) {
	at := time.Date(2026, 11, 20, 19, 32, 7, 123456789, time.UTC)
	euros := &record.Money{Amount: -1250, Currency: "EUR"}
	for _, r := range []record.Record{
		&record.Event{ID: "e", Available: new(-3), StartsAt: at, UpdatedAt: at.Truncate(time.Second), TicketTypes: []record.TicketType{{ID: "t", Price: euros}}},
		&record.Ticket{ID: "t", Price: euros, Admits: new(false), Scans: []record.Scan{{At: at, Direction: record.Entry}}, UpdatedAt: at.Truncate(time.Millisecond)},
		&record.Payment{ID: "p", Amount: *euros, TicketIDs: []string{"a", "b"}},
		&record.TicketScan{ID: "s", Scan: record.Scan{At: at, Undone: true}},
	} {
		body, err := Append(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if record.NewReader(r.RecordKind()).Read(body) == nil {
			t.Errorf("%s: the reader gave up", body)
		}
	}
}

// FuzzParser holds the parser against encoding/json: it reads as that does.
func FuzzParser(f *testing.F) {
	f.Add(uint8(1), []byte(`{"id":"a","event_id":"e","status":"valid","scans":[{"at":"2026-11-20T19:32:07.5Z","direction":"entry"}]}`))
	f.Add(uint8(0), []byte(`{"id":"a","title":"\u003c","date":"","available":null,"ticket_types":[{"id":"x","name":"","price":{"amount":1,"currency":"EUR"}}]}`))
	f.Add(uint8(2), []byte(`{"id":"a","amount":{"amount":12,"currency":"EUR"},"status":"paid","ticket_ids":["a"]}`))
	f.Fuzz(func(t *testing.T, n uint8, body []byte) {
		kind := record.Kinds[int(n)%len(record.Kinds)]
		got, gotErr := NewParser().Record(kind, body)
		want, err := Decode(kind, body)
		if (gotErr == nil) != (err == nil) {
			t.Fatalf("%s: %v, want %v", body, gotErr, err)
		}
		if err != nil {
			return
		}
		inUTC(reflect.ValueOf(got))
		if inUTC(reflect.ValueOf(want)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", body, got, want)
		}
	})
}

// inUTC sets all times to UTC, in which the parser gives them.
func inUTC(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	switch at, is := v.Interface().(time.Time); {
	case is && v.CanSet():
		v.Set(reflect.ValueOf(at.UTC()))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		inUTC(v.Elem())
	case v.Kind() == reflect.Struct && !is:
		for i := range v.NumField() {
			inUTC(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			inUTC(v.Index(i))
		}
	}
}

// fill gives every field a random value, often none.
func fill(v reflect.Value, random *rand.Rand) {
	if random.IntN(3) == 0 {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		zone := []*time.Location{time.UTC, time.UTC, time.UTC, time.FixedZone("", 3600)}[random.IntN(4)]
		nanos := []int64{0, 5e8, 123456789}[random.IntN(3)]
		v.Set(reflect.ValueOf(time.Unix(random.Int64N(7e9), nanos).In(zone)))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), random)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), random)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), random)
		}
	case reflect.String:
		v.SetString([]string{"web", "evt_1", "valid", `a "b" \ <c>`, "é 🎭 \u2028", "\x00\n\xff", "EUR"}[random.IntN(7)])
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64N(3000) - 1000)
	case reflect.Bool:
		v.SetBool(true)
	}
}
