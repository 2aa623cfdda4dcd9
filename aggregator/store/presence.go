package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"time"
)

// HolderID returns the public name of the holder of a credential: a session or a screen. It is no
// credential. It is a session's SessionInfo.ID.
func HolderID(credential string) string { return hex.EncodeToString(hash(credential)) }

// Presence is who is watching what, over all processes. Each process writes what it sees.
type Presence struct{ s *Store }

// Presence returns the presence of the database.
func (s *Store) Presence() *Presence { return &Presence{s} }

// Watching is a holder as one process sees it.
type Watching struct {
	Holder string `json:"holder"` // its HolderID
	// Replica is the process that sees it; Write ignores it.
	Replica string `json:"-"`
	// Sockets is how many sockets it has open, and Topics what they watch; 0 and none once it has left.
	Sockets int      `json:"sockets"`
	Topics  []string `json:"topics"`
	// Address and Agent are where the last socket was opened from, and by which browser.
	Address string `json:"address"`
	Agent   string `json:"agent"`
	// Version is that of the pages.
	Version string `json:"version"`
	// Loaded is when the page of the last socket was loaded; zero if that is not known. It is not returned.
	Loaded time.Time `json:"-"`
	// Seen is when the holder was last seen, and Since from when on it has been present without a break. A break
	// of a few minutes does not count, nor does time in which a page was open without a connection. Both are zero
	// if they were never written. They are set by the clock of the writing process.
	Seen  time.Time `json:"-"`
	Since time.Time `json:"-"`
}

// unbroken is how long a holder may be unseen without that counting as a break: the connection of a screen, or the
// program, may be restarted.
const unbroken = 5 * time.Minute

// known returns since when a holder who is here now must have been seen for its presence to be without a break,
// given when its page was loaded.
func known(loaded, now time.Time) time.Time {
	if since := now.Add(-unbroken); loaded.IsZero() || since.Before(loaded) {
		return since
	}
	return loaded
}

// Unbroken returns since when a holder who is here now has been present without a break, given when its page was
// loaded and what Write stored; now if it has just come.
func Unbroken(seen []Watching, loaded, now time.Time) time.Time {
	since := now
	for _, w := range seen {
		if !w.Since.IsZero() && w.Since.Before(since) && !w.Seen.Before(known(loaded, now)) {
			since = w.Since
		}
	}
	return since
}

// Write stores, in one statement, what a process sees now, and hints SubjectPresence. Holders that are not in all
// stay as they were last seen.
func (p *Presence) Write(ctx context.Context, replica string, all []Watching) error {
	if len(all) == 0 {
		return nil
	}
	type noted struct {
		Watching
		Known int64 `json:"known"`
	}
	now := p.s.now()
	notes := make([]noted, len(all))
	for i, w := range all {
		w.Topics = append([]string{}, w.Topics...) // so that it is not null
		notes[i] = noted{w, known(w.Loaded, now).UnixMilli()}
	}
	list, err := json.Marshal(notes)
	if err == nil {
		err = p.s.change(ctx, SubjectPresence, func(tx *sql.Tx) error {
			_, err := p.s.exec(ctx, tx, `INSERT INTO presence (holder, replica, seen, sockets, topics, address, agent, version, since)
				SELECT value ->> 'holder', $2, CAST($3 AS BIGINT), CAST(value ->> 'sockets' AS BIGINT), value ->> 'topics', value ->> 'address', value ->> 'agent', value ->> 'version',
					coalesce((SELECT min(nullif(before.since, 0)) FROM presence before WHERE before.holder = value ->> 'holder' AND before.seen >= CAST(value ->> 'known' AS BIGINT)), CAST($3 AS BIGINT))
				FROM `+p.s.database.Elements()+` WHERE true
				ON CONFLICT (holder, replica) DO UPDATE SET seen = excluded.seen, sockets = excluded.sockets,
					topics = excluded.topics, address = excluded.address, agent = excluded.agent, version = excluded.version, since = excluded.since`,
				string(list), replica, now.UnixMilli())
			return err
		})
	}
	return p.s.wrap("write presence", err)
}

// Of returns what is known of holders, by their HolderID: as each process saw them, the latest first.
func (p *Presence) Of(ctx context.Context, holders []string) (map[string][]Watching, error) {
	asked := make([]Watching, len(holders))
	for i, holder := range holders {
		asked[i].Holder = holder
	}
	list, err := json.Marshal(asked)
	if err != nil {
		return nil, p.s.wrap("read presence", err)
	}
	all := make(map[string][]Watching)
	err = p.s.each(ctx, p.s.reader, func(scan scanner) error {
		var w Watching
		var topics []byte
		var seen, since int64
		if err := scan(&w.Holder, &w.Replica, &w.Sockets, &topics, &w.Address, &w.Agent, &w.Version, &seen, &since); err != nil {
			return err
		}
		if err := json.Unmarshal(topics, &w.Topics); err != nil {
			return err
		}
		w.Seen = time.UnixMilli(seen)
		if since != 0 {
			w.Since = time.UnixMilli(since)
		}
		all[w.Holder] = append(all[w.Holder], w)
		return nil
	}, `SELECT holder, replica, sockets, topics, address, agent, version, seen, since FROM presence
		WHERE holder IN (SELECT value ->> 'holder' FROM `+p.s.database.Elements()+`) ORDER BY seen DESC, replica`, string(list))
	return all, p.s.wrap("read presence", err)
}

// Clear deletes holders that no process has seen since a time, a few at once.
func (p *Presence) Clear(ctx context.Context, before time.Time) error {
	for more := true; more; {
		err := p.s.write(ctx, func(tx *sql.Tx) error {
			n, err := p.s.exec(ctx, tx, `DELETE FROM presence WHERE (holder, replica) IN (SELECT holder, replica FROM presence WHERE seen < $1 LIMIT $2)`,
				before.UnixMilli(), clearAtOnce)
			more = n == clearAtOnce
			return err
		})
		if err != nil {
			return p.s.wrap("clear presence", err)
		}
	}
	return nil
}
