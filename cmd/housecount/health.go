package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"housecount/cmd/housecount/options"
)

type healthCommand struct {
	Listen string `help:"Address that housecount listens on." default:"127.0.0.1:8080" check:"host:port what serve was given"`

	options.TLSFlags `embed:""`
}

// Run fails unless housecount answers 200 within three seconds.
func (c healthCommand) Run(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	transport := &http.Transport{DisableKeepAlives: true}
	scheme := "http"
	if c.SpeaksTLS() {
		scheme = "https"
		// It is asked whether it lives, not who it is; and of an authority's certificates it wants
		// to know which.
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
		if len(c.ACMEDomain) > 0 {
			transport.TLSClientConfig.ServerName = c.ACMEDomain[0]
		}
	}
	url := scheme + "://" + net.JoinHostPort(host, port) + "/healthz"
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: transport}
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
