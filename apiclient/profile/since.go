package profile

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// Ask returns the parameter value that asks for changes since t, and the time that it stands for,
// which is not after t.
func (r SinceRule) Ask(t time.Time, zone string) (text string, asked time.Time, err error) {
	switch r.Format {
	case "", "rfc3339":
		return t.Format(time.RFC3339), t, nil
	case "unix":
		return strconv.FormatInt(t.Unix(), 10), t, nil
	case "unix_ms":
		return strconv.FormatInt(t.UnixMilli(), 10), t, nil
	}
	in, err := time.LoadLocation(cmp.Or(r.Zone, zone))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("the zone %.60q of since is not known; give one like Europe/Amsterdam", cmp.Or(r.Zone, zone))
	}
	text = t.In(in).Format(r.Format)
	const wall = "2006-01-02T15:04:05"
	if t.Add(time.Hour).In(in).Format(wall) == t.In(in).Format(wall) {
		// The hour repeats; the service may take the text for the later occurrence.
		text = t.Add(-time.Hour).In(in).Format(r.Format)
	}
	asked, err = time.ParseInLocation(r.Format, text, in)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("the format %.60q of since cannot be read back; give a layout with the whole date", r.Format)
	}
	return text, asked, nil
}
