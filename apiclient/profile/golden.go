package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"housecount/apiclient/record"
)

// Golden is what a saved answer gives, as text to be stored and compared with later.
type Golden struct {
	Text             []byte
	Records, Refused int
}

// Goldens runs the profile over saved answers, as Sample does, and returns what each list gives.
func (p *Profile) Goldens(vars map[string]string, samples []Sample) (map[string]Golden, error) {
	type kept struct {
		Records []json.RawMessage `json:"records,omitempty"`
		Refused []string          `json:"refused,omitempty"`
	}
	byList := map[string]*kept{}
	for i := range samples {
		byList[samples[i].Stream] = &kept{}
	}
	for i := range samples {
		// Lists that this one needs are run as well; only its own records are its.
		list := samples[i].Stream
		own := byList[list]
		for r, err := range p.sampleOf(vars, samples, list) {
			refused, isRefused := errors.AsType[*record.Refusal](err)
			switch {
			case isRefused:
				own.Refused = append(own.Refused, refused.Error())
				continue
			case err != nil:
				return nil, err
			}
			text, err := json.Marshal(struct {
				Record record.Kind   `json:"record"`
				Fields record.Record `json:"fields"`
			}{r.RecordKind(), r})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list, err)
			}
			own.Records = append(own.Records, text)
		}
	}
	all := map[string]Golden{}
	for list, own := range byList {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(own); err != nil {
			return nil, err
		}
		all[list] = Golden{text.Bytes(), len(own.Records), len(own.Refused)}
	}
	return all, nil
}

// Required returns the names of the variables without a value, sorted.
func (p *Profile) Required() (names []string) {
	for _, name := range sortedKeys(p.Vars) {
		if p.Vars[name] == "" {
			names = append(names, name)
		}
	}
	return names
}
