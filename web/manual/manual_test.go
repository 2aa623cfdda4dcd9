package manual_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"housecount/assets"
	"housecount/web/manual"
)

func open(t *testing.T) *manual.Book {
	t.Helper()
	b, err := manual.Open(assets.Manual)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every chapter opens: it has a title and no HTML, and its links lead to what is there.
func TestChapters(t *testing.T) {
	b := open(t)
	for _, topic := range []string{"start", "connect", "profile", "sign-in", "people", "pages", "screens", "databases", "backup", "upgrade", "tls", "metrics", "privacy", "troubleshooting", "options", "glossary", "questions", "developing"} {
		if b.Chapter(topic) == nil {
			t.Errorf("there is no chapter %q", topic)
		}
	}
}

// What a chapter must not be is refused, by name.
func TestOpenRefuses(t *testing.T) {
	const sound = "# Title\n\nWhat it is about.\n\n## Part\n"
	for name, c := range map[string]struct{ file, text, want string }{
		"no chapter":           {"", "", "no chapter"},
		"a name":               {"tls.md", sound, "tls.md: the name"},
		"two of a topic":       {"11-other.md", sound, "another chapter other"},
		"no title":             {"10-tls.md", "A text.\n", "begins with its title"},
		"no summary":           {"10-tls.md", "# Title\n\n## Part\n", "what it is about"},
		"HTML":                 {"10-tls.md", sound + "\n<script>alert(1)</script>\n", "HTML is not allowed: <script>"},
		"HTML within a line":   {"10-tls.md", sound + "\nA <b>bold</b> text.\n", "HTML is not allowed: <b>"},
		"a picture":            {"10-tls.md", sound + "\n![](x.png)\n", "pictures"},
		"a link to a file":     {"10-tls.md", sound + "\n[x](../README.md)\n", "../README.md"},
		"a link to a script":   {"10-tls.md", sound + "\n[x](javascript:alert(1))\n", "javascript:"},
		"a chapter not there":  {"10-tls.md", sound + "\n[x](20-nothing.md)\n", "nothing at 20-nothing.md"},
		"a heading not there":  {"10-tls.md", sound + "\n[x](#parts)\n", "nothing at #parts"},
		"a heading of another": {"10-tls.md", sound + "\n[x](12-other.md#nowhere)\n", "nothing at 12-other.md#nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			if c.file != "" {
				files["manual/"+c.file] = &fstest.MapFile{Data: []byte(c.text)}
				files["manual/12-other.md"] = &fstest.MapFile{Data: []byte(sound)}
			}
			if _, err := manual.Open(files); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Comments are left out, of the page and of the terminal.
func TestCommentsAreLeftOut(t *testing.T) {
	b, err := manual.Open(fstest.MapFS{"manual/10-a.md": {Data: []byte("# A\n\nText.\n\n<!-- not\nthis -->\nMore.\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if text := b.Chapter("a").Text; strings.Contains(text, "not") || !strings.Contains(text, "More.") {
		t.Errorf("the chapter is %q", text)
	}
}

// README and what stands beside it lead to files and headings of the manual that are there.
func TestLinksIntoTheManual(t *testing.T) {
	b, root := open(t), filepath.Join("..", "..")
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range []string{"README.md", filepath.Join(".github", "SECURITY.md")} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(path, "https://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(file), path)); err != nil {
				t.Errorf("%s leads to %s: %v", file, m[1], err)
			} else if anchor != "" && !b.HasHeading(filepath.Base(path), anchor) {
				t.Errorf("%s leads to %s, which has no such heading", file, m[1])
			}
		}
	}
}

// A page of the program, and the output of a command, leads to what is there.
func TestProgramLeadsIntoTheManual(t *testing.T) {
	b := open(t)
	address, command := regexp.MustCompile(`ManualPath \+ "/([a-z-]+)(?:#([a-z-]+))?"`), regexp.MustCompile(`housecount help ([a-z-]+)`)
	found := 0
	for _, pattern := range []string{"../*.go", "../*/*.go", "../../handlers/*.go", "../../cmd/housecount/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range address.FindAllStringSubmatch(string(code), -1) {
				found++
				if !b.Has(m[1], m[2]) {
					t.Errorf("%s leads to /manual/%s#%s, which is not there", file, m[1], m[2])
				}
			}
			for _, m := range command.FindAllStringSubmatch(string(code), -1) {
				if m[1] != "lists" && b.Chapter(m[1]) == nil {
					t.Errorf("%s names the chapter %s, which is not there", file, m[1])
				}
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d links into the manual were found", found)
	}
}

// What a table quotes of a page is what the page says.
func TestQuotedTextsAreThoseOfPages(t *testing.T) {
	texts, err := os.ReadFile(filepath.Join("..", "words", "en.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`(?m)^\| ("[^|]+") \|`)
	found := 0
	for _, topic := range []string{"sign-in", "troubleshooting"} {
		for _, m := range quoted.FindAllStringSubmatch(open(t).Chapter(topic).Text, -1) {
			for _, text := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(m[1], -1) {
				if text[1] == "cannot listen on" || text[1] == "run make assets" { // messages of the program
					continue
				}
				found++
				if !strings.Contains(string(texts), text[1]) {
					t.Errorf("%s quotes %q, which no page says", topic, text[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d texts are quoted", found)
	}
}

func TestTopics(t *testing.T) {
	b := open(t)
	if topics := b.Topics(); topics[0] != "start" || !slices.Contains(topics, "tls") {
		t.Errorf("the topics are %q", topics)
	}
	if got := b.Beginning("Sign"); got != "sign-in" {
		t.Errorf("sign begins %q", got)
	}
	if got := b.About("nginx"); !slices.Contains(got, "databases") {
		t.Errorf("nginx is in %q", got)
	}
}
