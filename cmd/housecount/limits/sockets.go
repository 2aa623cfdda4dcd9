package limits

import (
	"log/slog"

	"housecount/web/live"
)

const (
	// reservedFiles is the number of open files reserved for the database, the service and requests.
	reservedFiles = 200
	// minUsualSockets is the number of sockets below which a warning is logged where no number was asked for.
	minUsualSockets = 1000
)

// SocketLimit returns how many pages may be open at once: asked, or live.MostWatchers if that is 0, within the
// number of open files that the operating system allows. few reports whether that is too few.
func SocketLimit(asked int, files uint64) (pages int, few bool) {
	room := int(min(max(files, reservedFiles+1)-reservedFiles, 1<<30))
	if asked == 0 {
		pages = min(room, live.MostWatchers)
		return pages, pages < minUsualSockets
	}
	return min(room, asked), room < asked
}

// Sockets returns the SocketLimit of this process, and logs a warning if it is too low.
func Sockets(asked int, log *slog.Logger) int {
	files := OpenFiles(log)
	pages, few := SocketLimit(asked, files)
	if few {
		log.Warn("the limit of open files allows few pages at once: raise it (ulimit -n, LimitNOFILE of systemd)",
			"limit", files, "max_sockets", asked, "pages", pages)
	}
	return pages
}
