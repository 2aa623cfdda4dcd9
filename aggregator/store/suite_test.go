package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// suite is what every database must do. Each test gets the name of a fresh one.
var suite = []struct {
	name string
	run  func(t *testing.T, database string)
}{
	{"append stores what is newer", testAppendNewer},
	{"slices find what the figures lack", testSlices},
	{"append agrees with Newer", testAgreesWithNewer},
	{"a damaged version", testDamagedVersion},
	{"who follows gets what was appended", testFollowAppended},
	{"who follows among others", testFollowAmongOthers},
	{"a first read", testFirstRead},
	{"rows own records", testRowsOwnRecords},
	{"random rows", testRandomRows},
	{"append repeats within a batch", testAppendRepeats},
	{"what people enter", testEnter},
	{"what people change", testReplace},
	{"a contact is forgotten", testForget},
	{"everything is forgotten", testForgetAll},
	{"scans and contacts are retired", testRetire},
	{"retiring is interrupted", testRetireInterrupted},
	{"append of odd ids", testOddIDs},
	{"append without times", testAppendWithoutTimes},
	{"late versions", testLateVersions},
	{"versions dated ahead", testDatedAhead},
	{"deleted records", testDeleted},
	{"append fails whole", testAppendFails},
	{"append under another's term", testAppendTerm},
	{"a big batch", testBigBatch},
	{"records come back as they were", testRoundTrip},
	{"versions beside a writer", testVersionsBesideWriter},
	{"versions end on demand", testVersionsEnd},
	{"versions at revisions", testVersionsAt},
	{"streams and position outlive the process", testStreams},
	{"services are apart", testServices},
	{"a log succeeds another", testSuccession},
	{"letters", testLetters},
	{"letters are claimed at once", testClaimLettersAtOnce},
	{"letters of the house", testLettersOfTheHouse},
	{"who was told", testTold},
	{"alerts that are left out", testLeave},
	{"keys", testKeys},
	{"heads", testHeads},
	{"answers", testAnswers},
	{"folding changes no figure", testFold},
	{"many are folded", testFoldMany},
	{"folding beside a reader", testFoldWhileRead},
	{"renew", testRenew},
	{"a person has so many sessions", testMostSessions},
	{"each act has the hash of the one before", testAuditChain},
	{"restored in place", testRestoredInPlace},
	{"restored states", testRestoredStates},
	{"continues", testContinues},
	{"the lease is handed on", testLeaseHandedOn},
	{"lead fails", testLeadFails},
	{"an old leader wakes", testOldLeaderWakes},
	{"watch", testWatch},
	{"clocks apart", testClocksApart},
	{"a follower far behind", testFarBehind},
	{"writers take turns", testWritersTakeTurns},
	{"sessions", testSessions},
	{"sessions expire", testSessionExpiry},
	{"an ended session stays dead", testTombstone},
	{"sessions of a person", testSessionOwner},
	{"sessions of the sign-in service", testSessionSID},
	{"an order is carried out once", testRevokeOnce},
	{"idle sessions end", testSessionIdle},
	{"sessions are listed", testSessionList},
	{"sessions are claimed", testSessionClaim},
	{"sessions are claimed once", testClaimAtOnce},
	{"sessions at once", testSessionsAtOnce},
	{"roles of addresses", testGrants},
	{"attempts", testAttempts},
	{"sealed with secret keys", testSeal},
	{"certificates", testCertificates},
	{"credentials", testCredentials},
	{"credentials after a crash", testCredentialsAfterACrash},
	{"credentials by one clock", testCredentialsByOneClock},
	{"screens are paired", testPairing},
	{"codes are limited", testCodesLimited},
	{"codes give way", testCodesGiveWay},
	{"screens by a link", testScreenLink},
	{"screens are looked after", testScreens},
	{"credentials of screens follow on", testSeries},
	{"a credential of a screen at once", testSeriesAtOnce},
	{"credentials of screens set back", testSeriesSetBack},
	{"credentials of screens end", testSeriesEnds},
	{"credentials of screens restored", testSeriesRestored},
	{"programmes", testProgrammes},
	{"audit", testAudit},
	{"the end of a session is an act", testEndIsAnAct},
	{"old acts are cleared", testAuditCleared},
	{"presence", testPresence},
	{"nudges", testNudges},
	{"messages of services", testMessages},
}

// Each test gets a copy of one database: to make the schema takes longer than most tests do.
func TestSQLite(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	closed(t, open(t, made))
	content, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suite {
		t.Run(c.name, func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "house.db")
			if err := os.WriteFile(database, content, 0o600); err != nil {
				t.Fatal(err)
			}
			c.run(t, database)
		})
	}
}

func TestPostgreSQL(t *testing.T) {
	made := pgtest.New(t)
	closed(t, open(t, made))
	for _, c := range suite {
		t.Run(c.name, func(t *testing.T) { c.run(t, pgtest.Copy(t, made)) })
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// open opens a database until the test ends or closed is called.
func open(t testing.TB, database string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func closed(t testing.TB, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// log is the log of a service and a term in which it is led.
type log struct {
	*store.Records
	term int64
	// end gives the lease back.
	end func()
}

func records(t testing.TB, s *store.Store, service string) *store.Records {
	t.Helper()
	r, err := s.Records(t.Context(), service)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// led waits for the lease of a service and holds it until the test ends or end is called.
func led(t testing.TB, r *store.Records) log {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	terms := make(chan int64, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.Lead(ctx, func(ctx context.Context, term int64) error {
			select {
			case terms <- term:
			default: // a second term: the first was ended on purpose
			}
			<-ctx.Done()
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	end := func() {
		cancel()
		wg.Wait()
	}
	t.Cleanup(end)
	select {
	case term := <-terms:
		return log{r, term, end}
	case <-time.After(30 * time.Second):
		t.Fatal("nobody gave the lease")
	}
	return log{}
}

// openLog opens a database and leads the log of its one service.
func openLog(t testing.TB, database string) log {
	t.Helper()
	return led(t, records(t, open(t, database), "default"))
}

func (l log) append(t testing.TB, records ...record.Record) aggregator.Appended {
	t.Helper()
	a, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: records})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fold folds versions that were seen before a time.
func (l log) fold(t testing.TB, before time.Time) (folded int, err error) {
	t.Helper()
	return l.Fold(t.Context(), l.term, before)
}

// put appends records and checks how many are new, and the revision.
func (l log) put(t testing.TB, stored int, revision int64, records ...record.Record) {
	t.Helper()
	if a := l.append(t, records...); a.New != stored || a.Revision != revision {
		t.Fatalf("%+v, want %d new and revision %d", a, stored, revision)
	}
}

func versions(t testing.TB, r *store.Records, after int64) []record.Version {
	t.Helper()
	var all []record.Version
	for v, err := range r.Versions(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// short are versions in short: revision, kind, id, and a mark on those that came late.
func short(all []record.Version) string {
	var texts []string
	for _, v := range all {
		text := fmt.Sprintf("%d:%.1s:%s", v.Revision, v.Record.RecordKind(), v.Record.RecordID())
		if !v.Head {
			text += ":late"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

func (l log) check(t testing.TB, after int64, want string) {
	t.Helper()
	if got := short(versions(t, l.Records, after)); got != want {
		t.Errorf("versions %s, want %s", got, want)
	}
}

func ticket(id string, minute int, status record.TicketStatus) *record.Ticket {
	return &record.Ticket{ID: id, EventID: "evt_1", Status: status, UpdatedAt: noon.Add(time.Duration(minute) * time.Minute)}
}

func tickets(n int) []record.Record {
	records := make([]record.Record, n)
	for i := range records {
		records[i] = ticket(fmt.Sprintf("tkt_%05d", i), 0, record.TicketValid)
	}
	return records
}

func heads(t testing.TB, r *store.Records, kinds ...record.Kind) string {
	t.Helper()
	var texts []string
	for v, err := range r.Heads(t.Context(), kinds...) {
		if err != nil {
			t.Fatal(err)
		}
		text := v.Record.RecordID()
		if ticket, ok := v.Record.(*record.Ticket); ok {
			text += ":" + string(ticket.Status)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// every returns one of each n records.
func every(n int, records []record.Record) (some []record.Record) {
	for r := range slices.Chunk(records, n) {
		some = append(some, r[0])
	}
	return some
}
