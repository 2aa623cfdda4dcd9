package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"housecount/apiclient/record"
)

// Mapping identifies how the rows of the list become records: it changes with whatever of the profile, or of this program's
// records, may make other records of the same rows. Read with another mapping, everything has to be read anew.
func (s *Stream) Mapping() string {
	type rules struct {
		Stream StreamRule
		Needed []string
	}
	of := struct {
		Records string
		Native  bool
		Profile Rules
		Stream  rules
	}{Records: record.Digest(), Native: s.IsNative}
	if !s.IsNative {
		p := s.Profile.Rules
		of.Profile = Rules{Vars: p.Vars, Money: p.Money, Time: p.Time, Words: p.Words}
	}
	r := s.StreamRule
	of.Stream.Stream = StreamRule{
		Path: r.Path, Alternatives: r.Alternatives, Method: r.Method, Body: r.Body, Query: r.Query, Full: r.Full, List: r.List, EachKey: r.EachKey, RowID: r.RowID,
		Origin: r.Origin, Format: r.Format, Window: WindowRule{From: r.Window.From, To: r.Window.To, Start: r.Window.Start},
		Keep: r.Keep, Gives: r.Gives, Records: r.Records,
	}
	for _, other := range append([]*Stream{s.OverStream}, s.WithStreams...) {
		if other != nil {
			of.Stream.Needed = append(of.Stream.Needed, other.Mapping())
		}
	}
	text, _ := json.Marshal(of) // of texts and lists
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
