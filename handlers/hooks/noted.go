package hooks

import (
	"context"
	"time"

	"housecount/aggregator/figures"
)

// Since returns the messages that services have sent since a moment, by the names that their lists have, which is none of the first
// service, with times that at brings to the venue's clock. Of a service that has no address for messages there is nothing.
func Since(ctx context.Context, services []Service, since time.Time, at func(time.Time) time.Time) (map[string][]figures.Messages, error) {
	all := map[string][]figures.Messages{}
	for i, s := range services {
		if s.Secret == "" || s.Noted == nil {
			continue
		}
		noted, err := s.Noted(ctx, since)
		if err != nil {
			return nil, err
		}
		name := s.Name
		if i == 0 {
			name = ""
		}
		all[name] = []figures.Messages{}
		for _, m := range noted[s.Name] {
			all[name] = append(all[name], figures.Messages{From: at(m.From), Taken: m.Taken, Refused: m.Refused, Last: at(m.Last)})
		}
	}
	return all, nil
}
