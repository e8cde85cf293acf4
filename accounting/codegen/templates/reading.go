package rounds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Maybe is a field that may be left out and may be null. Both read as nil in Value, and are written as they came.
type Maybe[T any] struct {
	// Value is nil when the field is null or left out.
	Value *T
	// Present tells null from left out; a field with a value is always written.
	Present bool
}

// Some is a field with a value.
func Some[T any](value T) Maybe[T] { return Maybe[T]{Value: &value, Present: true} }

// MarshalJSON writes the value, or null.
func (v Maybe[T]) MarshalJSON() ([]byte, error) { return json.Marshal(v.Value) }

// List is an array; no element is null unless its own type allows it. An empty one is written as [].
type List[T any] []T

// UnmarshalJSON refuses what is no array and what is no T in it.
func (v *List[T]) UnmarshalJSON(text []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil || isNull(text) {
		return fmt.Errorf("an array was expected, not %s", short(text))
	}
	*v = make(List[T], len(items))
	for place, item := range items {
		if err := value(item, &(*v)[place]); err != nil {
			return fmt.Errorf("[%d]: %w", place, err)
		}
	}
	return nil
}

// MarshalJSON writes [] for nil too.
func (v List[T]) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(v))
}

// Text is a string among the forms of a union.
type Text string

// JsonObject is a JSON object of any shape, each value as it was spelled: no number is altered.
type JsonObject map[string]json.RawMessage

// UnmarshalJSON refuses what is no object.
func (v *JsonObject) UnmarshalJSON(text []byte) error {
	in := open("JsonObject", text)
	*v = in.fields
	return in.err
}

// MarshalJSON writes {} for nil too.
func (v JsonObject) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]json.RawMessage(v))
}

// reader reads the fields of one object, and keeps the first thing that was wrong.
type reader struct {
	shape  string
	fields map[string]json.RawMessage
	err    error
}

func open(shape string, text []byte) *reader {
	in := &reader{shape: shape}
	if !utf8.Valid(text) {
		in.err = fmt.Errorf("%s: not UTF-8", shape)
	} else if err := json.Unmarshal(text, &in.fields); err != nil || in.fields == nil {
		in.err = fmt.Errorf("%s: an object was expected, not %s", shape, short(text))
	}
	return in
}

func (in *reader) fail(key string, err error) {
	if err != nil && in.err == nil {
		in.err = fmt.Errorf("%s.%s: %w", in.shape, key, err)
	}
}

func (in *reader) has(key string) bool {
	_, there := in.fields[key]
	return there
}

func (in *reader) null(key string) bool { return isNull(in.fields[key]) }

// word says whether a field holds one of these words.
func (in *reader) word(key string, words ...string) bool {
	var found string
	return json.Unmarshal(in.fields[key], &found) == nil && !in.null(key) && among(found, words)
}

// closed refuses every key besides these.
func (in *reader) closed(keys ...string) {
	for key := range in.fields {
		if !among(key, keys) {
			in.fail(key, errors.New("no such key is allowed here"))
		}
	}
}

func (in *reader) holds(rule bool, what string) {
	if in.err == nil && !rule {
		in.err = fmt.Errorf("%s: %s", in.shape, what)
	}
}

// The four kinds of field: always there and never null; always there; never null; neither.

func required[T any](in *reader, key string, into *T) {
	if !in.has(key) {
		in.fail(key, errors.New("missing"))
		return
	}
	in.fail(key, value(in.fields[key], into))
}

func nullable[T any](in *reader, key string, into **T) {
	if !in.has(key) {
		in.fail(key, errors.New("missing (null stands for what is not known)"))
		return
	}
	optional(in, key, into, in.null(key))
}

func optional[T any](in *reader, key string, into **T, skip bool) {
	*into = nil
	if in.has(key) && !skip {
		*into = new(T)
		in.fail(key, value(in.fields[key], *into))
	}
}

func maybe[T any](in *reader, key string, into *Maybe[T]) {
	into.Present = in.has(key)
	optional(in, key, &into.Value, in.null(key))
}

// value reads one value; encoding/json alone takes null for a zero.
func value[T any](text json.RawMessage, into *T) error {
	if _, raw := any(into).(*json.RawMessage); isNull(text) && !raw {
		return errors.New("null is not allowed here")
	}
	return json.Unmarshal(text, into)
}

// constant refuses every word but one.
func constant(in *reader, key, word string) {
	if in.err == nil && !in.word(key, word) {
		in.fail(key, fmt.Errorf("%q was expected, not %s", word, short(in.fields[key])))
	}
}

// writer writes the fields of one object, in their order.
type writer struct {
	text bytes.Buffer
	err  error
}

func (out *writer) field(key string, value any) {
	text, err := json.Marshal(value)
	if err != nil && out.err == nil {
		out.err = fmt.Errorf("%s: %w", key, err)
	}
	if out.text.Len() > 0 {
		out.text.WriteByte(',')
	}
	name, _ := json.Marshal(key) // Not %q, whose escapes are Go's; a string can always be written.
	fmt.Fprintf(&out.text, "%s:%s", name, text)
}

func (out *writer) done() ([]byte, error) {
	return []byte("{" + out.text.String() + "}"), out.err
}

func present[T any](out *writer, key string, value *T) {
	if value != nil {
		out.field(key, value)
	}
}

func perhaps[T any](out *writer, key string, value Maybe[T]) {
	if value.Present || value.Value != nil {
		out.field(key, value)
	}
}

// readText reads a string that has a grammar or a limit; most is -1 when there is none.
func readText(shape string, text []byte, grammar *regexp.Regexp, least, most int) (string, error) {
	var found string
	if err := json.Unmarshal(text, &found); err != nil || isNull(text) {
		return "", fmt.Errorf("%s: a string was expected, not %s", shape, short(text))
	}
	length := utf8.RuneCountInString(found)
	if length < least || (most >= 0 && length > most) || (grammar != nil && !grammar.MatchString(found)) {
		return "", fmt.Errorf("%s: %s is not one", shape, short(text))
	}
	return found, nil
}

func readWord(shape string, text []byte, words ...string) (string, error) {
	found, err := readText(shape, text, nil, 0, -1)
	if err == nil && !among(found, words) {
		err = fmt.Errorf("%s: no such word: %q", shape, found)
	}
	return found, err
}

func readWhole[T uint32 | uint64 | int64](shape string, text []byte, least, most T) (T, error) {
	var found T
	if string(bytes.TrimSpace(text)) == "-0" {
		text = []byte("0") // It is 0, which no unsigned type of Go reads from it.
	}
	if err := json.Unmarshal(text, &found); err != nil || isNull(text) || found < least || found > most {
		return 0, fmt.Errorf("%s: an integer from %d to %d was expected, not %s", shape, least, most, short(text))
	}
	return found, nil
}

// readForm reads one form of a union.
func readForm[T any](text []byte) (T, error) {
	var form T
	err := value(text, &form)
	return form, err
}

func noForm(shape string, text []byte) error {
	return fmt.Errorf("%s: none of its forms fits %s", shape, short(text))
}

// kindOf is the JSON type of a value.
func kindOf(text []byte) string {
	switch text = bytes.TrimLeft(text, " \t\r\n"); {
	case len(text) == 0:
		return ""
	case text[0] == '"':
		return "string"
	case text[0] == '{':
		return "object"
	}
	return "other"
}

// oneKey is the only key of an object and what stands under it; empty when there is another number of keys.
func oneKey(text []byte) (string, json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) == nil && len(fields) == 1 {
		for key, content := range fields {
			return key, content
		}
	}
	return "", nil
}

func tagOf(text []byte, tag string) string {
	var word string
	_ = json.Unmarshal(open("", text).fields[tag], &word)
	return word
}

func one(rules ...bool) bool {
	count := 0
	for _, rule := range rules {
		if rule {
			count++
		}
	}
	return count == 1
}

func among(found string, words []string) bool {
	for _, word := range words {
		if word == found {
			return true
		}
	}
	return false
}

func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }

func short(text []byte) string {
	if runes := []rune(string(text)); len(runes) > 60 {
		return string(runes[:60]) + "..."
	}
	return string(text)
}
