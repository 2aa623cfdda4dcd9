package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
			left := []string{"events", "tickets", "payments", "contacts", "planning"}
			var said string
			// A cursor of random words is now and then one that was before, which is a list without an end: it is asked anew.
			for range 3 {
				_, stdout, stderr := runFor(t, nil, "check", "--api-url", url[1], "--api-key", "any")
				said = stdout + stderr
				left = slices.DeleteFunc(left, func(list string) bool {
					read := ` +in [\d.]+ s `
					if args == nil {
						read += `.* 2 ` + strings.TrimSuffix(list, "s")
					}
					return regexp.MustCompile(`(?m)^` + list + read).MatchString(stdout)
				})
				if args == nil || len(left) == 0 || !regexp.MustCompile(`(?m)^`+left[0]+` +endless`).MatchString(stdout) {
					break
				}
			}
			if len(left) > 0 {
				t.Errorf("%v are not read whole:\n%s", left, said)
			}
		})
	}
}
