package figures

// Area is a price area of a performance: the ticket types with one name, if they have a capacity of their own.
type Area struct {
	Name                           string
	Capacity, Sold, Reserved, Free Figure[int]
	// Sure is how many are free regardless of sales in other areas that are on sale; 0 if that is not known.
	Sure  int
	Price int64 // of its most expensive place, in minor units
	// Shared is true if some of its places also belong to another area, so that areas do not add up.
	Shared bool
}
