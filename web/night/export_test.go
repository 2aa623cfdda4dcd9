package night

// SetMostBytes sets the most that a file in a letter has, until restore.
func SetMostBytes(n int) (restore func()) {
	before := mostBytes
	mostBytes = n
	return func() { mostBytes = before }
}

// InShort returns an alert as the subject of a letter with several has it.
var InShort = inShort

// OwnStretch is ownStretch.
var OwnStretch = ownStretch
