package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"text/tabwriter"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/options"
	"housecount/web"
	"housecount/web/admin"
)

// screensCommand manages the screens of a housecount, which may run on another machine: they are in the database.
type screensCommand struct {
	Add    screensAddCommand    `cmd:"" help:"Add a screen, and print the address that makes a device this screen, one at a time."`
	List   screensListCommand   `cmd:"" help:"List the screens."`
	Revoke screensRevokeCommand `cmd:"" help:"End screens; within a second they show a code instead."`
}

type screensAddCommand struct {
	options.DatabaseFlags `embed:""`

	options.PublicURLFlag `embed:""`
	Name                  string   `help:"What the screen is called." placeholder:"NAME"`
	Place                 string   `help:"Where it hangs."`
	Halls                 []string `help:"The halls that it may show; all unless given." placeholder:"HALL,..."`
	Programme             string   `help:"The name or the id of the programme that it shows; the automatic one unless given."`
	Office                bool     `help:"It hangs where no visitor sees it, and may show counts."`
	Language              string   `help:"Its language: en, nl or de." default:"en" check:"language"`
}

func (c screensAddCommand) Check(faults *options.Faults) {
	c.Address(faults)
	switch {
	case admin.CleanLabel(c.Name) == "":
		faults.Add("--name is missing: say what the screen is called")
	case len([]rune(c.Name)) > admin.MaxNameLength || len([]rune(c.Place)) > admin.MaxNameLength:
		faults.Add("--name and --place may have %d characters", admin.MaxNameLength)
	}
}

func (c screensAddCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	programme, err := c.programme(ctx, db)
	if err != nil {
		return err
	}
	access := web.Access{Money: web.NoMoney, Public: !c.Office}
	if len(c.Halls) > 0 {
		access = access.InHalls(c.Halls...)
	}
	secret := rand.Text()
	if _, err := db.Screens().Add(ctx, store.Screen{Name: admin.CleanLabel(c.Name), Place: admin.CleanLabel(c.Place), Programme: programme, Language: c.Language, Access: access.String(), By: "housecount screens add"}, secret, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActScreenAdded}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s/screen#%s\n", strings.TrimRight(c.PublicURL, "/"), secret)
	return err
}

// programme returns the id of the screen's programme; empty for the automatic one.
func (c screensAddCommand) programme(ctx context.Context, db *store.Store) (id string, err error) {
	if c.Programme == "" {
		return "", nil
	}
	list, err := db.Programmes().List(ctx)
	if err != nil {
		return "", err
	}
	var named []string // their ids
	var all strings.Builder
	for _, p := range list {
		if p.ID == c.Programme {
			return p.ID, nil
		}
		if p.Name == c.Programme {
			named = append(named, p.ID)
		}
		fmt.Fprintf(&all, "\n  %s  %s", p.ID, printable(p.Name))
	}
	var faults options.Faults
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(list) == 0:
		faults.Add("there are no programmes: leave --programme out for the automatic one")
	case len(named) == 0:
		faults.Add("there is no programme %q; there are:%s", c.Programme, all.String())
	default:
		faults.Add("several programmes are called %q: give one by its id; there are:%s", c.Programme, all.String())
	}
	return "", faults.OrNil()
}

type screensListCommand struct {
	options.DatabaseFlags `embed:""`
}

func (c screensListCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	list, err := db.Screens().List(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(env.stdout, "There are no screens.")
		return err
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SCREEN\tNAME\tPLACE\tSHOWS\tHALLS\tLANGUAGE\tDEVICE\tSIZE\tFROM\tSINCE\tBY")
	for _, s := range list {
		shows, halls := accessWords(s)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, printable(s.Name), printable(s.Place), shows, printable(halls),
			s.Language, printable(s.Kind), s.Size, s.Address, moment(s.Created), printable(s.By))
	}
	return w.Flush()
}

// accessWords returns in words what a screen may show, and of which halls.
func accessWords(s store.Screen) (shows, halls string) {
	a, err := web.ParseAccess(s.Access)
	shows, halls = "public", "all"
	if err == nil && !a.Public {
		shows = "office"
	}
	if named := a.Halls(); len(named) > 0 {
		halls = strings.Join(named, ", ")
	}
	return shows, halls
}

type screensRevokeCommand struct {
	options.DatabaseFlags `embed:""`

	Screen []string `arg:"" help:"Screens by their ids, as screens list shows them."`
}

func (c screensRevokeCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	var faults options.Faults
	revoked := 0
	for _, id := range c.Screen {
		ok, err := db.Screens().Revoke(ctx, id, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActScreenRevoked})
		if err != nil {
			return err
		}
		if !ok {
			faults.Add("there is no screen %s: housecount screens list shows them", id)
			continue
		}
		revoked++
	}
	if _, err := fmt.Fprintf(env.stdout, "screens ended: %d\n", revoked); err != nil {
		return err
	}
	return faults.OrNil()
}
