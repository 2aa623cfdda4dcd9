package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
)

// However little it sends for it, a service cannot make us hold more than we want to.
func TestPagesThatSwell(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		row := `{"of":[` + strings.Repeat("{},", 9_999) + "{}]}"
		io.WriteString(w, "["+strings.Repeat(row+",", 29)+row+"]")
	}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], records: '.of[]'}]")})
	c.SetRowTime(time.Minute) // a machine may be slow
	got := gather(probing(t.Context(), c, "a", apiclient.Query{}))
	if e := got.failure(t, apiclient.TooLarge); !strings.Contains(e.Error(), "more than 200000 records") || len(got.refused) > 0 {
		t.Errorf("%v after %d", e, len(got.refused))
	}

	pages := 0
	c = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if pages++; pages > 20 {
			t.Error("20 MiB are not enough")
			return
		}
		fmt.Fprintf(w, `{"data":[{"id":"%d","x":"%s"}],"next":"?p=%d"}`, pages, strings.Repeat("x", 1000_000), pages)
	}, apiclient.Options{Profile: profileOf(t, `
name: a
streams:
  - {name: a, path: a, keep: '{key: .id, x: [.x, .x, .x, .x]}'}
  - {name: b, path: 'b/{key}', over: a, gives: [event]}
`)})
	if e := gather(probing(t.Context(), c, "b", apiclient.Query{})).failure(t, apiclient.TooLarge); e.Stream != "a" || pages != 17 {
		t.Errorf("%v after %d pages", e, pages)
	}
}

// Rows that take the program long do not add up to hours, nor do they keep the caller from
// ending the read.
func TestPagesThatTakeLong(t *testing.T) {
	begun := make(chan struct{}, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		io.WriteString(w, "["+strings.Repeat(`{"id":"a"},`, 1000)+`{"id":"a"}]`)
	}, apiclient.Options{Profile: profileOf(t, "name: a\nstreams: [{name: a, path: a, gives: [event], records: 'def f: f; f'}]")})
	c.SetRowTime(10 * time.Millisecond)
	got := gather(probing(t.Context(), c, "a", apiclient.Query{}))
	if e := got.failure(t, apiclient.Slow); !strings.Contains(e.Error(), "a page takes the profile's program more than 300ms") || len(got.refused) > 0 {
		t.Errorf("%v after %d", e, len(got.refused))
	}
	<-begun

	c.SetRowTime(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if got := gather(probing(ctx, c, "a", apiclient.Query{})); !errors.Is(got.err, context.Canceled) || len(got.refused) > 0 {
		t.Errorf("%v after %d", got.err, len(got.refused))
	}
}
