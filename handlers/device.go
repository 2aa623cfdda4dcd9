package handlers

import (
	"regexp"
	"strings"
)

// systems are what devices run that hang on walls, the most particular first, by what their
// browsers say of themselves. $1 is the version, where they say it.
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

// browsers likewise.
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

// product is what a program calls itself that is no browser.
var product = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,39}`)

// deviceKind returns what a device is by its User-Agent, in as few words as people use: a system and a
// browser, or what a program calls itself; empty if that says nothing. It is the device's own word.
func deviceKind(agent string) string {
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
