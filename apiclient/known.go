package apiclient

import (
	"slices"
	"sync"

	"housecount/apiclient/profile"
)

// known is what was learnt of the service on the way.
type known struct {
	mu sync.Mutex
	// plain are the streams that refuse parameters that they do not know, unfiltered those
	// that send what has not changed though only changes were asked for.
	plain, unfiltered map[*profile.Stream]bool
	// prefix is the one under which the service answers, if it was found.
	prefix      string
	prefixFound bool
	paths       map[*profile.Stream]string // that were found
	// tags are the ETags of the pages of lists, as of the last read to the end.
	tags map[listKey]tags
}

// spot is where a stream may be, under the base.
type spot struct{ prefix, path string }

// addresses are those at which s may be, the likeliest first.
func (k *known) addresses(s *profile.Stream) (all []spot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	prefixes := s.Profile.Prefixes
	if k.prefixFound {
		prefixes = []string{k.prefix}
	} else if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	paths := append([]string{s.Path}, s.Alternatives...)
	if path, ok := k.paths[s]; ok {
		paths = slices.Insert(slices.DeleteFunc(paths, func(p string) bool { return p == path }), 0, path)
	}
	for _, prefix := range prefixes {
		for _, path := range paths {
			all = append(all, spot{prefix, path})
		}
	}
	return all
}

// addressIs remembers that s was found at a.
func (k *known) addressIs(s *profile.Stream, a spot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.prefix, k.prefixFound = a.prefix, true
	if len(s.Alternatives) > 0 {
		learn(&k.paths, s, a.path)
	}
}

func (k *known) isPlain(s *profile.Stream) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.plain[s]
}

func (k *known) plainIs(s *profile.Stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	learn(&k.plain, s, true)
}

func (k *known) isUnfiltered(s *profile.Stream) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unfiltered[s]
}

func (k *known) unfilteredIs(s *profile.Stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	learn(&k.unfiltered, s, true)
}

func learn[V any](m *map[*profile.Stream]V, s *profile.Stream, v V) {
	if *m == nil {
		*m = map[*profile.Stream]V{}
	}
	(*m)[s] = v
}
