package figures

// FailingPolls is how many polls in a row have to fail for a stream to fail.
const FailingPolls = 2

// Failing says that streams do not answer: of those that somebody may see, which. A stream from which
// places and money are counted is louder than others. It began when the one of them last answered that
// has been silent for longest; it grows when another fails. There is one alert of all, for there is one
// thing to be done.
func (v *Evening) Failing(sees func(StreamHealth) bool) (a Alert, streams []StreamHealth) {
	a = Alert{Key: AlertStreams, Code: AlertStreams, Level: Info}
	asked := map[string]bool{}
	for h := range v.snapshot.Health.Asked() {
		asked[h.Name] = true
	}
	for _, h := range v.snapshot.Health.Streams {
		elsewhere := !h.Counts() && h.Fault != FaultNotOffered && h.Fault != FaultForbidden
		if h.Missed < FailingPolls || !asked[h.Name] && !elsewhere || !sees(h) {
			continue
		}
		if streams = append(streams, h); h.Counts() {
			a.Level = Warn
		}
		if len(streams) == 1 || h.LastGood.Before(a.Since) {
			a.Since = h.LastGood
		}
	}
	a.Count.Value = len(streams)
	a.Seen = v.SeenBy(&a)
	return a, streams
}
