package sandbox

// Why money is given back, as this house's box office writes it. An empty one was not written down.
const (
	becauseCancelled = "Voorstelling geannuleerd"
	becauseExchanged = "Omgeruild"
)

var (
	becauseReturned = []string{"Ziekte", "Verkeerde datum geboekt", "Dubbele bestelling", "Ziekte", "", "Verhinderd", "Verkeerde datum geboekt"}
	becauseFewer    = []string{"Met minder personen", "Ziekte", "", "Met minder personen"}
	becauseGoodwill = []string{"Coulance: zicht belemmerd", "Korting vergeten", "Coulance: zicht belemmerd", ""}
)

// reasonFor returns one of several reasons, always the same for a key. It draws no random number, so that what else happens does
// not depend on it.
func reasonFor(reasons []string, key uint64) string {
	return reasons[mix(key)%uint64(len(reasons))]
}
