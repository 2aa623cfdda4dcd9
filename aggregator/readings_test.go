package aggregator_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// seen appends records that were seen so long after began.
func seen(t *testing.T, db *logtest.Database, after time.Duration, records ...record.Record) {
	t.Helper()
	if _, err := db.Open().Append(t.Context(), aggregator.Batch{SeenAt: began.Add(after), Records: records}); err != nil {
		t.Fatal(err)
	}
}

// sayReadings are readings in short: event, minute after began, available, sold, present and net.
func sayReadings(all []aggregator.Reading) string {
	var texts []string
	for _, r := range all {
		available := "-"
		if r.Available != nil {
			available = fmt.Sprint(*r.Available)
		}
		texts = append(texts, fmt.Sprintf("%s@%d:%s/%d/%d/%d", r.Event, r.Minute-began.Unix()/60, available, r.Sold, r.Present, r.Net.In("EUR")))
	}
	return strings.Join(texts, " ")
}

// A reading is what a performance came to when a minute ended in which that changed.
func TestReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		paid := &record.Payment{ID: "p", EventID: "a", Amount: record.Money{Amount: 2500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: began, UpdatedAt: began}
		seen(t, db, 0, event("a", 90, 0), event("b", 50, 0))
		seen(t, db, 10*time.Second, ticket("1", "a"))
		seen(t, db, time.Minute, paid)
		seen(t, db, 3*time.Minute, event("a", 89, time.Minute), event("b", 50, time.Minute)) // b is the same in figures
		seen(t, db, 2*time.Minute, ticket("2", "a"))                                         // by a clock that went back
		in := ticket("2", "a")
		in.Scans, in.UpdatedAt = []record.Scan{{At: began, Direction: record.Entry}}, began.Add(time.Minute)
		seen(t, db, 5*time.Minute, in, &record.WalkIn{ID: "w", EventID: "b", Count: 3, At: began})
		h := follow(t, db)
		defer h.stop()
		rows, upTo := h.Readings()
		if got, want := sayReadings(rows), "a@0:90/1/0/0 b@0:50/0/0/0 a@1:90/1/0/2500 a@3:89/2/0/2500"; got != want || upTo != 7 {
			t.Errorf("up to %d\n%s, want\n%s", upTo, got, want)
		}
		seen(t, db, 6*time.Minute, event("b", 49, 2*time.Minute))
		synctest.Wait()
		h.Recorded(7)
		rows, upTo = h.Readings()
		if got, want := sayReadings(rows), "a@5:89/2/1/2500 b@5:50/0/3/0"; got != want || upTo != 9 {
			t.Errorf("up to %d\n%s, want\n%s", upTo, got, want)
		}
	})
}

// One version that was seen by a clock far ahead, or far behind, keeps nothing from being read after it.
func TestReadingsOfWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		const ahead, behind = 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour
		for i, after := range []time.Duration{0, ahead, 0, behind, 2 * time.Minute, 3 * time.Minute} {
			seen(t, db, after, event("a", 90-i, time.Duration(i)*time.Minute))
		}
		h := follow(t, db)
		defer h.stop()
		rows, upTo := h.Readings()
		want := fmt.Sprintf("a@0:90/0/0/0 a@%d:89/0/0/0 a@0:88/0/0/0 a@%d:87/0/0/0 a@2:86/0/0/0", int64(ahead/time.Minute), int64(behind/time.Minute))
		if got := sayReadings(rows); got != want || upTo != 5 {
			t.Errorf("up to %d\n%s, want\n%s", upTo, got, want)
		}
		// The log has all but the last: each minute once, ascending, as it was last.
		all := h.WithHeld("a", []aggregator.Reading{rows[3], rows[0], rows[1]})
		want = fmt.Sprintf("a@%d:87/0/0/0 a@0:88/0/0/0 a@2:86/0/0/0 a@%d:89/0/0/0", int64(behind/time.Minute), int64(ahead/time.Minute))
		if got := sayReadings(all); got != want {
			t.Errorf("with those that are held\n%s, want\n%s", got, want)
		}
	})
}

// letGo reads how many readings are held while who stores them lets go of them.
func TestReadingsAreLetGoMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		defer h.stop()
		for i := range 50 {
			seen(t, db, time.Duration(i)*time.Minute, event("a", i, time.Duration(i)*time.Minute))
			_, upTo := h.Readings()
			h.Recorded(upTo)
		}
		synctest.Wait()
		if rows, upTo := h.Readings(); upTo != 49 || len(rows) == 0 || rows[len(rows)-1].Minute != began.Unix()/60+48 {
			t.Errorf("up to %d are held %s", upTo, sayReadings(rows))
		}
	})
}

// Whenever a process begins, and whatever it has read by then, the readings are those of one that read
// the whole log.
func TestReadingsAreRebuilt(t *testing.T) {
	seed := uint64(time.Now().UnixNano()) // by no bubble's clock, which is always the same
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 0))
		db := logtest.New()
		all, restarted := follow(t, db), follow(t, db)
		defer all.stop()
		var stored []aggregator.Reading
		at := time.Duration(0)
		for range 400 {
			at += time.Duration(random.IntN(50)) * time.Second
			id := fmt.Sprint(random.IntN(3))
			now := at
			switch random.IntN(40) { // of a wrong clock
			case 0:
				now += 365 * 24 * time.Hour
			case 1:
				now -= time.Duration(random.IntN(60)) * time.Minute
			}
			switch updated := at; random.IntN(4) {
			case 0:
				seen(t, db, now, event(id, random.IntN(4), updated))
			case 1:
				number := random.IntN(10)
				seen(t, db, now, &record.Payment{ID: fmt.Sprint(number), EventID: fmt.Sprint(number % 3), Amount: record.Money{Amount: int64(100 * random.IntN(4)), Currency: "EUR"},
					Status: []record.PaymentStatus{record.PaymentPaid, record.PaymentOpen, record.PaymentRefunded}[random.IntN(3)], PaidAt: began, UpdatedAt: began.Add(updated)})
			default:
				s := ticket(fmt.Sprint(random.IntN(20)), id)
				s.Status, s.UpdatedAt = []record.TicketStatus{record.TicketValid, record.TicketValid, record.TicketRefunded}[random.IntN(3)], began.Add(updated)
				s.Scans = []record.Scan{{At: began, Direction: []record.Direction{record.Entry, record.Exit}[random.IntN(2)]}}
				seen(t, db, now, s)
			}
			if random.IntN(20) > 0 {
				continue
			}
			synctest.Wait()
			rows, upTo := restarted.Readings()
			if random.IntN(3) > 0 { // else the write is lost
				stored = append(stored, rows...)
				db.SetRecorded(upTo)
				restarted.Recorded(upTo)
			}
			if random.IntN(2) > 0 {
				restarted.stop()
				restarted = follow(t, db)
			}
		}
		synctest.Wait()
		rows, _ := restarted.Readings()
		restarted.stop()
		want, _ := all.Readings()
		if got := append(stored, rows...); len(want) < 50 || !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d:\n%s, want\n%s", seed, sayReadings(got), sayReadings(want))
		}
	})
}

// What is known in part, while a list is first read, is no reading of the moment: there are none until
// all lists were, and then one of each performance, whenever a process begins. A list that only fails is
// not waited for, whatever was read of it before, nor one from which no reading comes.
func TestReadingsOfAFirstSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		lists := slices.Concat(streams, []aggregator.Stream{{Name: "contacts", Kinds: []record.Kind{record.KindContact}}})
		append := func(after time.Duration, states []aggregator.StreamState, records ...record.Record) {
			t.Helper()
			if _, err := db.Open().Append(t.Context(), aggregator.Batch{SeenAt: began.Add(after), Records: records, Streams: states}); err != nil {
				t.Fatal(err)
			}
		}
		synced := func(name string, minutes int) aggregator.StreamState {
			at := began.Add(time.Duration(minutes) * time.Minute)
			return aggregator.StreamState{Name: name, Since: at, Synced: at}
		}
		live := followStreams(t, db, lists)
		defer live.stop()
		check := func(when string, h *house, want string) {
			t.Helper()
			synctest.Wait()
			if rows, upTo := h.Readings(); sayReadings(rows) != want || want == "" && upTo != 0 {
				t.Errorf("%s: up to %d %s, want %s", when, upTo, sayReadings(rows), want)
			}
		}
		again := func(when, want string) {
			t.Helper()
			check(when+", live", live, want)
			h := followStreams(t, db, lists)
			defer h.stop()
			check(when+", begun anew", h, want)
		}
		append(0, []aggregator.StreamState{synced("events", 0)}, event("a", 90, 0), event("b", 50, 0))
		append(1*time.Minute, []aggregator.StreamState{{Name: "tickets", Read: 1, Total: 3}}, ticket("1", "a"))
		append(2*time.Minute, []aggregator.StreamState{{Name: "tickets", Read: 2, Total: 3, Missed: 1}}, ticket("2", "a"))
		again("under way", "")
		append(3*time.Minute, []aggregator.StreamState{synced("tickets", 3)}, ticket("3", "a"))
		again("ended", "")
		append(7*time.Minute, nil, ticket("4", "b"))
		again("gone on", "a@3:90/3/0/0 b@3:50/0/0/0")
		append(9*time.Minute, nil, event("b", 48, time.Minute))
		again("at last", "a@3:90/3/0/0 b@3:50/0/0/0 b@7:50/1/0/0")
		append(9*time.Minute, []aggregator.StreamState{{Name: "tickets", Read: 2, Total: 3, Missed: figures.FailingPolls, Fault: figures.FaultStale}})
		append(11*time.Minute, nil, event("b", 47, 2*time.Minute))
		check("of a list that only fails", live, "a@3:90/3/0/0 b@3:50/0/0/0 b@7:50/1/0/0 b@9:48/1/0/0")
	})
}
