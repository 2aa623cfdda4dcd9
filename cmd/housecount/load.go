package main

import (
	"context"
	"time"

	"housecount/cmd/housecount/load"
	"housecount/cmd/housecount/options"
)

// loadCommand watches a running housecount as many people do, and prints what they get.
type loadCommand struct {
	URL      string        `name:"url" help:"Address of the housecount, without a path." required:"" placeholder:"URL" check:"address"`
	Watchers int           `help:"How many sockets to open; each person who logs in has 32, and as many log in as it takes." default:"100" check:"least 1"`
	Stalled  int           `help:"How many of them never read what they are sent." default:"0"`
	Topics   []string      `help:"The pages to watch, by their paths; the sockets are shared out among them. /events/* stands for all performances that Events lists from the evening on." default:"/tonight" placeholder:"PATH,..."`
	For      time.Duration `help:"How long to watch once all are open." default:"30s" check:"least 1s"`
	User     string        `help:"Name that the first of them logs in with; the others are NAME-2, NAME-3 and so on. The sandbox knows them." default:"manager"`
	Password string        `help:"Password of all of them." default:"manager-demo"`
}

func (c loadCommand) Check(faults *options.Faults) {
	if c.Stalled < 0 || c.Stalled >= c.Watchers {
		faults.Add("--stalled must be less than --watchers, not %d", c.Stalled)
	}
	if len(c.Topics) == 0 {
		faults.Add("--topics is empty: give the path of a page, like /tonight")
	}
}

// Run watches and prints.
func (c loadCommand) Run(ctx context.Context, env environment) error {
	return load.Watch(ctx, load.Options{URL: c.URL, Watchers: c.Watchers, Stalled: c.Stalled, Topics: c.Topics, For: c.For, User: c.User, Password: c.Password}, env.stdout)
}
