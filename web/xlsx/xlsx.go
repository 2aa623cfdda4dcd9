// Package xlsx writes workbooks of typed cells, their rows while they are made.
package xlsx

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strconv"
	"time"
	"unicode/utf16"
)

// dayZero is the day 0 of a workbook, and firstDay the first whose number has no doubt: Excel has a 29 February 1900.
var dayZero = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

const firstDay = 61

// DayNumber returns the number of a day, YYYY-MM-DD; ok is false if it is none that a workbook can count.
func DayNumber(day string) (n int, ok bool) {
	at, err := time.Parse(time.DateOnly, day)
	n = int(at.Sub(dayZero) / (24 * time.Hour))
	return n, err == nil && n >= firstDay
}

// AppendNumber appends a number as a cell, in one of the styles of the workbook.
func AppendNumber(row []byte, at string, style int, number string) []byte {
	row = append(append(append(row, `<c r="`...), at...), `" s="`...)
	row = append(strconv.AppendInt(row, int64(style), 10), `"><v>`...)
	return append(append(row, number...), `</v></c>`...)
}

// mostText is the most characters that a cell takes, in units of UTF-16.
const mostText = 32767

// escape is what a workbook takes for another character in a text.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// AppendText appends a text as a cell, never a formula; nothing if it is empty.
func AppendText(row []byte, at, text string) []byte {
	if text == "" {
		return row
	}
	if units := utf16.Encode([]rune(text)); len(units) > mostText {
		text = string(utf16.Decode(units[:mostText]))
	}
	text = escape.ReplaceAllStringFunc(text, func(s string) string { return "_x005F" + s })
	row = append(append(append(row, `<c r="`...), at...), `" t="inlineStr"><is><t xml:space="preserve">`...)
	out := bytes.NewBuffer(row)
	xml.EscapeText(out, []byte(text)) // the error is the buffer's, which has none
	return append(out.Bytes(), `</t></is></c>`...)
}
