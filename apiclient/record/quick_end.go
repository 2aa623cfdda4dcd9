package record

import "unicode/utf8"

// ValueEnd returns where the JSON value begins and ends that text has at a place, after white space; ok is false where the
// general decoder has to say.
func ValueEnd(text []byte, at int) (begin, end int, ok bool) {
	begin = spaceEnd(text, at)
	end = valueEnd(text, begin, 0)
	return begin, end, end >= 0
}

// deepest is how many objects and arrays may be in one another in what is skipped.
const deepest = 64

// valueEnd returns where a value of any kind ends, −1 where the general decoder has to say.
func valueEnd(b []byte, i, depth int) int {
	if i = spaceEnd(b, i); i >= len(b) || depth > deepest {
		return -1
	}
	switch c := b[i]; c {
	case '"':
		return stringEnd(b, i+1)
	case '{', '[':
		return membersEnd(b, i+1, depth, c+2)
	case 'n':
		return wordEnd(b, i, "null")
	case 't':
		return wordEnd(b, i, "true")
	case 'f':
		return wordEnd(b, i, "false")
	}
	return numberEnd(b, i)
}

// membersEnd returns where an object or an array ends, by its closing bracket.
func membersEnd(b []byte, i, depth int, closing byte) int {
	if i = spaceEnd(b, i); i < len(b) && b[i] == closing {
		return i + 1
	}
	for {
		if closing == '}' {
			if i = spaceEnd(b, i); i >= len(b) || b[i] != '"' {
				return -1
			}
			if i = stringEnd(b, i+1); i < 0 {
				return -1
			}
			if i = spaceEnd(b, i); i >= len(b) || b[i] != ':' {
				return -1
			}
			i++
		}
		if i = valueEnd(b, i, depth+1); i < 0 {
			return -1
		}
		if i = spaceEnd(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i++
		case closing:
			return i + 1
		default:
			return -1
		}
	}
}

// spaceEnd returns where white space ends.
func spaceEnd(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// stringEnd returns where a string ends, of which i is after its first quote.
func stringEnd(b []byte, i int) int {
	for {
		if i = plain(b, i); i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escapeEnd(b, i+1); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		default:
			for i++; i < len(b) && b[i] >= utf8.RuneSelf; {
				i++
			}
		}
	}
}

// escapeEnd returns where an escaped character ends, of which i is after its backslash; −1 also at halves of surrogate pairs.
func escapeEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
	default:
		return -1
	}
	if len(b)-i < 5 {
		return -1
	}
	unit := 0
	for _, c := range b[i+1 : i+5] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		unit = unit<<4 | int(c)
	}
	if unit >= 0xd800 && unit < 0xe000 {
		return -1
	}
	return i + 5
}

// wordEnd returns where a word ends if it is the next.
func wordEnd(b []byte, i int, word string) int {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word)
	}
	return -1
}

// numberEnd returns where a number of any form ends.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digitsEnd(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		return digitsEnd(b, i)
	}
	return i
}

// digitsEnd returns where digits end, of which there is at least one.
func digitsEnd(b []byte, i int) int {
	from := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == from {
		return -1
	}
	return i
}
