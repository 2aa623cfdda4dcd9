package faults_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/sandbox/faults"
)

func TestParse(t *testing.T) {
	got, err := faults.Parse("latency=0.2:800ms, reset,clock-skew:-90s,unknown-status=0.05")
	want := []faults.Fault{
		{Kind: "latency", Rate: .2, Delay: 800 * time.Millisecond}, {Kind: "reset", Rate: .1},
		{Kind: "clock-skew", Rate: 1, Delay: -90 * time.Second}, {Kind: "unknown-status", Rate: .05},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if none, err := faults.Parse(""); len(none) != 0 || err != nil {
		t.Errorf("nothing is %v %v", none, err)
	}
	for _, text := range []string{"plague", "reset=2", "reset=0", "reset=-1", "reset=x", "reset=NaN", "latency:soon", "latency:-1s", "=1"} {
		if got, err := faults.Parse(text); err == nil || !strings.Contains(err.Error(), "fault") {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}
