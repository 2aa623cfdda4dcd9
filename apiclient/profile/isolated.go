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
	"syscall"
	"time"
)

// A program can ask for any amount of memory in one step, such as "x" * 1000000000, and nothing in this process could
// refuse it. The programs of a profile that somebody gives us are therefore run in a process of their own, whose
// memory is limited (see Work). Rows and outputs travel as lines of JSON. The programs of built-in profiles are part
// of housecount and are run where they are, which costs nothing.

const (
	// startTime is how long the process may take to start.
	startTime = 30 * time.Second
	// overTime is how long we wait after a program's limit: the process itself stops a program only between two steps.
	overTime = 2 * time.Second
)

// Isolate has the programs run in a process of their own from now on, which command starts and which calls Work. It ends
// with this process. Call Isolate before With.
func (p *Profile) Isolate(command ...string) { p.isolated = newIsolated(command) }

// isolated runs programs in a process, one row at a time. Any goroutine may call it. The process is started for the first
// row, and anew after it ended or a program had to be stopped by ending it.
type isolated struct {
	command []string

	busy     chan struct{} // has something in it while somebody uses what is below
	process  *exec.Cmd     // nil while there is none
	to, from *os.File
	lines    *bufio.Reader
	// with is what the process was last given as $with; it is not sent again with each row.
	with map[string]any
}

func newIsolated(command []string) *isolated {
	return &isolated{command: command, busy: make(chan struct{}, 1)}
}

// StartError is returned where the process that runs programs does not start, which is no fault of a row.
type StartError struct{ Err error }

func (e *StartError) Error() string {
	return fmt.Sprintf("the process for the profile's programs does not start: %v", e.Err)
}

// Unwrap returns why.
func (e *StartError) Unwrap() error { return e.Err }

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

// run is runProgram in the process. Where the process ends for a reason that is not the program's, the row gets another one.
func (i *isolated) run(ctx context.Context, text string, in programInput, each func(any) error) error {
	release, err := i.use(ctx)
	if err != nil {
		return err
	}
	defer release()
	outputs, err := i.ask(ctx, text, in)
	if _, died := errors.AsType[*diedError](err); died && ctx.Err() == nil {
		if err := i.startIn(ctx); err != nil {
			return err
		}
		outputs, err = i.ask(ctx, text, in)
	}
	for _, v := range outputs {
		if err := each(v); err != nil {
			return err
		}
	}
	if died, ok := errors.AsType[*diedError](err); ok {
		return died.fault()
	}
	return err
}

// use waits until nobody else uses the process and it has started, which does not count as time of the page, and returns
// what lets the next use it.
func (i *isolated) use(ctx context.Context) (release func(), err error) {
	defer pausePage(ctx)()
	select {
	case i.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, &programFault{Kind: faultTime}
	}
	release = func() { <-i.busy }
	if ctx.Err() != nil {
		err = &programFault{Kind: faultTime}
	} else {
		err = i.startIn(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// startIn starts the process if there is none. That does not count as time of the page.
func (i *isolated) startIn(ctx context.Context) error {
	defer pausePage(ctx)()
	if err := i.start(); err != nil {
		i.end()
		return &StartError{err}
	}
	return nil
}

// ask has the process run a program, and returns its outputs, also those before an error.
func (i *isolated) ask(ctx context.Context, text string, in programInput) (outputs []any, err error) {
	deadline := time.Now().Add(in.Time + overTime)
	if err := errors.Join(i.to.SetDeadline(deadline), i.from.SetDeadline(deadline)); err != nil {
		return nil, i.broken(err)
	}
	defer i.endWith(ctx)()
	if err := i.send(text, in); err != nil {
		return nil, i.broken(err)
	}
	for {
		var r reply
		line, err := i.lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		switch {
		case err != nil:
			return outputs, i.broken(err)
		case r.Fault != nil:
			return outputs, r.Fault
		case r.Done:
			return outputs, nil
		}
		v, err := decodeAny(r.Output)
		if err != nil {
			return outputs, i.broken(err)
		}
		outputs = append(outputs, v)
	}
}

// endWith has reading and writing end with ctx, until stop returns: from then on the deadlines are the next row's.
func (i *isolated) endWith(ctx context.Context) (stop func()) {
	from, to, called := i.from, i.to, make(chan struct{})
	past := time.Unix(1, 0)
	drop := context.AfterFunc(ctx, func() {
		defer close(called)
		_, _ = from.SetDeadline(past), to.SetDeadline(past) // an error means that it is closed
	})
	return func() {
		if !drop() {
			<-called
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

// diedError is returned if the process ended, or did not answer as it should.
type diedError struct {
	state *os.ProcessState
	err   error
}

func (e *diedError) Error() string {
	return fmt.Sprintf("the process for it ended (%v): %v", e.state, e.err)
}

// fault returns what is said of the row if that happens again.
func (e *diedError) fault() error {
	return &programFault{faultError, fmt.Sprintf("the process for it ended twice, at last with %v", e.state)}
}

// broken ends the process, and returns why it gave no answer: the time was up, or the memory, or it died.
func (i *isolated) broken(err error) error {
	state := i.end()
	switch code := state.ExitCode(); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &programFault{Kind: faultTime}
	case errors.Is(err, syscall.EPIPE): // before the program began
	case code == exitMemory, code == exitGo:
		return &programFault{Kind: faultMemory}
	}
	return &diedError{state, err}
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
	switch line, err := i.lines.ReadString('\n'); {
	case err == nil && line != workerReady && strings.HasPrefix(line, "ready"):
		return errOtherVersion
	case err != nil || line != workerReady:
		return fmt.Errorf("%q: %w", line, errors.Join(err, errNotReady))
	}
	return nil
}

var (
	errNotReady     = errors.New("it does not say that it is ready")
	errOtherVersion = errors.New("it is of another version, by which this one was replaced while it runs: restart housecount")
)

// end ends the process, if there is one, and returns how it ended.
func (i *isolated) end() *os.ProcessState {
	if i.process == nil {
		return nil
	}
	process := i.process
	i.process = nil
	// An error of these only says that it has ended already.
	_ = process.Process.Kill()
	_ = process.Wait()
	_, _ = i.to.Close(), i.from.Close()
	return process.ProcessState
}
