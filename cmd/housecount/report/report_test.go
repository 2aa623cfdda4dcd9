package report_test

import (
	"strings"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/cmd/housecount/report"
)

// A service that refuses is reported with what to look at.
func TestRefusalsHaveAHint(t *testing.T) {
	for kind, want := range map[apiclient.ErrorKind]string{apiclient.Unauthorized: "is the key right", apiclient.Forbidden: "is each --var right"} {
		var out strings.Builder
		f := &probe.Finding{Stream: apiclient.Stream{Name: "orders"}, Err: &apiclient.Error{Kind: kind, Stream: "orders"}, Fields: probe.NewFields()}
		if err := report.Write(&out, []*probe.Finding{f}); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v\n%s", kind, err, out.String())
		}
	}
}
