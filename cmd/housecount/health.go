package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

type healthCommand struct {
	URL string `arg:"" optional:"" help:"Address to ask." default:"http://127.0.0.1:8080/healthz"`
}

// Run fails unless the address answers 200 within three seconds.
func (c healthCommand) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := client.Do(q)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", c.URL, a.Status)
	}
	return nil
}
