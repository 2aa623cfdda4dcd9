package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"housecount/apiclient/record"
)

// TestServerMadeUpFromOurDocument starts Prism, which makes a server up from the document of our own records: with its
// examples, and with random rows, of which some are refused. Check finds all five lists of either.
func TestServerMadeUpFromOurDocument(t *testing.T) {
	document := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(document, record.OpenAPI(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"examples": nil, "random rows": {"--dynamic"}} {
		t.Run(name, func(t *testing.T) {
			out := newOutput()
			prism := exec.Command("node", append([]string{"../../assets/contract/node_modules/@stoplight/prism-cli/dist/index.js", "mock", "--host", "127.0.0.1", "--port", "0"}, append(args, document)...)...)
			prism.Stdout, prism.Stderr = out, out
			if err := prism.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { // an error here only says that it has ended already
				_ = prism.Process.Kill()
				_ = prism.Wait()
			})
			out.await(t, "Prism is listening on ")
			url := regexp.MustCompile(`listening on (http://127\.0\.0\.1:\d+)`).FindStringSubmatch(out.String())
			if url == nil {
				t.Fatalf("no address in:\n%s", out)
			}
			_, stdout, stderr := runFor(t, nil, "check", "--api-url", url[1], "--api-key", "any")
			for _, list := range []string{"events", "tickets", "payments", "contacts", "planning"} {
				read := ` +in [\d.]+ s `
				if args == nil {
					read += `.* 2 ` + strings.TrimSuffix(list, "s")
				}
				if !regexp.MustCompile(`(?m)^` + list + read).MatchString(stdout) {
					t.Errorf("%s is not read whole:\n%s%s", list, stdout, stderr)
				}
			}
		})
	}
}
