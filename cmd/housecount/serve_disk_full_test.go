package main

import (
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// growsVariable names the environment variable with the path of a file that limits all files of the process: see limitFiles.
const growsVariable = "TEST_FILE_THAT_GROWS"

// limitFiles lets no file of this process grow beyond the length that a file has, from SIGUSR1 until SIGUSR2.
func limitFiles(path string) {
	var unlimited syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &unlimited); err != nil {
		log.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			limit := unlimited
			if s == syscall.SIGUSR1 {
				file, err := os.Stat(path)
				if err != nil {
					log.Fatal(err)
				}
				limit.Cur = uint64(file.Size())
			}
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
				log.Fatal(err)
			}
			fmt.Println("limited by", s)
		}
	}()
}

// fullDisk is a directory whose disk fill fills for a replica, until free is called.
type fullDisk struct {
	dir  string
	fill func(t *testing.T, r *replica) (free func())
}

// fullDisks returns the ways to have a full disk that there are here: a limit of the process, and a file system that is full
// where the test may make one.
func fullDisks(t *testing.T) map[string]fullDisk {
	t.Helper()
	limited := t.TempDir()
	t.Setenv(growsVariable, filepath.Join(limited, "house.db-wal"))
	ways := map[string]fullDisk{"no file may grow": {limited, func(t *testing.T, r *replica) func() {
		limit := func(s syscall.Signal) {
			if err := r.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			r.out.await(t, "limited by "+s.String())
		}
		limit(syscall.SIGUSR1)
		return func() { limit(syscall.SIGUSR2) }
	}}}
	small := t.TempDir()
	if err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", small).Run(); err != nil {
		t.Log("no file system can be made here:", err)
		return ways
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", small).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	ways["its file system is full"] = fullDisk{small, func(t *testing.T, _ *replica) func() {
		ballast, err := os.Create(filepath.Join(small, "ballast"))
		if err != nil {
			t.Fatal(err)
		}
		defer ballast.Close()
		for page := make([]byte, 4096); err == nil; {
			_, err = ballast.Write(page)
		}
		return func() {
			if err := os.Remove(ballast.Name()); err != nil {
				t.Error(err)
			}
		}
	}}
	return ways
}

// When the disk of SQLite is full, also before anything but a sign-in finds out, a sign-in is refused with the reason and
// when to come back, readyz says it, and whoever was signed in goes on seeing pages, read only. It is logged once. All of it
// ends when there is room again, without a restart.
func TestFullDisk(t *testing.T) {
	for name, disk := range fullDisks(t) {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			s := newService(t, loginAt(f))
			database := filepath.Join(disk.dir, "house.db")
			f.serve(t, s, database).stop() // so that what comes now is small
			r := f.start(t, s, database)
			f.to.Store(r.url)
			r.out.await(t, "this process polls")
			in := f.visitor(t)
			in.login()
			open := in.watch("view=tonight")
			strip := func(has bool) {
				t.Helper()
				for strings.Contains(open.shows.HTML["strip"], "Read only: housecount’s database cannot be written") != has {
					if err := open.next(); err != nil {
						t.Fatal(err)
					}
				}
			}
			var forms []string
			var comers []*visitor
			for range 2 {
				v := f.visitor(t)
				_, form, _ := v.send(http.MethodGet, f.URL+"/tonight", nil)
				forms, comers = append(forms, form), append(comers, v)
			}
			manager := url.Values{"username": {"manager"}, "password": {"manager-demo"}}
			// Nothing new comes from the service: nobody else writes.
			waits := make(chan struct{}, 100)
			s.stand(func(w http.ResponseWriter, q *http.Request) {
				if q.Header.Get("Authorization") == "Bearer "+testKey {
					waits <- struct{}{}
					<-q.Context().Done()
					return
				}
				s.ServeHTTP(w, q)
			})
			for range 5 { // its lists
				<-waits
			}

			free := disk.fill(t, r)
			status, at, page := comers[0].send(http.MethodPost, forms[0], manager)
			if status != http.StatusServiceUnavailable || !strings.Contains(page, "The database cannot be written") || !strings.Contains(page, "disk is full") {
				t.Errorf("the first sign-in ends with %d at %s:\n%s", status, at, page)
			}
			strip(true)
			if status, at, page := in.send(http.MethodGet, f.URL+"/revenue", nil); status != http.StatusOK || at != f.URL+"/revenue" || !strings.Contains(page, "Read only") {
				t.Errorf("who was signed in gets %d at %s", status, at)
			}
			if status, _, text := f.visitor(t).send(http.MethodGet, f.URL+"/readyz", nil); status != http.StatusServiceUnavailable || !strings.Contains(text, "the database cannot be written since ") {
				t.Errorf("readyz answers %d: %s", status, text)
			}
			a, err := f.visitor(t).Get(f.URL + "/login")
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
				t.Errorf("a sign-in begins with %d and Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
			}
			time.Sleep(3 * time.Second) // in which nothing changes

			free()
			began := time.Now()
			strip(false)
			t.Logf("pages are no longer read only %s after there is room", time.Since(began).Round(time.Millisecond))
			if status, _, text := f.visitor(t).send(http.MethodGet, f.URL+"/readyz", nil); status != http.StatusOK {
				t.Errorf("afterwards readyz answers %d: %s", status, text)
			}
			if status, at, page := comers[1].send(http.MethodPost, forms[1], manager); status != http.StatusOK || at != f.URL+"/tonight" || strings.Contains(page, "Read only") {
				t.Errorf("who had begun to sign in is at %s afterwards: %d", at, status)
			}
			said := r.out.String()
			if away, back := strings.Count(said, "the database is away"), strings.Count(said, "the database is back"); away != 1 || back != 1 || strings.Contains(said, "status=500") {
				t.Errorf("it says %d times that the database is away, and %d times that it is back:\n%s", away, back, said)
			}
		})
	}
}
