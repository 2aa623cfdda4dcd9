package xlsx

// Sums are the sums of a table's columns, by their places from 0.
type Sums map[int]int64

// Add adds the number of a cell; a cell without one adds nothing.
func (s Sums) Add(column int, value any) {
	switch n := value.(type) {
	case int:
		s[column] += int64(n)
	case int64:
		s[column] += n
	}
}
