package apiclient

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// maxLink is the longest address of a next page, or cursor, that is used.
const maxLink = 8 << 10

// sameOriginPath returns the path and query of a next page's address, without the parameter called
// hidden if that is not empty. link may be relative to from. It must have the same origin, because
// the credential is sent along.
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
		return "", &Error{Kind: Foreign, Err: fmt.Errorf("the next page is said to be at %s, which is not where the list is; give --api-url that address if it is the service's own", record.Cut(record.PrintableID(u.Scheme+"://"+u.Host), 200))}
	}
	if hidden != "" {
		u.RawQuery = removeParam(u.RawQuery, hidden)
	}
	return u.RequestURI(), nil
}

// removeParam returns query without one of its parameters, otherwise unchanged.
func removeParam(query, param string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		name, err := url.QueryUnescape(name)
		return err == nil && name == param
	}), "&")
}

// resolvePath returns the URL of a path and query made by sameOriginPath, at the origin of base.
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
