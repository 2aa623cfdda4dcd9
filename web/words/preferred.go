package words

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// offered matches a browser's preferred languages with ours. The first is the fallback; its confidence then tells.
var offered = func() language.Matcher {
	var tags []language.Tag
	for _, l := range Locales {
		tags = append(tags, language.MustParse(string(l)))
	}
	return language.NewMatcher(tags)
}()

// Offered reports whether pages are offered in a language.
func Offered(l Locale) bool { return slices.Contains(Locales, l) }

// Preferred returns the language that a browser prefers among ours by its Accept-Language header, or else otherwise.
func Preferred(accept string, otherwise Locale) Locale {
	// A browser may send anything; what cannot be parsed is ignored.
	tags, _, err := language.ParseAcceptLanguage(firstLanguages(accept))
	if err == nil && len(tags) > 0 {
		if _, i, confidence := offered.Match(tags...); confidence >= language.High {
			return Locales[i]
		}
	}
	return otherwise
}

// firstLanguages returns the beginning of a browser's languages, cut between two of them.
func firstLanguages(accept string) string {
	const most = 300 // bytes
	if len(accept) <= most {
		return accept
	}
	return accept[:max(0, strings.LastIndexByte(accept[:most+1], ','))]
}
