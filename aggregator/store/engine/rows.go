package engine

// VersionsAfter selects the next $3 versions of a service, $2, after a revision, $1. As long as PostgreSQL has no statistics of the
// table it takes a service for a small part of it, and would read and sort all that follows for every page. It does not
// estimate a CASE.
const VersionsAfter = `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
	WHERE revision > $1 AND CASE service WHEN $2 THEN true ELSE false END ORDER BY revision LIMIT $3`

// Version is a row of the table of versions.
type Version struct {
	Revision int64
	Previous int64 // 0 for none
	Kind     int
	ID       string
	Head     bool
	Updated  int64 // Unix microseconds; 0 for none, or one that is not believed
	Seen     int64 // Unix microseconds; 0 for none
	Hash     int64
	Body     string
	Deleted  bool
}

// Head is a row of the table of heads.
type Head struct {
	Kind     int
	ID       string
	Revision int64
	Latest   int64
	Hash     int64
	Updated  int64
	Deleted  bool
}

// number64 returns NULL for 0.
func number64(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
