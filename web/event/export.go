package event

import (
	"housecount/web"
)

// exportEvent returns the figures of a performance.
func (b builder) exportEvent() (s web.ExportTable, err error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return s, web.ErrNotFound
	}
	s.Name = "housecount-performance-" + string(e.Date) + "-" + web.InFileName(e.Event.ID)
	s.Rows = append(s.Rows, b.Heads(web.PerformanceHeads...))
	b.AddPerformance(&s, e)
	return s, nil
}
