package apiclient

import "encoding/json"

// mapped is a record that a row became, or why it was refused.
type mapped struct {
	record       Record
	refused      *RecordError
	droppedScans int
}

// mapRow turns the text of a row into records.
func (s *stream) mapRow(raw []byte, _ any, _ map[string]any) (id string, rows []mapped) {
	m, id, err := decodeRow(s.Gives[0], raw)
	if err != nil {
		return "", []mapped{{refused: &RecordError{Why: err.Error()}}}
	}
	return id, []mapped{m}
}

// keepRow turns the text of a row into what other streams need of it.
func (s *stream) keepRow(raw []byte, _ any) (key string, kept map[string]any, err error) {
	if err := json.Unmarshal(raw, &kept); err != nil {
		return "", nil, err
	}
	key, _ = kept["key"].(string)
	return key, kept, nil
}
