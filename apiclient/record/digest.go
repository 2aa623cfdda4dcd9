package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"sync"
)

// decoding is to be counted up when records are decoded or validated in another way than before although their
// fields are the same. Then every list is read anew.
const decoding = 1

// Digest identifies the records of this program: it changes with their fields and with how they are decoded.
var Digest = sync.OnceValue(func() string {
	sum := sha256.New()
	fmt.Fprintln(sum, decoding)
	for _, of := range []reflect.Type{
		reflect.TypeFor[Event](), reflect.TypeFor[Ticket](), reflect.TypeFor[Payment](), reflect.TypeFor[Contact](), reflect.TypeFor[Planning](), reflect.TypeFor[TicketScan](),
	} {
		describeType(sum, of)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
})

// describeType writes the fields of a type and of those that it contains.
func describeType(to interface{ Write([]byte) (int, error) }, of reflect.Type) {
	fmt.Fprintln(to, of)
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		describeType(to, of.Elem())
	case reflect.Struct:
		for f := range of.Fields() {
			if f.IsExported() {
				fmt.Fprintln(to, f.Name, f.Tag)
				describeType(to, f.Type)
			}
		}
	}
}
