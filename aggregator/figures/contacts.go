package figures

// Contacts counts contact records, without tests and deleted ones.
type Contacts struct {
	OptedIn, OptedOut, NotAsked int
}

// All returns the number of contacts.
func (c Contacts) All() int { return c.OptedIn + c.OptedOut + c.NotAsked }

// OptIn returns the part of those who were asked that may be sent news.
func (c Contacts) OptIn() Figure[float64] {
	asked := c.OptedIn + c.OptedOut
	if asked == 0 {
		return NotKnown[float64](ReasonNobodyAsked)
	}
	return Figure[float64]{Value: float64(c.OptedIn) / float64(asked)}
}

// Buyers are sold places by who bought them: New by contacts on the first day on which they bought
// anything, Returning by contacts later on, and Anonymous without a contact or a time. A contact is
// known by its tickets, whether its record was read or not; those that were voided do not count, nor
// those of test performances: who has only tried one out is new. Who was
// not heard of for so long that the contact was forgotten, and buys again, is New again; what was sold
// before counts as it did.
type Buyers struct{ New, Returning, Anonymous int }

// Known returns the places whose buyer is known.
func (b Buyers) Known() int { return b.New + b.Returning }
