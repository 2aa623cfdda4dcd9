// Command housecount shows people who sell tickets what is happening, live.
//
// This package is the only place that knows all the others: it reads the
// configuration, wires the parts, starts them and stops them in order. It computes
// no figure and renders nothing; what it holds is what the wiring needs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	_ "time/tzdata" // the static image has no zones of its own

	"housecount/apiclient/profile"
	"housecount/cmd/housecount/options"
	"housecount/cmd/housecount/report"
	"housecount/web/live"

	"github.com/alecthomas/kong"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == profile.WorkerArgument {
		if err := profile.Work(os.Stdin, os.Stdout); err != nil {
			os.Exit(exitFailed)
		}
		os.Exit(exitOK)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	vars := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		vars[name] = value
	}
	code := runWith(ctx, os.Args[1:], vars, environment{stdout: os.Stdout, stderr: os.Stderr, stdin: os.Stdin})
	stop()
	os.Exit(code)
}

type commandLine struct {
	Config options.File `help:"YAML file with any of the command's flags as keys." placeholder:"FILE" type:"path"`

	Serve     serveCommand     `cmd:"" help:"Show the figures of a ticketing service."`
	Demo      demoCommand      `cmd:"" help:"Run housecount and the sandbox together, with a night at a made-up venue."`
	Setup     setupCommand     `cmd:"" help:"Write the configuration of a house, after asking its service and its provider; serve without options does the same in a browser."`
	Sandbox   sandboxCommand   `cmd:"" help:"Run only the sandbox of the ticketing service."`
	Check     checkCommand     `cmd:"" help:"Ask a ticketing service what housecount would get from it, list by list."`
	Profile   profileCommand   `cmd:"" help:"Make and test profiles, which say how services are spoken to."`
	Authorize authorizeCommand `cmd:"" help:"Let a person authorize housecount at a ticketing service that wants that, such as Weeztix."`
	Sessions  sessionsCommand  `cmd:"" help:"Look after who is signed in."`
	Screens   screensCommand   `cmd:"" help:"Look after the screens that hang."`
	Export    exportCommand    `cmd:"" help:"Write the records that are stored, one JSON object a line."`
	Forget    forgetCommand    `cmd:"" help:"Take away what is stored of one contact, or everything."`
	Backup    backupCommand    `cmd:"" help:"Write all that a database has to one file, also while housecount runs."`
	Restore   restoreCommand   `cmd:"" help:"Fill an empty database of either kind from a backup."`
	Verify    verifyCommand    `cmd:"" help:"Try a backup: restore it into a database of its own, compare everything, and take that away again."`
	Load      loadCommand      `cmd:"" help:"Watch a running housecount as many people do, and say what they get."`
	Health    healthCommand    `cmd:"" help:"Ask a running housecount whether it is alive; for container health checks."`
	Help      helpCommand      `cmd:"" help:"Print a chapter of the manual, or the list of chapters."`
	Licences  licencesCommand  `cmd:"" help:"Print the licences of what is in the program."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// run returns the whole program but for the process around it: it returns the exit code
// when ctx ends or the command is done. vars are the environment variables.
func run(ctx context.Context, args []string, vars map[string]string, stdout, stderr io.Writer) int {
	return runWith(ctx, args, vars, environment{stdout: stdout, stderr: stderr})
}

func runWith(ctx context.Context, args []string, vars map[string]string, env environment) int {
	env.args, env.vars, env.secrets = args, vars, new(options.SensitiveFiles)
	stderr := env.stderr
	_, command, err := parse(ctx, args, vars, env)
	var faults options.Faults
	faults.Join(err)
	if command != nil {
		faults.Check(command)
	}
	if err := faults.OrNil(); err != nil {
		fmt.Fprintf(stderr, "housecount: %v\nTry housecount --help.\n", err)
		return exitUsage
	}
	if command == nil { // --help has been answered
		return exitOK
	}
	if err := command.Run(); err != nil {
		fmt.Fprintln(stderr, "housecount:", err)
		if v, ok := errors.AsType[report.Verdict](err); ok {
			return int(v)
		}
		if errors.As(err, new(*options.Faults)) {
			return exitUsage
		}
		return exitFailed
	}
	return exitOK
}

// parse reads the command line, the environment and the configuration file. The command that it
// returns is nil after --help, which it has answered.
func parse(ctx context.Context, args []string, vars map[string]string, env environment) (*commandLine, *kong.Context, error) {
	cli, helped := new(commandLine), false
	parser, err := kong.New(cli,
		kong.Name("housecount"),
		kong.Description("A live management dashboard for people who sell tickets. Every flag can also be given as HOUSECOUNT_NAME in the environment, as HOUSECOUNT_NAME_FILE naming a file that holds the value, or in the --config file; the command line wins, then the environment, then the file."),
		kong.Writers(env.stdout, env.stderr),
		kong.Exit(func(int) { helped = true }),
		options.ClientVars(), kong.Vars{"max_sockets": strconv.Itoa(live.MostWatchers)},
		kong.Resolvers(options.Resolver(vars, env.secrets)),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(env),
	)
	if err != nil {
		return nil, nil, err
	}
	command, err := parser.Parse(args)
	if helped {
		return cli, nil, nil
	}
	var faults options.Faults
	faults.Mistyped(vars, parser.Model)
	faults.Join(options.Readable(err))
	return cli, command, faults.OrNil()
}
