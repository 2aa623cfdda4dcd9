package admission

import (
	"regexp"
	"strings"
)

// systems are the operating systems of screens, by a pattern of the User-Agent, the most specific first. $1
// is the version, if there is one.
var systems = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`Tizen (\d+(?:\.\d+)?)`), "Tizen $1"},
	{regexp.MustCompile(`Web0S|webOS`), "webOS"},
	{regexp.MustCompile(`\bAFT\w+`), "Fire TV"},
	{regexp.MustCompile(`CrOS`), "ChromeOS"},
	{regexp.MustCompile(`Android (\d+)`), "Android $1"},
	{regexp.MustCompile(`iPhone`), "iPhone"},
	{regexp.MustCompile(`iPad`), "iPad"},
	{regexp.MustCompile(`Macintosh`), "macOS"},
	{regexp.MustCompile(`Windows NT`), "Windows"},
	{regexp.MustCompile(`Linux (?:armv\w+|aarch64)`), "Linux ARM"},
	{regexp.MustCompile(`Linux`), "Linux"},
}

// browsers are the browsers of screens, in the same form as systems.
var browsers = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`Firefox/(\d+)`), "Firefox $1"},
	{regexp.MustCompile(`Edg/(\d+)`), "Edge $1"},
	{regexp.MustCompile(`Silk/(\d+)`), "Silk $1"},
	{regexp.MustCompile(`Chrome/(\d+)`), "Chrome $1"},
	{regexp.MustCompile(`Version/(\d+)[^ ]* (?:Mobile/\w+ )?Safari`), "Safari $1"},
}

// product matches the name of a program that is not a browser.
var product = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,39}`)

// DeviceKind returns a device's system and browser, or the name of its program, by its User-Agent; empty if
// that is not known. The result is not to be trusted.
func DeviceKind(agent string) string {
	var kinds []string
	for _, list := range [][]struct {
		pattern *regexp.Regexp
		name    string
	}{systems, browsers} {
		for _, k := range list {
			if m := k.pattern.FindStringSubmatchIndex(agent); m != nil {
				kinds = append(kinds, string(k.pattern.ExpandString(nil, k.name, agent, m)))
				break
			}
		}
	}
	if len(kinds) == 0 {
		return product.FindString(agent)
	}
	return strings.Join(kinds, ", ")
}
