package profile

import (
	"fmt"
	"os"
	"runtime/metrics"
	"syscall"
	"time"
)

const (
	// programMemory is how much memory the programs of a profile may use, with everything else in their process.
	programMemory = 256 << 20
	// memoryWatch is how often that is looked at while a program runs. The operating system refuses more than twice as much.
	memoryWatch = 2 * time.Millisecond
	// exitMemory is the exit code of a process that used too much.
	exitMemory = 9
)

// limitAddresses has the operating system refuse this process more memory than it has now and that many bytes. Go reserves
// addresses that it never uses, so that only the difference means anything.
func limitAddresses(more uint64) error {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return err
	}
	most := pages*uint64(os.Getpagesize()) + more
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
}

// watchMemory ends the process once it uses too much memory, until the function that it returns is called.
func watchMemory() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(memoryWatch)
		defer tick.Stop()
		used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if metrics.Read(used); used[0].Value.Uint64()+used[1].Value.Uint64() > programMemory {
				os.Exit(exitMemory)
			}
		}
	}()
	return func() { close(done); <-ended }
}
