package apiclient

import (
	"context"
	"io"
	"slices"
	"time"
)

// smallBody is the size in bytes, after decompression, up to which any number of bodies is read at once. A page of a
// thousand rows is smaller.
const smallBody = 8 << 20

// largeTurn is taken by the call that reads more than smallBody of a body, one at a time in the process: lists of several
// services that all answer without an end would otherwise take a multiple of Options.MaxBody each.
var largeTurn = make(chan struct{}, 1)

// largeWait is how long a call waits for its turn: whoever sends a large body slowly takes little memory meanwhile, and does not
// hold up the lists of others.
const largeWait = 2 * time.Second

// readBody reads a body up to and including the byte after limit, which tells that it is too large; such a body is not
// returned. A large body waits for its turn, for largeWait at most or until ctx ends.
func readBody(ctx context.Context, body io.Reader, limit int64) (read []byte, tooLarge bool, err error) {
	read, err = io.ReadAll(io.LimitReader(body, min(limit, smallBody)+1))
	if err != nil || int64(len(read)) <= min(limit, smallBody) {
		return read, false, err
	}
	if limit <= smallBody {
		return nil, true, nil
	}
	select {
	case largeTurn <- struct{}{}:
		defer func() { <-largeTurn }()
	case <-time.After(largeWait):
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	rest, err := io.ReadAll(io.LimitReader(body, limit+1-int64(len(read))))
	if int64(len(read)+len(rest)) > limit {
		return nil, true, nil
	}
	return slices.Concat(read, rest), false, err
}
