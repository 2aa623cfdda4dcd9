// Package observe has what operators see of a running program: its metrics, whether it leads, and the way of one ticket
// through it, which is followed from the service's answer to the pages. It changes no figure.
//
// Everything here may be used by many goroutines at once.
package observe

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/web/live"
)

// Monitor has the program's own metrics for Prometheus, about its condition and not about the house or people.
// Events are counted when they happen; other values are read when Prometheus asks.
type Monitor struct {
	Registry *prometheus.Registry
	requests *prometheus.HistogramVec
	polls    *prometheus.HistogramVec
	letters  *prometheus.CounterVec
	answers  *http.ServeMux
}

// NewMonitor registers the counters.
func NewMonitor() *Monitor {
	m := &Monitor{
		Registry: prometheus.NewRegistry(),
		answers:  http.NewServeMux(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "housecount_http_request_duration_seconds", Help: "Requests by route and status; 101 is a socket, whose request ends when it is open.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10},
		}, []string{"route", "code"}),
		polls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "housecount_poll_duration_seconds", Help: "Polls by stream and outcome, ok or the fault.",
			Buckets: []float64{.05, .2, 1, 5, 30, 120, 600},
		}, []string{"stream", "outcome"}),
	}
	m.letters = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "housecount_letters_total", Help: "Letters by what became of them: sent, refused, late or void."}, []string{"state"})
	for _, state := range store.LetterStates {
		m.letters.WithLabelValues(state) // from the start
	}
	m.Registry.MustRegister(m.requests, m.polls, m.letters, collectors.NewGoCollector(), collectors.NewBuildInfoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.answers.Handle("GET /metrics", promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return m
}

// Begin makes the series of what is counted before anything happens, so that an alert or a dashboard finds them: the polls
// of each list, and requests that failed. Those of each route and outcome come with the first.
func (m *Monitor) Begin(streams []aggregator.Stream) {
	for _, s := range streams {
		m.polls.WithLabelValues(s.Name, "ok")
	}
	m.requests.WithLabelValues("none", strconv.Itoa(http.StatusInternalServerError))
}

// Served implements handlers.Options.Served.
func (m *Monitor) Served(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(cmp.Or(route, "none"), strconv.Itoa(status)).Observe(took.Seconds())
}

// Polled implements poller.Options.Polled.
func (m *Monitor) Polled(p poller.Poll) {
	m.polls.WithLabelValues(p.Stream, cmp.Or(string(p.Fault), "ok")).Observe(p.Took.Seconds())
}

// Lettered implements notify.Post.Done.
func (m *Monitor) Lettered(state string) { m.letters.WithLabelValues(state).Inc() }

// Client is the client of a service.
type Client struct {
	Service string
	*apiclient.Client
}

// Parts are what values are read from.
type Parts struct {
	Hub     *live.Hub
	Figures *aggregator.Figures
	Store   *store.Store
	Clients []Client
	Leading *LeadingLog
}

// Observe registers the values that are read from the parts, at times by the venue's clock.
func (m *Monitor) Observe(p Parts, now func() time.Time) {
	m.Registry.MustRegister(state{p, now, now()})
}

// ServeHTTP answers Prometheus.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.answers.ServeHTTP(w, r) }

// state is what values are read from.
type state struct {
	Parts
	now   func() time.Time // the venue's clock
	began time.Time        // by it
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("housecount_"+name, help, labels, nil)
}

var (
	sockets         = describe("sockets", "Open sockets of pages and screens.")
	socketsLagging  = describe("sockets_lagging", "Open sockets whose page has not taken yet what it was sent.")
	watchedTopics   = describe("topics", "Topics that are watched.")
	topicsFailing   = describe("topics_failing", "Topics that cannot be rendered.")
	framesSent      = describe("frames_sent_total", "Frames sent to pages, without beats.")
	socketBytesSent = describe("socket_sent_bytes_total", "Bytes written to sockets, beats and pings included.")
	renderings      = describe("rendering_duration_seconds", "Renderings of topics.")

	figuresAge        = describe("figures_age_seconds", "How long ago the figures were true; before the first answers, how long they have been waited for.")
	figuresReady      = describe("figures_ready", "1 when the log has been folded and figures are shown.")
	streamLastSuccess = describe("stream_last_success_timestamp_seconds", "When the service last answered well, by the venue's clock.", "stream")
	streamMissed      = describe("stream_missed_polls", "Polls that failed in a row.", "stream")
	streamRefused     = describe("stream_refused_records", "Records that were refused and have not come in order since.", "stream")

	recordsStored = describe("records_stored_total", "New versions of records that this process has stored.")
	leaseHeld     = describe("lease_held", "1 when this process polls the service.")
	requestsLeft  = describe("service_requests_left", "Requests that the budget allows now before the next has to wait; negative when some wait.", "service", "budget")
	servicePause  = describe("service_pause_seconds", "How long the service still has us ask nothing.", "service")

	databaseUp      = describe("database_up", "1 when the database answers, asked at each scrape. After a write that the database could not take, 1 only once a trial succeeds; before that none is tried.")
	connections     = describe("database_connections", "Open connections to the database.", "pool", "state")
	connectionWaits = describe("database_waits_total", "How often a connection had to be waited for.", "pool")
	connectionWait  = describe("database_wait_seconds_total", "How long connections were waited for.", "pool")
)

// Describe yields nothing: the registry then checks what Collect yields.
func (s state) Describe(chan<- *prometheus.Desc) {}

func (s state) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	s.collectLive(s.Hub.Stats(), out, gauge, counter)
	s.collectFigures(s.Figures.Snapshot(), gauge)
	counter(recordsStored, float64(s.Leading.stored.Load()))
	gauge(leaseHeld, oneIf(s.Leading.Leads.Load()))
	for _, client := range s.Clients {
		minute, day, daily := client.Left()
		gauge(requestsLeft, minute, client.Service, "minute")
		if daily {
			gauge(requestsLeft, day, client.Service, "day")
		}
		gauge(servicePause, client.Limited().Seconds(), client.Service)
	}
	gauge(databaseUp, oneIf(s.pinged()))
	for pool, stats := range s.Store.Stats() {
		gauge(connections, float64(stats.InUse), pool, "in_use")
		gauge(connections, float64(stats.Idle), pool, "idle")
		counter(connectionWaits, float64(stats.WaitCount), pool)
		counter(connectionWait, stats.WaitDuration.Seconds(), pool)
	}
}

// pingPatience is how long a scrape waits for the database.
const pingPatience = 2 * time.Second

// pinged reports whether the database answers.
func (s state) pinged() bool {
	ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
	defer cancel()
	return s.Store.Ping(ctx) == nil
}

type emit func(d *prometheus.Desc, v float64, labels ...string)

func (state) collectLive(stats live.Stats, out chan<- prometheus.Metric, gauge, counter emit) {
	gauge(sockets, float64(stats.Sockets))
	gauge(socketsLagging, float64(stats.Lagging))
	gauge(watchedTopics, float64(stats.Topics))
	gauge(topicsFailing, float64(stats.Failing))
	counter(framesSent, float64(stats.Frames))
	counter(socketBytesSent, float64(stats.Bytes))
	out <- prometheus.MustNewConstSummary(renderings, stats.Renderings, stats.Rendering.Seconds(), nil)
}

func (s state) collectFigures(shown *figures.Snapshot, gauge emit) {
	gauge(figuresReady, oneIf(s.Figures.Ready()))
	since := s.began
	if !shown.AsOf.IsZero() {
		since = shown.AsOf
	}
	gauge(figuresAge, s.now().Sub(since).Seconds())
	for _, stream := range shown.Health.Streams {
		if !stream.LastGood.IsZero() {
			gauge(streamLastSuccess, float64(stream.LastGood.UnixMilli())/1000, stream.Name)
		}
		gauge(streamMissed, float64(stream.Missed), stream.Name)
		gauge(streamRefused, float64(stream.Refused), stream.Name)
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
