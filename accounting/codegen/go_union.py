"""Unions in Go: a struct with an interface in it, which each form has; and the one form whose key nobody knows yet."""

from accounting.codegen.go_spelling import quoted, told, type_of
from accounting.codegen.model import AnyObject, Union


def union(one: Union) -> str:
    """A union: its struct, its interface, reading and writing."""
    own, face = one.name, f"{one.name}Form"
    forms = forms_of(one)
    listed = f"{', '.join(forms[:-1])} or {forms[-1]}"
    reading = _trials(one) if one.told_by == "reading" else _choice(one)
    return (
        f"{told(one)}type {own} struct {{\n\t// Form is a {listed}.\n\tForm {face}\n}}\n\n"
        f"// {face} is a form of {own}.\ntype {face} interface{{ is{own}() }}\n\n"
        f"// UnmarshalJSON reads the one form that fits.\n"
        f"func (v *{own}) UnmarshalJSON(text []byte) (err error) {{\n{reading}}}\n\n"
        f"// MarshalJSON writes the form.\nfunc (v {own}) MarshalJSON() ([]byte, error) {{\n"
        f'\tif v.Form == nil {{\n\t\treturn nil, errors.New("{own}: no form was chosen")\n\t}}\n'
        "\treturn json.Marshal(v.Form)\n}\n"
    )


def _choice(one: Union) -> str:
    told = {"tag": f'tagOf(text, "{one.tag}")', "type": "kindOf(text)", "key": "key"}[one.told_by]
    cases = "".join(
        f'\tcase "{word}":\n\t\tv.Form, err = readForm[{form}](text)\n'
        for word, form in zip(one.forms, forms_of(one), strict=False)
    )
    first = "\tkey, _ := oneKey(text)\n" if one.told_by == "key" else ""
    last = f'noForm("{one.name}", text)'
    otherwise = f"v.Form, err = readForm[{one.newer}](text)" if one.newer else f"err = {last}"
    return f"{first}\tswitch {told} {{\n{cases}\tdefault:\n\t\t{otherwise}\n\t}}\n\treturn err\n"


def _trials(one: Union) -> str:
    tries = "".join(
        f"\tif form, err := readForm[{form}](text); err == nil {{\n\t\tv.Form = form\n\t\treturn nil\n\t}}\n"
        for form in forms_of(one)
    )
    return f'{tries}\treturn noForm("{one.name}", text)\n'


def newer(one: AnyObject) -> str:
    """The form that keeps a key and its content as they came."""
    assert one.refused is not None
    known = ", ".join(quoted(word) for word in one.refused)
    return (
        f"{told(one)}type {one.name} struct {{\n\t// Key: the one key.\n\tKey string\n"
        "\t// Content: what stands under it, as it was spelled.\n\tContent json.RawMessage\n}\n\n"
        "// UnmarshalJSON refuses a known key, and one that JSON has to escape.\n"
        f"func (v *{one.name}) UnmarshalJSON(text []byte) error {{\n\tv.Key, v.Content = oneKey(text)\n"
        f"\tif v.Content == nil || among(v.Key, []string{{{known}}}) || escaped.MatchString(v.Key) {{\n"
        f'\t\treturn noForm("{one.name}", text)\n\t}}\n\treturn nil\n}}\n\n'
        f"// MarshalJSON writes it as it came.\nfunc (v {one.name}) MarshalJSON() ([]byte, error) {{\n"
        "\tvar out writer\n\tout.field(v.Key, v.Content)\n\treturn out.done()\n}\n\n"
        'var escaped = regexp.MustCompile(`["\\\\\\x00-\\x1f]`)\n'
    )


def forms_of(one: Union) -> list[str]:
    """The types of its forms."""
    forms = ["Text" if form == "string" else type_of(form) for form in one.forms.values()]
    return [*forms, one.newer] if one.newer else forms
