package profile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"time"
)

// A program can ask for any amount of memory in one step, such as "x" * 1000000000, and nothing in this process could
// refuse it. The programs of a profile that somebody gives us are therefore run in a process of their own, whose
// memory is limited (see Work). Rows and outputs travel as lines of JSON. The programs of built-in profiles are part
// of housecount and are run where they are, which costs nothing.

const (
	// startTime is how long the process may take to start.
	startTime = 30 * time.Second
	// overTime is how much longer than a program's limit is waited for it: the process itself ends a program between two of its steps.
	overTime = 2 * time.Second
)

// Isolate has the programs run in a process of their own from now on, which command starts and which calls Work. It ends
// with this process. Call Isolate before With.
func (p *Profile) Isolate(command ...string) { p.isolated = &isolated{command: command} }

// isolated runs programs in a process, one row at a time. Any goroutine may call it. The process is started for the first
// row, and anew after a program had to be stopped by ending it.
type isolated struct {
	command []string

	mu       sync.Mutex
	process  *exec.Cmd // nil while there is none
	to, from *os.File
	lines    *bufio.Reader
	// with is what the process was last given as $with; it is not sent again with each row.
	with map[string]any
}

// request is a line to the process.
type request struct {
	Program string       `json:"program"`
	Input   programInput `json:"input"`
	// SameWith has the process use the $with of the request before.
	SameWith bool `json:"same_with"`
}

// reply is a line of the process: an output, or the end of the outputs.
type reply struct {
	Output json.RawMessage `json:"output,omitzero"`
	Done   bool            `json:"done,omitzero"`
	Fault  *programFault   `json:"fault,omitzero"`
}

// run is runProgram in the process.
func (i *isolated) run(ctx context.Context, text string, in programInput, each func(any) error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.start(); err != nil {
		i.end()
		return &programFault{faultError, fmt.Sprintf("the process for it does not start: %v", err)}
	}
	if err := ctx.Err(); err != nil {
		return &programFault{Kind: faultTime}
	}
	deadline := time.Now().Add(in.Time + overTime)
	if err := errors.Join(i.to.SetDeadline(deadline), i.from.SetDeadline(deadline)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = i.from.SetDeadline(time.Unix(1, 0)) }) // an error means that it is closed
	defer stop()
	if err := i.send(text, in); err != nil {
		return i.broken(err)
	}
	var refused error // by each
	for {
		var r reply
		line, err := i.lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		switch {
		case err != nil:
			return i.broken(err)
		case r.Fault != nil && refused == nil:
			return r.Fault
		case r.Done, r.Fault != nil:
			return refused
		case refused == nil:
			v, err := decodeAny(r.Output)
			if err != nil {
				return i.broken(err)
			}
			refused = each(v)
		}
	}
}

// send writes a request. Only what the program reads is sent of what does not belong to the row.
func (i *isolated) send(text string, in programInput) error {
	r := request{Program: text, Input: in}
	if !strings.Contains(text, "$with") {
		r.Input.With = nil
	} else if reflect.ValueOf(in.With).Pointer() == reflect.ValueOf(i.with).Pointer() && i.with != nil {
		r.Input.With, r.SameWith = nil, true
	} else {
		i.with = in.With // which is never changed once it is used, and whose address is not used again as long as it is held
	}
	return json.NewEncoder(i.to).Encode(r)
}

// broken ends the process, and returns why it gave no answer: the time was up or, as it ended by itself, the memory.
func (i *isolated) broken(err error) error {
	i.end()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &programFault{Kind: faultTime}
	}
	return &programFault{Kind: faultMemory}
}

// start starts the process if there is none, and waits until it is ready.
func (i *isolated) start() error {
	if i.process != nil {
		return nil
	}
	input, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, output, err := os.Pipe()
	if err != nil {
		return errors.Join(err, input.Close(), to.Close())
	}
	process := exec.Command(i.command[0], i.command[1:]...)
	process.Stdin, process.Stdout = input, output
	process.Env = []string{"GOTRACEBACK=none"} // and no secret
	err = process.Start()
	if err = errors.Join(err, input.Close(), output.Close()); err != nil {
		return errors.Join(err, to.Close(), from.Close())
	}
	i.process, i.to, i.from, i.lines, i.with = process, to, from, bufio.NewReader(from), nil
	if err := from.SetDeadline(time.Now().Add(startTime)); err != nil {
		return err
	}
	if line, err := i.lines.ReadString('\n'); err != nil || line != workerReady {
		return fmt.Errorf("%q: %w", line, errors.Join(err, errNotReady))
	}
	return nil
}

var errNotReady = errors.New("it does not say that it is ready")

// end ends the process, if there is one.
func (i *isolated) end() {
	if i.process == nil {
		return
	}
	// An error of these only says that it has ended already.
	_ = i.process.Process.Kill()
	_ = i.process.Wait()
	_, _ = i.to.Close(), i.from.Close()
	i.process = nil
}
