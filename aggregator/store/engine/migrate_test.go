package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A database is brought up to date by the number of its newest schema: none may come later with a
// lower one.
func TestMigrationsFollowOneAnother(t *testing.T) {
	for directory, next := range map[string]int{"sqlite": 1, "postgres": 5} {
		files, err := os.ReadDir("migrations/" + directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if next == 6 { // which is a program
				next++
			}
			if want := fmt.Sprintf("%05d_", next); !strings.HasPrefix(f.Name(), want) {
				t.Errorf("%s/%s stands where %s… is next", directory, f.Name(), want)
			}
			next++
		}
	}
}
