package profile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/itchyny/gojq"
)

const (
	// WorkerArgument is the only argument of a process that calls Work.
	WorkerArgument = "run-profile-programs"
	// workerReady is the first line of such a process. Its number is raised with each change of request or reply: the file of a
	// running program may be replaced by that of another version.
	workerReady = "ready 1\n"
	// maxReply is the most that the outputs of a row may take as JSON.
	maxReply = 16 << 20
	// exitGo is the exit code of a Go program that gets no more memory. Work itself does not panic.
	exitGo = 2
)

// Work runs the programs that it reads from in, and writes their outputs to out, until in ends. It is for a process of its
// own, see Profile.Isolate, which it ends as soon as that uses more than programMemory.
func Work(in io.Reader, out io.Writer) (err error) {
	defer func() {
		if v := recover(); v != nil { // whose exit code would be that of want of memory
			err = fmt.Errorf("profile: the process for programs: %v", v)
		}
	}()
	debug.SetMemoryLimit(programMemory)
	// Where this is not possible, as in a unit of systemd that may not change its own limits, watching has to do.
	_ = limitAddresses(2 * programMemory)
	if _, err := io.WriteString(out, workerReady); err != nil {
		return err
	}
	w := worker{programs: map[string]*gojq.Code{}, out: bufio.NewWriter(out)}
	for d := json.NewDecoder(bufio.NewReader(in)); ; {
		d.UseNumber()
		var r request
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := w.answer(r); err != nil {
			return err
		}
	}
}

// worker is the state of Work.
type worker struct {
	programs map[string]*gojq.Code // by their texts
	with     map[string]any        // of the last request that had one
	out      *bufio.Writer
}

// answer runs a program and writes what it gives.
func (w *worker) answer(r request) error {
	code := w.programs[r.Program]
	if code == nil {
		var err error
		if code, err = compile(r.Program); err != nil {
			return err
		}
		w.programs[r.Program] = code
	}
	if r.SameWith {
		r.Input.With = w.with
	} else if r.Input.With != nil {
		w.with = r.Input.With
	}
	defer watchMemory()()
	written := 0
	err := runProgram(context.Background(), code, r.Input, func(v any) error {
		text, err := gojq.Marshal(v)
		if err != nil {
			return &programFault{faultError, redactValues(err)}
		}
		if written += len(text); written > maxReply {
			return &programFault{Kind: faultMemory}
		}
		return w.write(reply{Output: text})
	})
	last := reply{Done: err == nil}
	if fault, ok := errors.AsType[*programFault](err); ok {
		last.Fault = fault
	} else if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return errors.Join(w.write(last), w.out.Flush())
}

func (w *worker) write(r reply) error { return json.NewEncoder(w.out).Encode(r) }
