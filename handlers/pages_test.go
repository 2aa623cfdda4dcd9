package handlers_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"housecount/handlers"
)

// A spreadsheet of chosen days is made only with one of the places for such work, but a visitor who reads it slowly keeps
// nobody waiting, and one who has gone gives the place back.
func TestSpreadsheetsTakeTurns(t *testing.T) {
	tokens := make(chan struct{}, 1)
	var written []int // how many hold a place while it is sent
	slow := writer(func(b []byte) (int, error) {
		written = append(written, len(tokens))
		return len(b), nil
	})
	ctx, gone := context.WithCancel(t.Context())
	err := handlers.InTurns(ctx, tokens, slow, func(w io.Writer) error {
		for range 2 {
			if len(tokens) != 1 {
				t.Error("rows are made without a place")
			}
			if _, err := w.Write([]byte("row")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(written) != 2 || written[0] != 0 || written[1] != 0 || len(tokens) != 0 {
		t.Errorf("%v: %v places are held while rows are sent, and %d afterwards", err, written, len(tokens))
	}
	err = handlers.InTurns(ctx, tokens, writer(func(b []byte) (int, error) {
		tokens <- struct{}{} // another's
		gone()
		return len(b), nil
	}), func(w io.Writer) error {
		_, err := w.Write([]byte("row"))
		return err
	})
	if !errors.Is(err, context.Canceled) || len(tokens) != 1 {
		t.Errorf("a visitor who has gone: %v, %d places are held", err, len(tokens))
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
