package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"housecount/apiclient/profile"
	"housecount/cmd/housecount/options"
	"housecount/cmd/housecount/report"
)

// profileCommand makes and tests profiles.
type profileCommand struct {
	List profileListCommand `cmd:"" help:"List the built-in profiles."`
	Show profileShowCommand `cmd:"" help:"Print a built-in profile, to start from."`
	New  profileNewCommand  `cmd:"" help:"Begin a profile from saved answers of a service: it guesses, and says what it guessed."`
	Test profileTestCommand `cmd:"" help:"Run a profile over saved answers and compare the records with those stored beside them."`
}

type profileListCommand struct{}

func (profileListCommand) Run(env environment) error {
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	for _, name := range profile.BuiltinNames() {
		p, err := profile.Builtin(name)
		if err != nil {
			return err
		}
		needs := ""
		for _, v := range p.Required() {
			needs += " --var " + v + "=…"
		}
		fmt.Fprintf(w, "%s\t%s%s\n", name, p.About, needs)
	}
	return w.Flush()
}

type profileShowCommand struct {
	Name string `arg:"" help:"Name of a built-in profile (${profiles})."`
}

func (c profileShowCommand) Run(env environment) error {
	text, err := profile.BuiltinSource(c.Name)
	if err != nil {
		return &options.Faults{List: []string{err.Error()}}
	}
	_, err = env.stdout.Write(text)
	return err
}

type profileNewCommand struct {
	Name   string   `help:"Name of the profile." default:"house"`
	URL    string   `name:"url" help:"Address of the service that the lists are relative to." placeholder:"URL" default:"https://tickets.example.com/api" check:"address"`
	Answer []string `arg:"" help:"Saved answers of the service, one for each list: the list's name may be left out where the file has it." placeholder:"[LIST=]FILE" sep:"none"`
}

func (c profileNewCommand) Run(env environment) error {
	samples, err := readSamples(c.Answer)
	if err != nil {
		return err
	}
	text, err := profile.Draft(c.Name, c.URL, samples)
	if err != nil {
		return &options.Faults{List: []string{err.Error()}}
	}
	_, err = env.stdout.Write(text)
	return err
}

// readSamples reads saved answers that are given as [LIST=]FILE.
func readSamples(given []string) (all []profile.Sample, err error) {
	for _, text := range given {
		list, file, named := strings.Cut(text, "=")
		if !named {
			file = text
			list, _, _ = strings.Cut(filepath.Base(file), ".")
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, &options.Faults{List: []string{err.Error()}}
		}
		all = append(all, profile.Sample{Stream: list, Body: body})
	}
	return all, nil
}

type profileTestCommand struct {
	Profile string            `arg:"" help:"A YAML file, or the name of a built-in profile." placeholder:"FILE|NAME"`
	Answers string            `arg:"" help:"Directory with saved answers, LIST.json, and beside each the records that it has to give, LIST.golden.json." placeholder:"DIRECTORY"`
	Var     map[string]string `help:"What the profile's variables are." mapsep:"," placeholder:"NAME=VALUE,..."`
	Update  bool              `help:"Write the records that come now beside the answers, in place of what is there."`
}

func (c profileTestCommand) Run(_ context.Context, env environment) error {
	p, err := options.ReadProfile(c.Profile)
	if err != nil {
		return &options.Faults{List: []string{err.Error()}}
	}
	var files []string
	for _, list := range p.Lists() {
		file := filepath.Join(c.Answers, list+".json")
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return &options.Faults{List: []string{fmt.Sprintf("%s has no saved answers: save one as LIST.json, where LIST is one of %s", c.Answers, strings.Join(p.Lists(), ", "))}}
	}
	samples, err := readSamples(files)
	if err != nil {
		return err
	}
	goldens, err := p.Goldens(c.Var, samples)
	if err != nil {
		return &options.Faults{List: []string{err.Error()}}
	}
	failed := 0
	for _, list := range p.Lists() {
		got, ok := goldens[list]
		if !ok {
			continue
		}
		file := filepath.Join(c.Answers, list+".golden.json")
		said, err := c.compare(file, got)
		if err != nil {
			return err
		}
		if said != "as stored" && said != "written" {
			failed++
		}
		fmt.Fprintf(env.stdout, "%s: %d records, %d refused: %s\n", list, got.Records, got.Refused, said)
	}
	if failed > 0 {
		return report.Degraded
	}
	return nil
}

// compare compares what a list gives with what is stored, or stores it, and returns what came of that.
func (c profileTestCommand) compare(file string, got profile.Golden) (string, error) {
	if c.Update {
		return "written", os.WriteFile(file, got.Text, 0o644)
	}
	want, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "nothing is stored to compare with; look at the records and run it with --update", nil
	case err != nil:
		return "", err
	case bytes.Equal(want, got.Text):
		return "as stored", nil
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(string(got.Text), "\n")
	line := 0
	for line < min(len(was), len(is)) && was[line] == is[line] {
		line++
	}
	at := func(lines []string) string {
		return strings.TrimSpace(slices.Concat(lines, []string{"", ""})[min(line, len(lines))])
	}
	return fmt.Sprintf("line %d of %s is now\n  %s\nand was\n  %s", line+1, file, at(is), at(was)), nil
}
