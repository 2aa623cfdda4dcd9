package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestChaosOfTwoServices has faults of all kinds at two box offices of one house for an evening, one of which lists tickets
// as parts of orders. The two begin alike, so that they give many records the same ids.
func TestChaosOfTwoServices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, 3, 23, 17, 0, 0, 0, time.UTC)))
		h := newChaoticHouse(t, sqlite(t), 7, slow, false)
		h.beside = newChaoticHouse(t, sqlite(t), 7, slow, true)
		h.beside.random = rand.New(rand.NewPCG(8, 8))
		faults := slices.DeleteFunc(slices.Sorted(maps.Keys(troubles)), func(kind string) bool { return slices.Contains(lies, kind) })
		end := time.Now().Add(8 * time.Hour)
		h.step, h.beside.step = 10*time.Minute, 10*time.Minute
		stop := h.watch()
		for time.Now().Before(end) {
			at := pick(h.random, h, h.beside)
			at.sleep(at.step)
			switch at.random.IntN(16) {
			case 0:
				stop()
				at.sleep(at.step)
				stop = h.watch()
			case 1:
				at.control("fault", trouble{})
			case 2, 3, 4, 5, 6, 7, 8, 9:
				at.intervene()
			default:
				at.befall(faults)
			}
		}
		for _, at := range []*chaoticHouse{h, h.beside} {
			at.control("fault", trouble{})
		}
		time.Sleep(calm)
		h.stand()
		h.beside.stand()
		time.Sleep(still)
		stop()
		h.compare()
	})
}
