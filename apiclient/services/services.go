// Package services reads several ticketing services as one, such as a box office and the payment
// provider that takes its money. It makes no calls of its own.
//
// The records of the first service keep their ids. Those of another one get its name and a colon
// before theirs, and so do its lists with a slash, so that nothing of two services is ever taken for
// the same. An id of something that a service does not give itself belongs to the first: a payment
// provider has no orders of its own, so that its payments join those of the box office.
//
// The files in the order of the data: services (what is read), scope (whose an id is), left_out
// (payments that another service tells).
package services

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Service is one of several services.
type Service struct {
	// Name is the service's name, which no other has; see CheckName. The first one's is not part of any id.
	Name     string
	Source   apiclient.Source
	Payments Payments
}

// mostName is the longest name of a service, in bytes.
const mostName = 20

// CheckName returns what is wrong with the name of a service beside the first; nil if nothing is.
func CheckName(name string) error {
	if name == "" || len(name) > mostName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("%q is no name of a service: give up to %d small letters and digits", name, mostName)
	}
	return nil
}

// Services are several services that are read as one. They are safe for concurrent use.
type Services struct {
	all     []one
	streams []apiclient.Stream
	byName  map[string]list // by name of the stream here
}

// one is a service with what is derived from it.
type one struct {
	Service
	scope
}

// list is a stream of a service, by the name that the service gives it.
type list struct {
	service *one
	name    string
}

// Join returns services as one; the first is the one whose ids stay as they are. Two with one name, or a name that
// CheckName refuses, are an error.
func Join(first Service, others ...Service) (*Services, error) {
	s := &Services{byName: map[string]list{}}
	var prefixes []string
	for i, service := range append([]Service{first}, others...) {
		o := one{service, newScope(service.Source.Streams())}
		if i > 0 {
			if err := CheckName(service.Name); err != nil {
				return nil, err
			}
			o.prefix = service.Name + ":"
			prefixes = append(prefixes, o.prefix)
		}
		if slices.ContainsFunc(s.all, func(other one) bool { return other.Name == service.Name }) {
			return nil, fmt.Errorf("two services are called %q: give each its own name", service.Name)
		}
		s.all = append(s.all, o)
	}
	for i := range s.all {
		service := &s.all[i]
		service.foreign = prefixes
		for _, stream := range service.Source.Streams() {
			name := stream.Name
			if service.prefix != "" {
				stream.Name, stream.Service = service.Name+"/"+name, service.Name
			}
			stream.Owns = service.owns
			stream.Gives = service.Payments.given(stream.Gives)
			stream.Mapping += service.Payments.mapping()
			s.streams = append(s.streams, stream)
			s.byName[stream.Name] = list{service, name}
		}
	}
	return s, nil
}

// Streams returns the lists of all services, the first one's first.
func (s *Services) Streams() []apiclient.Stream { return s.streams }

// Paused returns how long requests for a stream are held back on our side.
func (s *Services) Paused(stream string) time.Duration {
	if l, ok := s.byName[stream]; ok {
		return l.service.Source.Paused(l.name)
	}
	return 0
}

// Limited returns how much of that the stream's service asked for.
func (s *Services) Limited(stream string) time.Duration {
	if l, ok := s.byName[stream]; ok {
		return l.service.Source.Limited(l.name)
	}
	return 0
}

// Read yields the records of a stream as its service does, with the ids that they have here. A record whose id
// would be taken for one of another service is refused. A read of an event of another service yields nothing.
func (s *Services) Read(ctx context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		l, ok := s.byName[stream]
		if !ok {
			yield(nil, &apiclient.Error{Kind: apiclient.Rejected, Stream: stream, Err: errors.New("no service has such a stream")})
			return
		}
		if q.EventID != "" {
			id, ok := l.service.eventAsked(q.EventID)
			if !ok {
				return
			}
			q.EventID = id
		}
		if onRow := q.OnRow; onRow != nil {
			q.OnRow = func(row record.Row) { onRow(l.service.row(stream, row)) }
		}
		for r, err := range l.service.Source.Read(ctx, l.name, q) {
			if err == nil {
				id := r.RecordID()
				here, refused := l.service.record(stream, r)
				if r = here; refused != nil {
					forget(q.Seen, refused.Kind, id)
					err = refused
				}
			} else if refused, ok := errors.AsType[*record.Refusal](err); ok {
				forget(q.Seen, refused.Kind, refused.ID)
				err = l.service.refusal(stream, refused)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// forget makes a row of a record that was refused be read again; seen has the ids that the service gives.
func forget(seen *apiclient.SeenRows, kind record.Kind, id string) {
	if seen != nil {
		seen.Forget(kind, id)
	}
}

// record returns a record as it is here, or a *record.Refusal.
func (o *one) record(stream string, r record.Record) (record.Record, *record.Refusal) {
	if why := o.fault(r.RecordID()); !why.IsZero() {
		return nil, &record.Refusal{Stream: stream, Kind: r.RecordKind(), ID: r.RecordID(), Updated: r.RecordUpdated(), Field: "id", Why: why}
	}
	r = o.scope.record(r)
	if p, ok := r.(*record.Payment); ok {
		return o.Payments.take(stream, p)
	}
	return r, nil
}
