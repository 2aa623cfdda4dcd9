package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxKeys is how many API keys a customer may have.
const maxKeys = 20

// apiKeys are the keys that were made on the account page. Of each only a hash is kept.
type apiKeys struct {
	mu   sync.Mutex
	keys map[[sha256.Size]byte]*apiKey
}

// apiKey is what the account page tells of a key; times are real.
type apiKey struct {
	ID, Name   string
	user       string
	Made, Used time.Time
}

func newAPIKeys() *apiKeys { return &apiKeys{keys: map[[sha256.Size]byte]*apiKey{}} }

// create makes a key for the user and returns it, for the only time; "" when the user has
// too many.
func (k *apiKeys) create(user, name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, key := range k.keys {
		if key.user == user {
			n++
		}
	}
	if n >= maxKeys {
		return ""
	}
	text := "key_" + rand.Text()
	k.keys[sha256.Sum256([]byte(text))] = &apiKey{ID: rand.Text(), Name: name, user: user, Made: time.Now()}
	return text
}

// use says that text is a key, and remembers that it was used.
func (k *apiKeys) use(text string) bool {
	sum := sha256.Sum256([]byte(text))
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[sum]
	if key != nil {
		key.Used = time.Now()
	}
	return key != nil
}

// revoke ends the user's key of that id; those of others stay.
func (k *apiKeys) revoke(user, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for sum, key := range k.keys {
		if key.ID == id && key.user == user {
			delete(k.keys, sum)
		}
	}
}

// of lists the user's keys, the oldest first.
func (k *apiKeys) of(user string) []apiKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []apiKey
	for _, key := range k.keys {
		if key.user == user {
			list = append(list, *key)
		}
	}
	slices.SortFunc(list, func(a, b apiKey) int { return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.ID, b.ID)) })
	return list
}

// accountRoutes adds the pages on which a customer keeps API keys. A form on a page
// elsewhere cannot send to them: the browser says where it came from.
func (s *Sandbox) accountRoutes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection()
	mux.Handle("/account", cross.Handler(http.HandlerFunc(s.serveAccount)))
	mux.Handle("/account/keys", cross.Handler(s.withSession(s.serveNewKey)))
	mux.Handle("/account/revoke", cross.Handler(s.withSession(s.serveRevokeKey)))
}

type accountPage struct {
	Staff  *Staff
	Keys   []apiKey
	NewKey string // shown this once
	Wrong  string
}

// serveAccount shows the keys of who is logged in, or asks who is there.
func (s *Sandbox) serveAccount(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	if r.Method == http.MethodPost {
		if _, status, wrong := s.checkLogin(w, r); wrong != "" {
			s.askForAccount(w, r, status, wrong)
			return
		}
		toAccount(w, r)
		return
	}
	here, ok := s.login.session(r)
	if !ok {
		s.askForAccount(w, r, http.StatusOK, "")
		return
	}
	s.showAccount(w, http.StatusOK, accountPage{Staff: here.staff})
}

func (s *Sandbox) askForAccount(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	showPage(w, status, "login.html", nil, loginPage{"Your account", "/account", wrong, r.PostForm.Get("username"), DemoStaff})
}

func (s *Sandbox) showAccount(w http.ResponseWriter, status int, p accountPage) {
	p.Keys = s.keys.of(p.Staff.User)
	showPage(w, status, "account.html", nil, p)
}

// withSession serves forms of somebody who is logged in; others are asked first.
func (s *Sandbox) withSession(serve func(http.ResponseWriter, *http.Request, *Staff)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allow(w, r, http.MethodPost) {
			return
		}
		here, ok := s.login.session(r)
		if !ok {
			toAccount(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
		if err := r.ParseForm(); err != nil {
			s.showAccount(w, http.StatusBadRequest, accountPage{Staff: here.staff, Wrong: "The form could not be read."})
			return
		}
		serve(w, r, here.staff)
	})
}

func (s *Sandbox) serveNewKey(w http.ResponseWriter, r *http.Request, staff *Staff) {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	if name == "" || len(name) > 100 {
		s.showAccount(w, http.StatusUnprocessableEntity, accountPage{Staff: staff, Wrong: "Give the key a name of at most 100 letters."})
		return
	}
	key := s.keys.create(staff.User, name)
	if key == "" {
		s.showAccount(w, http.StatusConflict, accountPage{Staff: staff, Wrong: "There are too many keys: revoke one first."})
		return
	}
	s.showAccount(w, http.StatusOK, accountPage{Staff: staff, NewKey: key})
}

func (s *Sandbox) serveRevokeKey(w http.ResponseWriter, r *http.Request, staff *Staff) {
	s.keys.revoke(staff.User, r.PostForm.Get("id"))
	toAccount(w, r)
}

func toAccount(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}
