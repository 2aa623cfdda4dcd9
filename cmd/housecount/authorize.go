package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/cmd/housecount/options"
)

// authorizeCommand stores what a person allows housecount at a service.
type authorizeCommand struct {
	options.ServiceFlags  `embed:""`
	options.DatabaseFlags `embed:""`
	options.SealFlags     `embed:""`

	RedirectURL string `name:"redirect-url" help:"Address to which the service leads back, as it is registered there. With one of this machine, the answer is waited for; with another, paste the address that the browser ends at." default:"http://127.0.0.1:8484/authorized" check:"address"`
}

func (c authorizeCommand) Check(faults *options.Faults) {
	o := c.Client(faults)
	if o.Profile != nil && !needsGrants(o) {
		faults.Add("--profile %s needs nobody's authorization, or a client is missing: give --api-client-id and --api-client-secret for a profile that does", c.Profile)
	}
}

// needsGrants reports whether the service is asked with what a person authorized.
func needsGrants(o apiclient.Options) bool {
	return o.Profile != nil && o.Profile.Auth.OAuth.Grant == profile.GrantCode && o.ClientID != ""
}

// grants are the grants of one client at one service, in a database.
type grants struct {
	credentials *store.Credentials
	name        string
}

// Renew implements apiclient.Grants.
func (g grants) Renew(ctx context.Context, renew func([]byte) ([]byte, error)) error {
	err := g.credentials.Renew(ctx, g.name, renew)
	if errors.Is(err, store.ErrNoCredential) || errors.Is(err, store.ErrSealed) {
		return &apiclient.Error{Kind: apiclient.Ungranted, Err: err}
	}
	return err
}

// put stores a new grant in place of the one that is there. Whoever reads the service uses it at once.
func (g grants) put(ctx context.Context, grant []byte) error {
	return g.credentials.Put(ctx, g.name, grant)
}

// grantName returns the name under which a client's grant is stored.
func grantName(o apiclient.Options) string { return o.Profile.Name + " " + o.ClientID }

// grantsOf returns the stored grants that the service is asked with, nil if it needs none.
func grantsOf(s *store.Store, seal *store.Seal, o apiclient.Options) apiclient.Grants {
	if !needsGrants(o) {
		return nil
	}
	return grants{s.Credentials(seal), grantName(o)}
}

// openGrants opens the grants of a database that is there.
func openGrants(ctx context.Context, at options.DatabaseFlags, key options.SealFlags, o apiclient.Options) (*store.Store, apiclient.Grants, error) {
	db, err := at.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	seal, err := db.Seal(ctx, key.SecretKey, key.SecretKeyFallback)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, grantsOf(db, seal, o), nil
}

// Run sends a person to the service and stores what comes back.
func (c authorizeCommand) Run(ctx context.Context, env environment) error {
	o := c.Client(new(options.Faults))
	a, err := apiclient.NewAuthorization(o, c.RedirectURL)
	if err != nil {
		return &options.Faults{List: []string{err.Error()}}
	}
	db, err := store.OpenCurrent(ctx, string(c.Database))
	if err != nil {
		return err
	}
	defer db.Close()
	seal, err := db.Seal(ctx, c.SecretKey, c.SecretKeyFallback)
	if err != nil {
		return err
	}
	if seal.Foreign {
		return &options.Faults{List: []string{"the database was last used with another secret key: give the --secret-key that serve uses"}}
	}
	grant, err := c.ask(ctx, env, a)
	if err != nil {
		return err
	}
	if err := db.Credentials(seal).Put(ctx, grantName(o), grant); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "housecount is authorized at %s; serve with the same --profile, --api-client-id and --database uses it at once\n", o.Profile.Name)
	return err
}

// ask has a person authorize, and returns what the service gives for the answer.
func (c authorizeCommand) ask(ctx context.Context, env environment, a *apiclient.Authorization) ([]byte, error) {
	redirect, _ := url.Parse(c.RedirectURL) // NewAuthorization has read it
	if !isLocal(redirect) {
		fmt.Fprintf(env.stdout, "Open this address, allow housecount, and paste the address that the browser ends at:\n\n  %s\n\n", a.URL())
		return pasted(ctx, env, a)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", redirect.Host)
	if err != nil {
		return nil, fmt.Errorf("--redirect-url %s: %w", c.RedirectURL, err)
	}
	fmt.Fprintf(env.stdout, "Open this address in a browser of this machine and allow housecount:\n\n  %s\n\n", a.URL())
	return answered(ctx, ln, redirect.Path, a)
}

// isLocal reports whether the address is one of this machine by number.
func isLocal(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() && u.Scheme == "http" && u.Port() != ""
}

// pasted reads the address that a person was led back to.
func pasted(ctx context.Context, env environment, a *apiclient.Authorization) ([]byte, error) {
	if env.stdin == nil {
		return nil, errors.New("there is no terminal to paste the address into: give a --redirect-url of this machine")
	}
	line, err := bufio.NewReader(env.stdin).ReadString('\n')
	if line = strings.TrimSpace(line); line == "" {
		return nil, fmt.Errorf("no address was pasted: %w", err)
	}
	u, err := url.Parse(line)
	if err != nil {
		return nil, errors.New("what was pasted is no address: copy it whole from the browser")
	}
	return a.Finish(ctx, u.Query())
}

// answered waits for the service to lead a browser back to path.
func answered(ctx context.Context, ln net.Listener, path string, a *apiclient.Authorization) ([]byte, error) {
	type result struct {
		grant []byte
		err   error
	}
	results := make(chan result, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if r.URL.Path != path || r.URL.RawQuery == "" {
			http.NotFound(w, r)
			return
		}
		grant, err := a.Finish(r.Context(), r.URL.Query())
		if errors.Is(err, apiclient.ErrOtherAuthorization) {
			http.Error(w, err.Error(), http.StatusBadRequest) // somebody else's; ours may still come
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		} else {
			fmt.Fprintln(w, "housecount is authorized; this page can be closed.")
		}
		select {
		case results <- result{grant, err}:
		default: // opened twice
		}
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		server.Shutdown(stopping) // the browser gets its page
		<-served
	}()
	select {
	case r := <-results:
		return r.grant, r.err
	case err := <-served:
		served <- err
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
