package handlers

import (
	"net/http"
	"slices"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/web"
	"housecount/web/night"
)

// maxDevices is how many devices of a person get notifications.
const maxDevices = 10

// changeDevices has a device get notifications of alerts, or get none any more.
func (s *site) changeDevices(w http.ResponseWriter, r *http.Request) error {
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
	own := slices.DeleteFunc(all, func(one store.Subscriber) bool { return one.Owner != s.sessions.Owned(who.Subject) })
	act := s.act(r, who, store.ActLettersChosen)
	if person := r.PostForm.Get("remove"); person != "" {
		i := slices.IndexFunc(own, func(one store.Subscriber) bool { return one.Person == person })
		if i < 0 {
			return redirect(w, web.LettersPath)
		}
		act.ObjectName = s.Push.Name(own[i].Device)
		if err := s.Letters.Subscribe(r.Context(), store.Subscriber{Person: person}, act); err != nil {
			return err
		}
		return redirect(w, web.LettersPath)
	}
	endpoint, device, err := s.Push.Device(r.PostForm.Get("device"), admission.DeviceKind(r.UserAgent()))
	if err != nil {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.LettersPath, cause: err}
	}
	one, err := s.subscriber(who, s.language(r), []string{night.Alerts, night.Unanswered})
	if err != nil {
		return err
	}
	one.Owner, one.Person, one.Device = one.Person, store.DeviceID(one.Person, endpoint), device
	if known := slices.ContainsFunc(own, func(o store.Subscriber) bool { return o.Person == one.Person }); !known && len(own) >= maxDevices {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.LettersPath}
	}
	act.ObjectName = s.Push.Name(device)
	if err := s.Letters.Subscribe(r.Context(), one, act); err != nil {
		return err
	}
	return redirect(w, web.LettersPath+"?saved=yes")
}
