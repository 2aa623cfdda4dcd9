package apiclient

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// maxLink is the longest address of a next page, or cursor, that is followed.
const maxLink = 8 << 10

// sameOriginPath turns the address of a next page, as the answer has it from from, into
// its path and query without the parameter hidden, if that is not empty. It has to be at the
// same origin: the credential travels along.
func sameOriginPath(from *url.URL, link, hidden string) (string, error) {
	if link == "" {
		return "", nil
	}
	if len(link) > maxLink {
		return "", &Error{Kind: Garbage, Err: fmt.Errorf("the address of the next page is longer than %d bytes", maxLink)}
	}
	u, err := from.Parse(link)
	switch {
	case err != nil:
		return "", &Error{Kind: Garbage, Err: errors.New("the address of the next page cannot be read")}
	case u.User != nil, u.Opaque != "", origin(u) != origin(from):
		return "", &Error{Kind: Foreign, Err: fmt.Errorf("the next page is said to be at %s", record.Cut(record.PrintableID(u.Scheme+"://"+u.Host), 200))}
	}
	if hidden != "" {
		u.RawQuery = removeParam(u.RawQuery, hidden)
	}
	return u.RequestURI(), nil
}

// without is a query without one of its parameters, and otherwise as it was.
func removeParam(query, param string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		name, err := url.QueryUnescape(name)
		return err == nil && name == param
	}), "&")
}

// follow is the address of a path and query that sameOriginPath made, at the origin of base.
func resolvePath(base *url.URL, at string) (*url.URL, error) {
	u, err := base.Parse(at)
	if err != nil || !strings.HasPrefix(at, "/") || origin(u) != origin(base) || u.User != nil {
		return nil, errors.New("the place of the page cannot be read")
	}
	return u, nil
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
