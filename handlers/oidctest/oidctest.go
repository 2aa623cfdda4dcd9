// Package oidctest gives tests a sign-in service that is not ours: node's oidc-provider, from
// assets/node_modules. Only tests import it.
package oidctest

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	ClientID = "housecount"
	// Audience is whom the access tokens of a login without an ID token are for.
	Audience = "https://figures.example/api"
)

// Start starts a sign-in service that lasts as long as the test, and returns its issuer. It has one
// client, at the address site. end is the address of its logout where that is to be
// published at another than its own; it may be empty.
func Start(t testing.TB, site, secret, end string) (issuer string) {
	t.Helper()
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(root, "assets/node_modules/oidc-provider/lib/index.js")
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("oidc-provider is missing (%v): run npm ci in assets", err)
	}
	node := exec.Command("node", filepath.Join(root, "handlers/oidctest/provider.mjs"), "file://"+library, site, secret, end)
	node.Stderr = t.Output()       // it warns that it forgets everything
	alive, err := node.StdinPipe() // node ends when this process does, however that ends
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatalf("%v (it needs Node.js 20 or newer)", err)
	}
	t.Cleanup(func() {
		alive.Close()
		if err := node.Wait(); err != nil {
			t.Errorf("oidc-provider ended with %v", err)
		}
	})
	issuer, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("oidc-provider did not start: %v", err)
	}
	return strings.TrimSpace(issuer)
}

// root is the directory of go.mod, above that of the test.
func root() (string, error) {
	directory, err := os.Getwd()
	for ; err == nil; directory = filepath.Dir(directory) {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory, nil
		}
		if directory == filepath.Dir(directory) {
			return "", errors.New("there is no go.mod above the test")
		}
	}
	return "", err
}
