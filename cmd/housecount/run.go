package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"housecount/cmd/housecount/certificates"
	"housecount/cmd/housecount/limits"
	"housecount/web/live"
)

// shutdownLimit is the longest time that an orderly shutdown may take.
const shutdownLimit = 10 * time.Second

// listeners are what a program serves on: its pages, the redirect from plain HTTP to them, and Prometheus
// metrics; the last two may be nil.
type listeners struct{ pages, redirect, metrics net.Listener }

func (l listeners) Close() error {
	var errs []error
	for _, ln := range []net.Listener{l.pages, l.redirect, l.metrics} {
		if ln != nil {
			errs = append(errs, ln.Close())
		}
	}
	return errors.Join(errs...)
}

// run serves on ln until ctx ends or a part fails, then stops the parts in order:
// sockets first, so that pages look for another replica at once; then requests; then
// the polling; the database last. Each has its share of shutdownLimit.
func (p *program) run(ctx context.Context, ln listeners) error {
	failed := make(chan error, 10)
	watch := start(p.store.Run, "store", failed)
	folding := start(func(ctx context.Context) error {
		return limits.FoldWithGarbage(ctx, func(ctx context.Context) error { return p.figures.Await(ctx, 0) })
	}, "first fold", failed)
	figures := start(p.figures.Run, "aggregator", failed)
	poller := start(p.poller.Run, "poller", failed)
	sockets := start(p.hub.Run, "live", failed)
	sessions := start(p.site.Run, "handlers", failed)
	passing := start(func(ctx context.Context) error {
		return p.entries.enterAlerts(ctx, p.now, p.site.FoundScreenAlerts, p.log)
	}, "alerts", failed)
	reconciling := start(p.reconciler.Run, "reconciliation", failed)
	backing := start(p.backups.Run, "backups", failed)
	posting := start(p.post.Run, "letters", failed)
	limiter := limits.NewConnections(limits.OpenFiles(p.log))
	server := limiter.Guard(newServer(p.site, p.log))
	server.WriteTimeout = time.Minute // a live socket sets its own deadlines
	redirect := limiter.Guard(newServer(p.redirect, p.log))
	redirect.WriteTimeout = 10 * time.Second
	served := start(func(context.Context) error {
		return serve(server, live.Listen(limiter.Listen(ln.pages)), p.certificates)
	}, "server", failed)
	var redirecting, looking *part
	if ln.redirect != nil {
		redirecting = start(func(context.Context) error { return serve(redirect, limiter.Listen(ln.redirect), nil) }, "redirect server", failed)
	}
	if p.certificates != nil {
		looking = start(p.certificates.Run, "certificates", failed)
	}
	metrics := newServer(p.metrics, p.log)
	metrics.WriteTimeout = time.Minute
	var measuring *part
	if ln.metrics != nil {
		measuring = start(func(context.Context) error { return serve(metrics, ln.metrics, nil) }, "metrics server", failed)
		p.log.Info("metrics are served", "address", ln.metrics.Addr().String())
	}
	p.log.Info("listening", "address", ln.pages.Addr().String(), "tls", p.certificates != nil)

	var failure error
	select {
	case <-ctx.Done():
		p.log.Info("stopping")
	case failure = <-failed:
		p.log.Error("stopping", "error", failure)
	}
	return errors.Join(failure,
		sessions.stop(shutdownLimit/10),
		passing.stop(shutdownLimit/40),
		reconciling.stop(shutdownLimit/40),
		backing.stop(shutdownLimit/40),
		posting.stop(shutdownLimit/4),
		sockets.stop(shutdownLimit/5),
		redirect.Close(),
		redirecting.stop(shutdownLimit/20),
		looking.stop(shutdownLimit/20),
		shutdown(server, shutdownLimit/5),
		served.stop(shutdownLimit/20),
		poller.stop(shutdownLimit/5),
		folding.stop(shutdownLimit/20),
		figures.stop(shutdownLimit/20),
		metrics.Close(),
		measuring.stop(shutdownLimit/40),
		watch.stop(shutdownLimit/40),
		p.store.Close())
}

// serve serves on ln until the server is shut down, with TLS if there are certificates.
func serve(server *http.Server, ln net.Listener, c certificates.Source) (err error) {
	if c != nil {
		server.TLSConfig = certificates.Config(c)
		err = server.ServeTLS(ln, "", "")
	} else {
		err = server.Serve(ln)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// shutdown waits for requests to end, and cuts off those that take longer than limit.
func shutdown(server *http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// newServer returns an http.Server with limits on how slowly a client may send its request.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// part is a running piece of the program.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// start runs f until its part is stopped. An error before that is sent to failed.
func start(f func(context.Context) error, name string, failed chan<- error) *part {
	ctx, cancel := context.WithCancel(context.Background())
	p := &part{name: name, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		if err := f(ctx); err != nil && ctx.Err() == nil {
			failed <- fmt.Errorf("%s: %w", name, err)
		}
	}()
	return p
}

// stop stops a part; it does nothing if the part is nil because it was never started.
func (p *part) stop(limit time.Duration) error {
	if p == nil {
		return nil
	}
	p.cancel()
	select {
	case <-p.done:
		return nil
	case <-time.After(limit):
		return fmt.Errorf("%s did not stop within %s", p.name, limit)
	}
}

// redirectTo redirects plain HTTP requests to the public address, whatever host they name.
func redirectTo(public string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, fmt.Sprintf("this is %s: ask there", public), http.StatusBadRequest)
			return
		}
		if r.URL.Opaque != "" { // its text would be appended to the public host name
			http.Error(w, "no such address", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, public+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}
