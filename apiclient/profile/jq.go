package profile

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"housecount/apiclient/record"

	"github.com/itchyny/gojq"
)

const (
	// pageTimeFactor times the limit of one row is the limit of all rows of a page.
	pageTimeFactor = 30
	// maxOutputs is the most records that a row may become.
	maxOutputs = 10_000
)

// programVariables are the variables that every program sees.
var programVariables = []string{"$vars", "$over", "$with"}

// maxProgram is the longest program, in bytes.
const maxProgram = 64 << 10

var (
	errReadsEnvironment = errors.New("it reads the environment ($ENV or env), which a profile never sees; give what it needs as vars")
	errProgramTooLarge  = fmt.Errorf("it is longer than %d bytes", maxProgram)
)

// compile compiles a program. It has no access to files, modules, the environment or any input but
// the row.
func compile(text string) (*gojq.Code, error) {
	if len(text) > maxProgram {
		return nil, errProgramTooLarge
	}
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	identity := func(v any, _ []any) any { return v }
	readsEnvironment := false
	code, err := gojq.Compile(q, gojq.WithVariables(programVariables),
		gojq.WithEnvironLoader(func() []string { readsEnvironment = true; return nil }),
		gojq.WithFunction("debug", 0, 0, identity), gojq.WithFunction("stderr", 0, 0, identity))
	if readsEnvironment {
		return nil, errReadsEnvironment
	}
	return code, err
}

// program is a compiled program.
type program struct {
	text string
	code *gojq.Code
}

// program compiles the program at path, nil if there is none.
func (f *faults) program(path, text string) *program {
	if text == "" {
		return nil
	}
	code, err := compile(text)
	if err == nil {
		return &program{text, code}
	}
	line, column := f.line(path), ""
	if e, ok := errors.AsType[*gojq.ParseError](err); ok {
		before := text[:min(max(e.Offset-len(e.Token), 0), len(text))]
		if block := f.blocks[path]; block > 0 {
			line = block + 1 + strings.Count(before, "\n")
		}
		column = fmt.Sprintf(" at column %d", len(before)-strings.LastIndexByte(before, '\n'))
	}
	f.addLine(line, "%.120s is no jq program%s: %s; mend it", path, column, errorText(err))
	return nil
}

// programInput is what a program is run on.
type programInput struct {
	Row  any            `json:"row"`
	Vars map[string]any `json:"vars"`
	Over any            `json:"over"`
	With map[string]any `json:"with"`
	Time time.Duration  `json:"time"` // the limit
}

// programFault is why a program was stopped.
type programFault struct {
	Kind string `json:"kind"`
	Text string `json:"text"` // of an error
}

// The kinds of programFault.
const (
	faultTime    = "time"
	faultMemory  = "memory"
	faultOutputs = "outputs"
	faultError   = "error"
)

func (f *programFault) Error() string { return f.Kind + " " + f.Text }

// message returns what is said of a row; limit is that of the time.
func (f *programFault) message(limit time.Duration) record.Message {
	switch f.Kind {
	case faultTime:
		return record.Say("takes the program more than {most}", record.Verbatim("most", limit.String()))
	case faultMemory:
		return record.Say("takes the program more memory than {most}", record.Verbatim("most", fmt.Sprintf("%d MB", programMemory>>20)))
	case faultOutputs:
		return record.Say("becomes more than {most} records", record.Number("most", maxOutputs))
	}
	return record.Say("fails the program: {text}", record.Verbatim("text", errorText(errors.New(f.Text))))
}

// run calls each with every output of a program for a row. It stops at an error of each and returns
// that, or why the program failed.
func (s *Stream) run(ctx context.Context, p *program, row any, in Context, each func(any) error) error {
	input := programInput{Row: row, Vars: s.Profile.vars, Over: in.Over, With: in.With, Time: s.Profile.RowTime}
	var err error
	if s.Profile.isolated != nil {
		err = s.Profile.isolated.run(ctx, p.text, input, each)
	} else {
		err = runProgram(ctx, p.code, input, each)
	}
	if fault, ok := errors.AsType[*programFault](err); ok {
		return fault.message(input.Time)
	}
	return err
}

// runProgram runs a program in this process. The error is a programFault or one of each.
func runProgram(ctx context.Context, code *gojq.Code, in programInput, each func(any) error) error {
	ctx, cancel := context.WithTimeout(ctx, in.Time)
	defer cancel()
	outputs := code.RunWithContext(ctx, in.Row, in.Vars, in.Over, in.With)
	for n := 0; ; n++ {
		v, more := next(outputs)
		if !more {
			return nil
		}
		if failed, ok := v.(error); ok {
			if ctx.Err() != nil {
				return &programFault{Kind: faultTime}
			}
			return &programFault{faultError, redactValues(failed)}
		}
		if n == maxOutputs {
			return &programFault{Kind: faultOutputs}
		}
		if err := each(v); err != nil {
			return err
		}
	}
}

// typedValue and quotedText match values that gojq quotes in its errors.
var (
	typedValue = regexp.MustCompile(`(?s)\b(boolean|number|string|array|object) \(.*\)`)
	quotedText = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)
)

// redactValues returns the text of a program's error without the values that it quotes, which may
// be personal data.
func redactValues(failed error) string {
	return quotedText.ReplaceAllString(typedValue.ReplaceAllString(failed.Error(), "$1"), "a text")
}

// next returns the next output of a program. A panic in gojq becomes an error of the program, so
// that only the row is lost.
func next(outputs gojq.Iter) (v any, more bool) {
	defer func() {
		if what := recover(); what != nil {
			v, more = fmt.Errorf("panic: %v", what), true
		}
	}()
	return outputs.Next()
}

// Context is what programs see in addition to a row.
type Context struct {
	// Over is the parent row that the list was read for, nil for none. With holds the shared rows
	// of the other streams by key.
	Over any
	With map[string]any
	// Known, if set, reports whether row i is known, and its id; known rows are not mapped.
	Known func(i int, raw []byte) (id string, known bool)
}
