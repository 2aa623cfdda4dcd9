package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Screens are the screens on walls, and the devices waiting to become one. A device holds a credential,
// stored only as its SHA-256, from the moment at which it shows a code; once somebody has claimed the code,
// the credential is the screen's, and the first of a series (screen_series.go). A credential that a method is given may be any
// of its series. Every change of a screen, and the end of a code, hints SubjectScreens.
// Each change that a person makes is added to the audit in the same transaction, with the screen as its
// object.
type Screens struct{ s *Store }

// Screens returns the screens of the database.
func (s *Store) Screens() *Screens { return &Screens{s} }

// Device is what is known of a screen's device. Kind and Size are reported by the device.
type Device struct {
	Kind, Size, Address string
}

// Screen is a paired device.
type Screen struct {
	// ID identifies the screen and is no credential. Pair and Add create it.
	ID          string
	Name, Place string
	// Programme is the id of its programme; empty for the automatic one.
	Programme string
	Language  string
	// Access is what it may show. The store does not interpret it.
	Access string
	// Margin is the width left free around the picture, in thousandths of its short side.
	Margin int
	// Dark are the hours at which it shows nothing, such as 23:30-08:00; empty for none.
	Dark string
	// Dim are the hours at which it is dimmed, like Dark.
	Dim string
	// Off is the time since which it is switched off on purpose; zero if it should be on. Blank is true if it is
	// on and shows nothing.
	Off   time.Time
	Blank bool
	// Identify and Reload are when Tell last asked it to show its name and to reload its page.
	Identify, Reload time.Time
	Device
	// Fault is the last fault that the screen reported, and FaultAt when.
	Fault   string
	FaultAt time.Time
	// Holder is the HolderID of its device; empty if it has none yet.
	Holder string
	// Uses is the name that the device using its credential has given itself; empty for none yet.
	Uses string
	// Copied is when another device was last noticed with its credential; zero if that was never, or somebody has dealt
	// with it.
	Copied  time.Time
	Created time.Time
	By      string
}

// Report stores a fault that a screen reports.
func (c *Screens) Report(ctx context.Context, credential, fault string) error {
	err := c.s.change(ctx, SubjectScreens, func(tx *sql.Tx) error {
		_, err := c.s.exec(ctx, tx, `UPDATE screen SET fault = $1, fault_at = $2 WHERE credential_hash = $3`, fault, c.s.now().UnixMilli(), hash(Series(credential)))
		return err
	})
	return c.s.wrap("note a screen's fault", err)
}

// Describe stores the size of the picture of a screen, or of a device that waits.
func (c *Screens) Describe(ctx context.Context, credential, size string) error {
	err := c.s.write(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			`UPDATE pairing SET size = $1 WHERE credential_hash = $2 AND size <> $1`,
			`UPDATE screen SET size = $1 WHERE credential_hash = $2 AND size <> $1`,
		} {
			if _, err := c.s.exec(ctx, tx, statement, size, hash(Series(credential))); err != nil {
				return err
			}
		}
		return nil
	})
	return c.s.wrap("describe a screen", err)
}

// Add creates a screen without a device. The first device that opens the link becomes the screen.
func (c *Screens) Add(ctx context.Context, screen Screen, link string, by Act) (id string, err error) {
	_, err = c.act(ctx, func(tx *sql.Tx) error {
		id, err = c.insert(ctx, tx, screen, deviceHash{link: hash(link)}, by)
		return err
	})
	return id, c.s.wrap("add a screen", err)
}

// deviceHash is the hash of that by which the device of a new screen is known: a credential, or the link that it will open.
type deviceHash struct{ credential, link []byte }

func (c *Screens) insert(ctx context.Context, tx *sql.Tx, screen Screen, device deviceHash, by Act) (id string, err error) {
	id = newID()
	if _, err := c.s.exec(ctx, tx, `INSERT INTO screen
		(id, name, place, programme, language, access, margin, dark, dim, kind, size, address, credential_hash, link_hash, created, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		id, screen.Name, screen.Place, screen.Programme, screen.Language, screen.Access, screen.Margin, screen.Dark, screen.Dim,
		screen.Kind, screen.Size, screen.Address, device.credential, device.link, c.s.now().UnixMilli(), screen.By); err != nil {
		return "", err
	}
	by.Object, by.ObjectName, by.After = id, screen.Name, screen.Access
	c.s.appendAct(tx, by)
	return id, nil
}

// act changes something of SubjectScreens and adds an act. done is false, and nothing is hinted, if f finds no row
// to change.
func (c *Screens) act(ctx context.Context, f func(*sql.Tx) error) (done bool, err error) {
	err = c.s.change(ctx, SubjectScreens, f)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	c.s.hints.hint(SubjectAudit)
	return true, nil
}

// Use stores that a device with that name is now the one that uses a screen's credential. If another device used
// it before, that is recorded with the act. It does nothing if the credential is not a screen's, or the device has not changed.
func (c *Screens) Use(ctx context.Context, credential, device string, by Act) error {
	_, err := c.act(ctx, func(tx *sql.Tx) error {
		series := hash(Series(credential))
		if _, err := c.s.exec(ctx, tx, `UPDATE screen SET name = name WHERE credential_hash = $1`, series); err != nil { // locks the row
			return err
		}
		var before string
		err := c.s.row(ctx, tx, `SELECT id, name, device FROM screen WHERE credential_hash = $1 AND device <> $2`, series, device).Scan(&by.Object, &by.ObjectName, &before)
		if err != nil {
			return err
		}
		if _, err := c.s.exec(ctx, tx, `UPDATE screen SET device = $1 WHERE id = $2`, device, by.Object); err != nil || before == "" {
			return err
		}
		if _, err := c.s.exec(ctx, tx, `UPDATE screen SET copied = $1, copied_hash = NULL WHERE id = $2`, c.s.now().UnixMilli(), by.Object); err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return c.s.wrap("note the device of a screen", err)
}

// Holds is what a credential stands for: a screen or, if Screen is nil, a device that shows a code.
type Holds struct {
	Screen *Screen
	Size   string // of the picture, as last stored by Describe
	keys   seriesKeys
}

// Alive returns which of the credentials belong to screens, or to devices that show a code, with one query for
// each of the two. The credentials are of different series; see Holds.Valid.
func (c *Screens) Alive(ctx context.Context, credentials []string) (map[string]Holds, error) {
	alive := make(map[string]Holds, len(credentials))
	if len(credentials) == 0 {
		return alive, nil
	}
	byHash := make(map[string]string, len(credentials))
	hashes := make([][]byte, len(credentials))
	for i, credential := range credentials {
		hashes[i] = hash(Series(credential))
		byHash[string(hashes[i])] = credential
	}
	among, list := c.s.database.Among("credential_hash", hashes)
	err := c.s.each(ctx, c.s.reader, func(scan scanner) error {
		var h []byte
		var held Holds
		err := scan(&h, &held.Size)
		alive[byHash[string(h)]] = held
		return err
	}, `SELECT credential_hash, size FROM pairing WHERE `+among+` AND expiry > $2`, list, c.s.now().UnixMilli())
	if err != nil {
		return nil, c.s.wrap("find screens", err)
	}
	screens, err := c.list(ctx, c.s.reader, among, list)
	for _, s := range screens {
		alive[byHash[string(s.series)]] = Holds{&s.Screen, s.Size, s.keys}
	}
	return alive, err
}

// listed is a screen with the hashes of its series and of the credentials of that.
type listed struct {
	Screen
	series []byte
	keys   seriesKeys
}

// list returns the screens that were not revoked and satisfy a condition, by name.
func (c *Screens) list(ctx context.Context, on runner, condition string, values ...any) (all []listed, err error) {
	err = c.s.each(ctx, on, into(&all, scanListed), `SELECT id, name, place, programme, language, access, margin, dark, dim, kind, size, address, credential_hash, created, created_by,
			coalesce(off, 0), blank, identify, reload, fault, fault_at, device, copied, key_hash, next_hash, spare_hash, issued, issued_at
		FROM screen WHERE `+condition+` AND revoked_at IS NULL ORDER BY name, id`, values...)
	return all, c.s.wrap("list screens", err)
}

func scanListed(scan scanner) (l listed, err error) {
	var created, off, blank, identify, reload, faultAt, copied, issuedAt int64
	err = scan(&l.ID, &l.Name, &l.Place, &l.Programme, &l.Language, &l.Access, &l.Margin, &l.Dark, &l.Dim,
		&l.Kind, &l.Size, &l.Address, &l.series, &created, &l.By,
		&off, &blank, &identify, &reload, &l.Fault, &faultAt, &l.Uses, &copied, &l.keys.now, &l.keys.next, &l.keys.spare, &l.keys.issued, &issuedAt)
	l.Created, l.Blank, l.Holder = time.UnixMilli(created), blank != 0, hex.EncodeToString(l.series)
	for at, ms := range map[*time.Time]int64{&l.Off: off, &l.Identify: identify, &l.Reload: reload, &l.FaultAt: faultAt, &l.Copied: copied, &l.keys.at: issuedAt} {
		if ms != 0 {
			*at = time.UnixMilli(ms)
		}
	}
	return l, err
}

// List returns the screens that were not revoked, by name.
func (c *Screens) List(ctx context.Context) ([]Screen, error) {
	listed, err := c.list(ctx, c.s.reader, `1 = 1`)
	all := make([]Screen, len(listed))
	for i, l := range listed {
		all[i] = l.Screen
	}
	return all, err
}

// Change has change alter the name, place, programme, language, access, margin, dark and dimmed hours, Off,
// Blank and Copied of a screen; false when there is none of that id. Whoever changes it at the same time waits,
// so that nothing is lost. The act's Before and After are the settings that differ, as queries such as
// margin=20&name=Bar, in which a programme is named.
func (c *Screens) Change(ctx context.Context, id string, by Act, change func(*Screen)) (changed bool, err error) {
	changed, err = c.act(ctx, func(tx *sql.Tx) error {
		if _, err := c.s.exec(ctx, tx, `UPDATE screen SET name = name WHERE id = $1`, id); err != nil { // locks the row
			return err
		}
		found, err := c.list(ctx, tx, `id = $1`, id)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return sql.ErrNoRows
		}
		before, s := found[0].Screen, found[0].Screen
		change(&s)
		if err := c.update(ctx, tx, &s); err != nil {
			return err
		}
		by.Object, by.ObjectName = id, s.Name
		if by.Before, by.After, err = c.differences(ctx, tx, &before, &s); err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return changed, c.s.wrap("change a screen", err)
}

// update stores what Change may alter.
func (c *Screens) update(ctx context.Context, tx *sql.Tx, s *Screen) error {
	var off any
	if !s.Off.IsZero() {
		off = s.Off.UnixMilli()
	}
	blank, copied := 0, int64(0)
	if s.Blank {
		blank = 1
	}
	if !s.Copied.IsZero() {
		copied = s.Copied.UnixMilli()
	}
	_, err := c.s.exec(ctx, tx, `UPDATE screen SET name = $1, place = $2, programme = $3, language = $4, access = $5, margin = $6, dark = $7, dim = $8, off = $9, blank = $10, copied = $11 WHERE id = $12`,
		s.Name, s.Place, s.Programme, s.Language, s.Access, s.Margin, s.Dark, s.Dim, off, blank, copied, s.ID)
	return err
}

// differences returns the settings in which two states of a screen differ, as queries such as
// margin=20&name=Bar; a programme is named.
func (c *Screens) differences(ctx context.Context, tx *sql.Tx, before, after *Screen) (was, is string, err error) {
	programme := func(id string) (name string, err error) {
		err = c.s.row(ctx, tx, `SELECT name FROM programme WHERE id = $1`, id).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) { // it was deleted, or is the automatic one
			return "", nil
		}
		return name, err
	}
	settings := func(s *Screen) (url.Values, error) {
		name, err := programme(s.Programme)
		return url.Values{"name": {s.Name}, "place": {s.Place}, "programme": {name}, "language": {s.Language}, "access": {s.Access},
			"margin": {strconv.Itoa(s.Margin)}, "dark": {s.Dark}, "dim": {s.Dim}}, err
	}
	old, err := settings(before)
	if err != nil {
		return "", "", err
	}
	now, err := settings(after)
	for name := range old {
		if old.Get(name) == now.Get(name) {
			old.Del(name)
			now.Del(name)
		}
	}
	return old.Encode(), now.Encode(), err
}

// Command is what a screen can be asked to do once.
type Command string

// The commands.
const (
	CommandIdentify Command = "identify" // show its name
	CommandReload   Command = "reload"   // reload its page
)

// Tell asks a screen to do something once; done is false if there is no screen with that id.
func (c *Screens) Tell(ctx context.Context, id string, command Command, by Act) (done bool, err error) {
	var set string
	switch command {
	case CommandIdentify:
		set = `UPDATE screen SET identify = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id, name`
	case CommandReload:
		set = `UPDATE screen SET reload = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id, name`
	default:
		return false, fmt.Errorf("store: there is no command %q", command)
	}
	done, err = c.act(ctx, func(tx *sql.Tx) error {
		if err := c.s.row(ctx, tx, set, c.s.now().UnixMilli(), id).Scan(&by.Object, &by.ObjectName); err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return done, c.s.wrap("tell a screen", err)
}

// Revoke ends a screen for good; false when there is none of that id.
func (c *Screens) Revoke(ctx context.Context, id string, by Act) (revoked bool, err error) {
	revoked, err = c.act(ctx, func(tx *sql.Tx) error {
		err := c.s.row(ctx, tx, `UPDATE screen SET revoked_at = $1, credential_hash = NULL, link_hash = NULL, key_hash = NULL, next_hash = NULL, spare_hash = NULL
			WHERE id = $2 AND revoked_at IS NULL RETURNING id, name`, c.s.now().UnixMilli(), id).Scan(&by.Object, &by.ObjectName)
		if err != nil {
			return err
		}
		c.s.appendAct(tx, by)
		return nil
	})
	return revoked, c.s.wrap("revoke a screen", err)
}
