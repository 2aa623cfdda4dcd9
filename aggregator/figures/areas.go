package figures

// Area is a price area of a performance: its ticket types of one name, where they have a capacity of
// their own.
type Area struct {
	Name                           string
	Capacity, Sold, Reserved, Free Figure[int]
	// Sure is how many are free however many the other areas have, of those that are on sale; 0 if
	// that is not known.
	Sure  int
	Price int64 // of its dearest place, in minor units
	// Shared reports that places of it are places of another area, too: then areas do not add up.
	Shared bool
}
