// Package pgtest gives tests a PostgreSQL: the one of TEST_DATABASE_URL, whose user may make
// databases, or one of its own, from the binaries that the machine has. Only tests import it.
//
// Its own server listens on a socket in a temporary directory, as an unprivileged user where
// the tests run as root. A shell watches over it that ends it, and takes the directory away,
// when the process of the tests ends, however that ends.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// New makes an empty database that lasts as long as the test, and returns its URL.
func New(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

// Copy makes a copy of a database that New made, to which nobody may be connected, and returns its URL. It lasts as
// long as the test.
func Copy(t testing.TB, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, strings.TrimPrefix(u.Path, "/"))
}

// shared is the server of all tests of this process.
var shared = sync.OnceValues(func() (*Server, error) { return start() })

// create makes a copy of a database.
func create(t testing.TB, template string) string {
	t.Helper()
	base := os.Getenv("TEST_DATABASE_URL")
	if base == "" {
		s, err := shared()
		if err != nil {
			t.Fatal(err)
		}
		base = s.URL("postgres")
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("TEST_DATABASE_URL: %v", err)
	}
	name := "housecount_" + strings.ToLower(rand.Text()[:12])
	Exec(t, base, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() { Exec(t, base, "DROP DATABASE "+name+" WITH (FORCE)") })
	u.Path = "/" + name
	return u.String()
}

// Exec executes SQL on the database at a URL.
func Exec(t testing.TB, url, statement string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement, args...); err != nil {
		t.Fatal(err)
	}
}

// Server is a PostgreSQL of one test's own, which it may break.
type Server struct {
	dir    string
	shell  *exec.Cmd
	orders io.WriteCloser
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// URL is that of a database of the server.
func (s *Server) URL(database string) string {
	return "postgres://postgres@/" + database + "?host=" + url.QueryEscape(s.dir)
}

// Restart ends the server as if it crashed, and starts it again. It returns when
// connections are taken again.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	before, err := os.ReadFile(s.pidFile())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(s.orders, "QUIT\n"); err != nil {
		t.Fatal(err)
	}
	for {
		if now, err := os.ReadFile(s.pidFile()); err == nil && string(now) != string(before) && s.wait() == nil {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("the server did not start again")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *Server) pidFile() string { return filepath.Join(s.dir, "data", "postmaster.pid") }

func (s *Server) stop() {
	s.orders.Close()
	s.shell.Wait()
}

// Stop ends the server, which stays so until the function that it returns has started it again.
func (s *Server) Stop(t testing.TB) (start func()) {
	t.Helper()
	if _, err := io.WriteString(s.orders, "INT hold\n"); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(s.pidFile()); errors.Is(err, os.ErrNotExist) {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("the server did not end")
		}
		time.Sleep(10 * time.Millisecond)
	}
	start = sync.OnceFunc(func() {
		if _, err := io.WriteString(s.orders, "go\n"); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(start)
	return start
}

// Freeze stops every process of the server, which keeps its connections and answers nothing until the function that
// it returns lets it go on.
func (s *Server) Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	text, err := os.ReadFile(s.pidFile())
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	frozen := []int{server}
	if err := syscall.Kill(server, syscall.SIGSTOP); err != nil { // it makes no more
		t.Fatal(err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range processes {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _, _ := strings.Cut(string(stat), " ")
		fields := strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])
		if n, err := strconv.Atoi(pid); err == nil && len(fields) > 1 && fields[1] == first && syscall.Kill(n, syscall.SIGSTOP) == nil {
			frozen = append(frozen, n)
		}
	}
	thaw = sync.OnceFunc(func() {
		for _, pid := range slices.Backward(frozen) {
			_ = syscall.Kill(pid, syscall.SIGCONT) // one that ended needs none
		}
	})
	t.Cleanup(thaw)
	return thaw
}

// watchOver runs a server until its input ends, and again after each line, which names the
// signal that ends it; with another word it waits for one more line before.
const watchOver = `dir=$1; shift
while :; do
	"$@" >>"$dir/log" 2>&1 & server=$!
	if read -r how hold; then kill -s "$how" $server; wait $server; [ -z "$hold" ] || read -r hold || { rm -rf "$dir"; exit; }
	else kill -s INT $server; wait $server; rm -rf "$dir"; exit; fi
done`

func start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "housecount-postgres-")
	if err != nil {
		return nil, err
	}
	as, err := unprivileged(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
	initdb.Dir, initdb.SysProcAttr = dir, as
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	s := &Server{dir: dir}
	s.shell = exec.Command("sh", "-c", watchOver, "sh", dir, filepath.Join(bin, "postgres"), "-D", data, "-k", dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB")
	s.shell.Dir, s.shell.SysProcAttr = dir, as
	if s.orders, err = s.shell.StdinPipe(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.shell.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.wait(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		s.stop()
		return nil, fmt.Errorf("postgres does not start: %w: %s", err, log)
	}
	return s, nil
}

// wait waits until the server takes connections.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// binaries is the directory of initdb and postgres.
func binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		return "", errors.New("the tests need PostgreSQL: install it (on Debian: apt-get install postgresql), or set TEST_DATABASE_URL")
	}
	return filepath.Dir(found[0]), nil
}

// version is the number in /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// unprivileged gives dir to a user that may run PostgreSQL, where this one, root, may not.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, os.Chown(dir, uid, gid)
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}
