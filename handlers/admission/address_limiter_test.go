package admission

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// However many addresses come, those who wait and those who are remembered are not too many.
func TestAddressLimiterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns AddressLimiter
		var refused atomic.Int64
		var wg sync.WaitGroup
		for a := range 11 {
			from := netip.AddrFrom4([4]byte{192, 0, 2, byte(a)})
			for range 300 {
				wg.Go(func() {
					if turns.Wait(t.Context(), from) != nil {
						refused.Add(1)
					}
				})
			}
			synctest.Wait()
		}
		if n := refused.Load(); n != 200 { // all of the last address's that would have to wait
			t.Errorf("%d were refused", n)
		}
		wg.Wait()
		// In IPv6 a stranger has any number of addresses, but few nets.
		for i := range 25_000 {
			if err := turns.Wait(t.Context(), netip.AddrFrom16([16]byte{0: 0x20, 4: byte(i >> 16), 5: byte(i >> 8), 6: byte(i), 15: byte(i)})); err != nil && i < 10_000 {
				t.Fatal(err)
			}
		}
		if n := len(turns.addresses); n > 10_000 {
			t.Errorf("%d addresses are remembered", n)
		}
		time.Sleep(time.Minute)
		for i := range 300 {
			from := netip.AddrFrom16([16]byte{0: 0x21, 15: byte(i)})
			if start := time.Now(); turns.Wait(t.Context(), from) != nil || (time.Since(start) > 0) != (i >= 100) {
				t.Fatalf("after a minute, the turn %d of one net comes after %v", i, time.Since(start))
			}
		}
		if n := len(turns.addresses); n >= 10_000 {
			t.Errorf("%d addresses are remembered, and none was forgotten", n)
		}
	})
}
