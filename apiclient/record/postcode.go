package record

import "strings"

// PostcodeArea returns the country and the area of a contact's postal code, such as "NL 35": its first two digits, or the
// letters that it begins with, two at most. Without a country of two letters it is the area alone. It is empty if the postal
// code is not known or begins with neither.
func (c *Contact) PostcodeArea() string {
	area := areaOfCode(strings.ToUpper(c.PostalArea))
	if country := strings.ToUpper(c.Country); area != "" && len(country) == 2 && letters(country) == 2 {
		return country + " " + area
	}
	return area
}

// areaOfCode returns the area of a postal code in capitals. A country before a hyphen, as in D-10115, is not part of it.
func areaOfCode(code string) string {
	if i := letters(code); i > 0 && i < len(code) && code[i] == '-' {
		code = code[i+1:]
	}
	if len(code) >= 2 && digit(code[0]) && digit(code[1]) {
		return code[:2]
	}
	return code[:min(letters(code), 2)]
}

// letters returns how many letters from A to Z a text begins with.
func letters(s string) (n int) {
	for n < len(s) && s[n] >= 'A' && s[n] <= 'Z' {
		n++
	}
	return n
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
