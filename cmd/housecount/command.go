package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"housecount/assets"
	"housecount/cmd/housecount/options"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // the configuration is wrong or missing
)

// environment is what a command may use of its surroundings.
type environment struct {
	stdout, stderr io.Writer
	stdin          io.Reader // nil for none
	// args and vars are the command line and the environment variables, from which serve reads its options
	// again after a setup.
	args []string
	vars map[string]string
	// secrets are the files from which secrets were read; nil where nobody asks.
	secrets *options.SensitiveFiles
}

type licencesCommand struct{}

func (licencesCommand) Run(env environment) error {
	texts, err := assets.Licences()
	if err != nil {
		return fmt.Errorf("this program was built without the licences, which make builds: %w", err)
	}
	_, err = env.stdout.Write(texts)
	return err
}

type versionCommand struct{}

func (versionCommand) Run(env environment) error {
	_, err := fmt.Fprintln(env.stdout, "housecount", version())
	return err
}

// version returns the version that is recorded in the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	return fmt.Sprintf("%s%s%s %s", info.Main.Version, revision, dirty, info.GoVersion)
}
