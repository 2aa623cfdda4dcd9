package handlers

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/handlers/outbox"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/words"
)

// subscriber returns a person as the store has those who get letters.
func (s *site) subscriber(who *sessions.Staff, l web.Locale, names []string) (store.Subscriber, error) {
	b, err := s.sessions.Stored(who)
	return store.Subscriber{Person: s.sessions.Owned(who.Subject), Address: who.Address, Language: string(l), Names: names, Who: b}, err
}

// chooseLetters stores which letters the person gets.
func (s *site) chooseLetters(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who := visitOf(r).staff
	names := slices.DeleteFunc(r.PostForm["letter"], func(name string) bool { return name == "" })
	if person := r.PostForm.Get("stop"); person != "" && who.Role == web.Admin {
		return s.stopFor(w, r, person)
	}
	wrong := slices.ContainsFunc(names, func(name string) bool {
		return !night.MayChoose(name, who.Role.Access())
	})
	if wrong || !s.Mail || who.Address == "" {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.LettersPath}
	}
	slices.Sort(names)
	one, err := s.subscriber(who, s.language(r), slices.Compact(names))
	if err != nil {
		return err
	}
	act := s.act(r, who, store.ActLettersChosen)
	act.ObjectName = who.Address
	if err := s.Letters.Subscribe(r.Context(), one, act); err != nil {
		return err
	}
	return redirect(w, web.LettersPath+"?saved=yes")
}

// chooseAlerts stores of which alerts the person is told by mail and on their devices. Those that the page did not offer stay as
// they are.
func (s *site) chooseAlerts(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who := visitOf(r).staff
	if who == nil {
		return redirect(w, "/login?return="+web.LettersPath)
	}
	all, err := s.Letters.Subscribers(r.Context())
	if err != nil {
		return err
	}
	person, access := s.sessions.Owned(who.Subject), who.Role.Access()
	var before store.Subscriber
	var devices []string
	for _, one := range all {
		switch person {
		case one.Person:
			before = one
		case one.Owner:
			devices = one.Without
		}
	}
	choose := func(way string, without []string) []string {
		offered, told := r.PostForm["offered_"+way], r.PostForm[way]
		return slices.DeleteFunc(evening.AlertCodes(), func(code string) bool {
			if slices.Contains(offered, code) && access.TakesOn(code) {
				return slices.Contains(told, code)
			}
			return !slices.Contains(without, code)
		})
	}
	byMail, byDevice := s.act(r, who, store.ActLettersChosen), s.act(r, who, store.ActLettersChosen)
	byMail.ObjectName, byDevice.ObjectName = who.Address, words.Of(s.language(r)).Text("letters.devices")
	if err := s.Letters.Leave(r.Context(), person, store.LeftOut{Codes: choose("mail", before.Without), By: byMail}, store.LeftOut{Codes: choose("device", devices), By: byDevice}); err != nil {
		return err
	}
	return redirect(w, web.LettersPath+"?saved=yes")
}

// stopFor has an administrator stop the letters of a person.
func (s *site) stopFor(w http.ResponseWriter, r *http.Request, person string) error {
	one, err := s.Letters.Of(r.Context(), person)
	if err != nil || one == nil {
		return cmp.Or(err, redirect(w, web.LettersPath))
	}
	act := s.act(r, visitOf(r).staff, store.ActLettersStopped)
	act.ObjectName = one.Address
	if err := s.Letters.Subscribe(r.Context(), store.Subscriber{Person: person}, act); err != nil {
		return err
	}
	return redirect(w, web.LettersPath)
}

// refreshLetters stores what the sign-in service says of somebody who gets letters, and whether they have just signed in. They get them without that, too, until
// letterMemory is over: a failure is logged.
func (s *site) refreshLetters(ctx context.Context, who *sessions.Staff, signedIn bool) {
	if s.Letters == nil {
		return
	}
	one, err := s.subscriber(who, "", nil)
	if err == nil {
		err = s.Letters.Refresh(ctx, one, signedIn)
	}
	if err != nil {
		s.Log.Warn("who gets letters is not noted", "err", err)
	}
}

// lapseLetters has a person, as the store knows them, get no letters until they sign in again.
func (s *site) lapseLetters(ctx context.Context, person string) error {
	if s.Letters == nil {
		return nil
	}
	return s.Letters.Lapse(ctx, person)
}

// LettersOf returns which letters the person of a session gets and, for administrators, what everybody gets.
func (s *site) LettersOf(session string) (web.Letters, error) {
	ctx, cancel := context.WithTimeout(s.ctx, enterTimeout)
	defer cancel()
	l := web.Letters{Mail: s.Mail}
	list, err := s.Sessions.List(ctx)
	if err != nil || s.Letters == nil {
		return l, err
	}
	given, err := s.sessions.Grants(ctx)
	if err != nil {
		return l, err
	}
	i := slices.IndexFunc(list, func(one store.SessionInfo) bool { return one.ID == session })
	if i < 0 {
		return l, nil
	}
	who := s.sessions.Decode(list[i].Data, given)
	if who == nil {
		return l, nil
	}
	l.Address = who.Address
	all, err := s.Letters.Subscribers(ctx)
	if err != nil {
		return l, err
	}
	newest, err := s.Letters.Newest(ctx)
	if err != nil {
		return l, err
	}
	l.PushKey = s.Push.Key()
	for _, one := range all {
		reader := web.LetterReader{Person: one.Person, Address: one.Address, Names: one.Names, Last: outbox.State(newest[one.Person], s.At)}
		if one.Device != "" {
			reader.Device = cmp.Or(s.Push.Name(one.Device), "–")
		}
		switch s.sessions.Owned(who.Subject) {
		case one.Person:
			l.Names, l.Last, l.Without = reader.Names, reader.Last, one.Without
		case one.Owner:
			l.Devices, l.WithoutOnDevices = append(l.Devices, reader), one.Without
		}
		if who.Role == web.Admin {
			l.Everybody = append(l.Everybody, reader)
		}
	}
	for _, person := range slices.Sorted(maps.Keys(s.HouseHosts)) {
		if who.Role == web.Admin {
			l.Everybody = append(l.Everybody, web.LetterReader{Address: s.HouseHosts[person], Names: HouseLetters, Last: outbox.State(newest[person], s.At)})
		}
	}
	return l, nil
}

// Told returns who was told of an alert with an id in the log, by letter.
func (s *site) Told(alert string) ([]web.LetterReader, error) {
	if s.Letters == nil {
		return nil, nil
	}
	return s.told.Of(alert, func() ([]web.LetterReader, error) {
		ctx, cancel := context.WithTimeout(s.ctx, enterTimeout) // not while another reads
		defer cancel()
		return outbox.Told(ctx, s.Letters, s.HouseHosts, alert, s.At)
	})
}

// HouseLetters are the letters that the house's own addresses get.
var HouseLetters = []string{night.Alerts, night.Unanswered, night.Cleared}

// lookAtLetter answers with a letter as it would go to the person now.
func (s *site) lookAtLetter(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if !slices.Contains(night.LetterNames, name) && night.ExportOf(name) == nil {
		return errNotFound()
	}
	if !s.Ready() {
		return notReady(w)
	}
	who := visitOf(r).staff
	if who == nil {
		return redirect(w, "/login?return="+web.LettersPath)
	}
	l := s.language(r)
	letter, err := s.letter(r.Context(), night.LetterTo{Name: name, Day: s.letterDay(name), Stop: s.public.String() + web.LettersPath, About: func(*evening.Alert) bool { return true }}, who.Role.Access(), l)
	if err != nil {
		return err
	}
	if letter == nil {
		t := words.Of(l)
		return s.message(w, web.Message{Locale: l, Title: night.LetterTitle(t, name), Text: t.Code("letter_state", store.LetterVoid), Next: web.LettersPath, NextText: t.Text("letters.title")})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// A letter has its styles in itself, because a mail program asks for nothing.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	_, err = w.Write([]byte(letter.HTML))
	return err
}

// letter returns a letter to somebody; nil if there is nothing in it.
func (s *site) letter(ctx context.Context, to night.LetterTo, a web.Access, l web.Locale) (*night.Letter, error) {
	q, err := web.NewRequest("night", nil, a, l)
	if err != nil {
		return nil, err
	}
	to.Venue, to.Public, to.Screens = s.Venue, s.public.String(), s.ScreenAlerts()
	return night.NewLetter(ctx, s.Renderer, web.Frame{Request: q, Snapshot: s.Snapshot(), Now: s.Now(), Ready: true}, to)
}

// stopPage asks whoever follows the link in a letter whether to stop them: programs follow links by themselves.
func (s *site) stopPage(w http.ResponseWriter, r *http.Request) error {
	l := s.language(r)
	t := words.Of(l)
	address, err := s.readerOf(r)
	if err != nil || address == "" {
		return s.stopped(w, l, address, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Question(w, web.Question{Locale: l, Title: t.Text("letters.stop", words.Name("address", address)), Text: t.Text("letters.stop_text"),
		Action: r.URL.Path, Back: web.LettersPath, Do: t.Text("letter.stop")})
}

// stopLetters stops the letters with a token: from the page, or at once from a mail program (RFC 8058).
func (s *site) stopLetters(w http.ResponseWriter, r *http.Request) error {
	address, err := s.readerOf(r)
	if address != "" {
		act := store.Act{Action: store.ActLettersStopped, Name: address, ObjectName: address, Address: s.from(r)}
		address, err = s.Letters.Stop(r.Context(), r.PathValue("token"), act)
	}
	return s.stopped(w, s.language(r), address, err)
}

// letterToken is what tokens of letters look like.
var letterToken = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// readerOf returns the address of the person whose letters have the token of a link; it is empty if there is none.
func (s *site) readerOf(r *http.Request) (address string, err error) {
	if s.Letters == nil || !letterToken.MatchString(r.PathValue("token")) {
		return "", nil
	}
	return s.Letters.AddressOf(r.Context(), r.PathValue("token"))
}

// stopped answers that no letters go to an address, or that none did.
func (s *site) stopped(w http.ResponseWriter, l web.Locale, address string, err error) error {
	if err != nil {
		return err
	}
	t := words.Of(l)
	title := t.Text("letters.unknown")
	if address != "" {
		title = t.Text("letters.stopped", words.Name("address", address))
	}
	return s.message(w, web.Message{Locale: l, Title: title, Text: t.Text("letters.stop_text"), Next: web.LettersPath, NextText: t.Text("letters.title")})
}
