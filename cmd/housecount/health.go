package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthCommand struct {
	Listen string `help:"Address that housecount listens on." default:"127.0.0.1:8080"`
}

// Run fails unless housecount answers 200 within three seconds.
func (c healthCommand) Run(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return &configError{[]string{fmt.Sprintf("--listen %q is not host:port: give what serve was given", c.Listen)}}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := "http://" + net.JoinHostPort(host, port) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
		return fmt.Errorf("%s answered %s", url, a.Status)
	}
	return nil
}
