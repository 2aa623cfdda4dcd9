package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// startWithFiles starts a program with a limit of open files, and returns its output once it listens.
func startWithFiles(t *testing.T, files int, service *countedService) *output {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$@"`, files), "sh", self}, service.arguments(filepath.Join(t.TempDir(), "house.db"))...)
	c := exec.CommandContext(t.Context(), "sh", append(args, "--language", "en")...)
	c.Env = append(os.Environ(), "TEST_BE_HOUSECOUNT=1")
	out := newOutput()
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	out.await(t, "listening")
	return out
}

// With few open files and four hundred requests that never end, readyz is answered at once and the service is polled on. A page
// that is open stays open.
func TestHalfRequests(t *testing.T) {
	service := newService(t)
	out := startWithFiles(t, 256, service)
	_, rest, _ := strings.Cut(out.String()[strings.Index(out.String(), "msg=listening"):], "address=")
	address, _, _ := strings.Cut(rest, " ")
	dial := func() net.Conn {
		t.Helper()
		conn, err := net.DialTimeout("tcp", address, patience)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	answers := func() {
		t.Helper()
		conn := dial()
		if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /readyz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("readyz is not answered: %v", err)
		}
		answer.Body.Close()
	}
	page := dial() // a device that shows a code: its socket
	fmt.Fprintf(page, "GET /screen HTTP/1.1\r\nHost: %s\r\n\r\n", address)
	reader := bufio.NewReader(page)
	waiting, err := http.ReadResponse(reader, nil)
	if err != nil || len(waiting.Cookies()) != 1 {
		t.Fatalf("%+v, %v", waiting, err)
	}
	body, err := io.ReadAll(waiting.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(body), `data-version="`)
	version, _, _ = strings.Cut(version, `"`)
	dialer := websocket.Dialer{HandshakeTimeout: patience}
	socket, _, err := dialer.DialContext(t.Context(), "ws://"+address+"/screen/live?version="+version, http.Header{"Origin": {"http://127.0.0.1:1"}, "Cookie": {waiting.Cookies()[0].Name + "=" + waiting.Cookies()[0].Value}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })

	for range 400 {
		fmt.Fprintf(dial(), "GET / HTTP/1.1\r\nHost: %s\r\n", address)
	}
	polled := make(chan struct{}, 3)
	service.stand(func(w http.ResponseWriter, r *http.Request) {
		select {
		case polled <- struct{}{}:
		default:
		}
		service.ServeHTTP(w, r)
	})
	for range 5 {
		answers()
	}
	limit := time.After(patience)
	for range 3 {
		select {
		case <-polled:
		case <-limit:
			t.Fatalf("the service is not polled:\n%.4000s", out)
		}
	}
	answers()
	ponged := false
	socket.SetPongHandler(func(string) error {
		ponged = true
		return nil
	})
	if err := errors.Join(socket.SetReadDeadline(time.Now().Add(patience)), socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(patience))); err != nil {
		t.Fatal(err)
	}
	for !ponged {
		if _, _, err := socket.ReadMessage(); err != nil {
			t.Fatalf("the page is cut off: %v", err)
		}
	}
	if text := out.String(); strings.Contains(text, "too many open files") {
		t.Errorf("it says:\n%.4000s", text)
	}
}
