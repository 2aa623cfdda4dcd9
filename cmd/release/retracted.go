package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// module is what go list says of a module.
type module struct {
	Path, Version string
	Retracted     []string // why its authors have withdrawn this version; nil if they have not
	Error         *struct{ Err string }
}

// checkRetracted fails if the authors of a module that the go.mod of the directory requires have withdrawn that version,
// or if that cannot be found out: it asks the module proxy.
func checkRetracted(ctx context.Context, env []string) error {
	text, err := output(ctx, env, "go", "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var pinned struct{ Require []module }
	if err := json.Unmarshal([]byte(text), &pinned); err != nil {
		return fmt.Errorf("go mod edit -json: %w", err)
	}
	list := []string{"list", "-m", "-u", "-e", "-json=Path,Version,Retracted,Error"}
	for _, m := range pinned.Require {
		list = append(list, m.Path)
	}
	if text, err = output(ctx, env, "go", list...); err != nil {
		return err
	}
	var faults []error
	unknown := ""
	for d, n := json.NewDecoder(strings.NewReader(text)), 0; ; n++ {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) && n == len(pinned.Require) {
			break
		} else if err != nil {
			return fmt.Errorf("go list, after %d of %d modules: %w", n, len(pinned.Require), err)
		}
		switch {
		case m.Retracted != nil:
			faults = append(faults, fmt.Errorf("%s %s was withdrawn by its authors (%s): go get %[1]s@latest", m.Path, m.Version, strings.Join(m.Retracted, "; ")))
		case m.Error != nil:
			unknown = m.Error.Err
		}
	}
	if unknown != "" {
		faults = append(faults, fmt.Errorf("whether modules were withdrawn is not known, because the module proxy (go env GOPROXY) was not reached: %s", unknown))
	}
	return errors.Join(faults...)
}
