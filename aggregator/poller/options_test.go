package poller_test

import (
	"strings"
	"testing"

	"housecount/aggregator/poller"
)

func TestNewRefuses(t *testing.T) {
	_, err := poller.New(poller.Options{Cadence: poller.Cadence{Busy: -1}, KeepVersions: -1, KeepScans: -1})
	for _, want := range []string{"Source", "Log", "Figures", "Cadence", "KeepVersions", "KeepScans"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
}
