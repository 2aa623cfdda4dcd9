package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"housecount/assets"
	"housecount/cmd/housecount/options"
	"housecount/web/manual"
)

type helpCommand struct {
	Topic string `arg:"" optional:"" help:"The chapter to print; all are listed without one."`
}

// Run prints a chapter as it is written, in Markdown, or the topics.
func (c helpCommand) Run(env environment) error {
	book, err := manual.Open(assets.Manual)
	if err != nil {
		return err
	}
	if c.Topic == "" {
		return listTopics(env.stdout, book)
	}
	chapter := book.Chapter(strings.ToLower(c.Topic))
	if chapter == nil {
		return &options.Faults{List: []string{fmt.Sprintf("there is no chapter %q; %s", c.Topic, topicSuggestion(c.Topic, book))}}
	}
	_, err = io.WriteString(env.stdout, chapter.Text)
	return err
}

func listTopics(w io.Writer, book *manual.Book) error {
	fmt.Fprint(w, "Chapters of the manual; housecount help TOPIC prints one, and a running housecount shows them at /manual.\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range book.Chapters {
		fmt.Fprintf(table, "  %s\t%s\n", c.Topic, c.Title)
	}
	table.Flush()
	_, err := fmt.Fprint(w, "\nhousecount COMMAND --help lists the options of a command.\n")
	return err
}

// topicSuggestion returns what to ask instead of a topic that does not exist: the nearest one, or those that
// have it in their text.
func topicSuggestion(topic string, book *manual.Book) string {
	if near := cmp.Or(options.Nearest(strings.ToLower(topic), book.Topics()), book.Beginning(topic)); near != "" {
		return "did you mean " + near + "?"
	}
	if about := book.About(topic); len(about) > 0 {
		return "these speak of it: " + strings.Join(about, ", ")
	}
	return "housecount help lists them"
}
