package main

import (
	"fmt"
	"io"

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
	_, err := fmt.Fprintln(env.stdout, "housecount", options.Version())
	return err
}
