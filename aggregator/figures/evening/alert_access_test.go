package evening

import "testing"

// What only those may see who see amounts is no work of the door or the box office, so that no alert that they are told of has one.
func TestAlertsWithAmountsAreForManagers(t *testing.T) {
	for _, r := range alertRules {
		if r.sees != SeesPlaces && r.takes != DutyManager {
			t.Errorf("%s is seen by those who see amounts alone, and others are told of it", r.code)
		}
	}
}
