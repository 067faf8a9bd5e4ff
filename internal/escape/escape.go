// SPDX-License-Identifier: Apache-2.0

// Package escape makes text from outside (names of files, fields of files,
// what other programs say) safe for what it is written into. Whatever writes
// such text calls it where it writes, so that no caller can forget:
//
//	terminal, comments of Verilog, assembler and pcapng, plain text   Line
//	SVG and other XML                                                 XML
//	JSON                                                              MarshalJSON
//	error messages                                                    Message
//	a whole stream to a terminal                                      NewWriter
package escape

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of visible characters. Control characters,
// line ends, characters that reorder text and bytes that are no UTF-8 appear as
// Go escapes them: \n, \x1b, \u202e, \xff. Everything else stays as it is.
func Line(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if visible(r, size) {
			b.WriteString(text[i : i+size])
		} else {
			b.WriteString(quoted(text[i : i+size]))
		}
		i += size
	}
	return b.String()
}

// quoted is one character as Go escapes it.
func quoted(character string) string {
	text := strconv.QuoteToASCII(character)
	return text[1 : len(text)-1]
}

// hidden includes the character that stands for bytes that are no UTF-8.
func hidden(r rune) bool { return r == utf8.RuneError || !visible(r, utf8.RuneLen(r)) }

// visible says whether a character of some bytes shows what it is. Blanks of
// any width do; a replacement character of one byte is a byte that is no UTF-8.
func visible(r rune, size int) bool {
	return !(r == utf8.RuneError && size == 1) && (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r))
}

// XML returns text for the inside of an element or a quoted attribute.
func XML(text string) string { return html.EscapeString(Line(text)) }

// jsonText replaces the characters of a JSON text that would not be visible by
// JSON's own escapes; line ends between values stay.
func jsonText(text []byte) []byte {
	if bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && hidden(r) }) < 0 {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || visible(r, size) {
			b.Write(text[:size])
		} else {
			b.WriteString(jsonEscape(r))
		}
		text = text[size:]
	}
	return b.Bytes()
}

// jsonEscape is a character as \uXXXX, or as a pair of them above U+FFFF.
func jsonEscape(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return jsonEscape(0xd800+r>>10) + jsonEscape(0xdc00+r&0x3ff)
	}
	const digits = "0123456789abcdef"
	return `\u` + string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// MarshalJSON is json.MarshalIndent without the escapes for HTML, but with the escapes of
// JSON. The text ends in a line end.
func MarshalJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return jsonText(b.Bytes()), nil
}

// Limits of messages, in bytes.
const (
	longestWord    = 512  // of a part without blanks, or between quotes
	longestMessage = 4096 // of the whole
)

// Message returns text as one line for an error: what Line returns, with
// values that are too long cut in their middle.
func Message(text string) string {
	if len(text) > 8*longestMessage { // whatever is cut away need not be escaped
		text = cut(text, 4*longestMessage)
	}
	text = Line(text)
	if len(text) <= longestWord {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		n := part(text)
		b.WriteString(cut(text[:n], longestWord))
		text = text[n:]
	}
	return cut(b.String(), longestMessage)
}

// part returns the length of the value that text begins with: up to its closing
// quote, or up to the next blank or quote.
func part(text string) int {
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	}
	if i := strings.IndexAny(text[1:], ` "`); i >= 0 {
		return 1 + i
	}
	return len(text)
}

// cut takes the middle out of a text of more than limit bytes, between
// characters, and says there how much that was.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit/2, len(text)-limit/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "…[" + strconv.Itoa(tail-head) + " bytes]…" + text[tail:]
}
