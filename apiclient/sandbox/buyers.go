package sandbox

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Keys for the random numbers of contacts and planning; see chance.go.
const (
	forContact uint64 = iota + 100
	forPlanning
)

// contact draws the id of a buyer. Some buyers are drawn much more often than others; in the second season about one
// buyer in five is new.
func (h *house) contact(c rng) string {
	u := c.Float64()
	return "con_" + h.opaque(1<<50+uint64(u*u*u*60_000))
}

// recordContact adds a buyer to the contacts, or marks a known one as returning. It ignores an empty id.
func (h *house) recordContact(id string) {
	if id == "" {
		return
	}
	known, ok := h.contacts.rows[id]
	if !ok {
		h.contacts.add(h.newContact(id), h.now)
		return
	}
	if c := known.record.(*contact); !slices.Contains(c.Types, "returning") {
		c.Types = append(slices.Clone(c.Types), "returning")
		h.contacts.touch(c, h.now)
	}
}

// newContact invents the contact of an id. The result depends only on the seed and the id.
func (h *house) newContact(id string) *contact {
	key := fnv.New64a()
	key.Write([]byte(id))
	c := h.rng(forContact, key.Sum64())
	given, family := givenNames[c.IntN(len(givenNames))], familyNames[c.IntN(len(familyNames))]
	weights := make([]float64, len(towns))
	for i, t := range towns {
		weights[i] = t.share
	}
	town := towns[c.pick(weights)]
	who := &contact{
		ID: id, Name: given + " " + family, Email: strings.ToLower(given) + "." + id + "@example.com",
		City: town.name, Country: town.country, PostalCode: fmt.Sprint(town.from + c.IntN(town.to-town.from+1)),
		Types: []string{"visitor"},
	}
	if town.country == "NL" {
		who.PostalCode += fmt.Sprintf(" %c%c", 'A'+rune(c.IntN(26)), 'A'+rune(c.IntN(26)))
	}
	if c.chance(.6) {
		who.Phone = fmt.Sprintf("+31 6 %08d", c.IntN(100_000_000))
	}
	if c.chance(.9) {
		who.OptIn = new(c.chance(.45))
	}
	if c.chance(.12) {
		who.Types = append(who.Types, contactTypes[2+c.IntN(len(contactTypes)-2)])
	}
	return who
}

var givenNames = []string{"Anna", "Bram", "Carla", "Daan", "Emma", "Farid", "Greet", "Hugo", "Ilse", "Jamal", "Karin", "Lotte", "Mees", "Noor", "Otto", "Pien", "Rik", "Saskia", "Tess", "Youssef"}

var familyNames = []string{"Bakker", "van den Berg", "Bos", "Çelik", "Dekker", "de Graaf", "Haddad", "Jansen", "Kok", "Mulder", "Peters", "Prins", "Smit", "Visser", "Vos", "de Vries", "Wolters", "Yılmaz", "Zijlstra"}

var towns = []struct {
	name, country string
	from, to      int // the range of numbers in postal codes
	share         float64
}{
	{"Amsterdam", "NL", 1011, 1109, .5}, {"Amstelveen", "NL", 1181, 1188, .13}, {"Haarlem", "NL", 2011, 2037, .12},
	{"Utrecht", "NL", 3511, 3585, .1}, {"Zaandam", "NL", 1501, 1509, .1}, {"Antwerpen", "BE", 2000, 2060, .05},
}
