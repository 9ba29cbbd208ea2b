# SPDX-License-Identifier: Apache-2.0
"""Reads the declarations of a C++ header and their comments.

The reader knows the style of this project (clang-format, `///` before a declaration, `///<` after it), not C++ as a
whole. It fails if a header contains a comment that it cannot assign to a declaration.
"""
import dataclasses
import re

DOC, AFTER, PLAIN = "///", "///<", "//"
TYPE = re.compile(r"(?:template\s*<.*?>\s*)?(enum\s+class|enum|struct|class|union)\s+"
                  r"(?:\[\[[^\]]*\]\]\s*)?([\w:]+)", re.S)


class HeaderError(Exception):
    pass


@dataclasses.dataclass
class Item:
    """A declaration. `kind`: type, enum, value (of an enum), function, field, alias, friend, forward, section.

    A section has a text (`doc`) about the declarations that follow, up to the next section. Blank lines are sections
    without a text.
    """
    kind: str
    name: str
    declaration: str
    doc: str = ""
    namespace: str = ""
    members: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Header:
    path: str  # as in #include
    summary: str
    includes: list
    items: list


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def matching(text, at, opening, closing):
    """The position after the bracket that closes the one at `at`. Skips strings, characters and comments."""
    depth = 0
    while at < len(text):
        if text.startswith("//", at):
            at = end_of_line(text, at)
            continue
        if text[at] in "\"'" and not (text[at] == "'" and text[at - 1].isdigit()):
            quote, at = text[at], at + 1
            while text[at] != quote:
                at += 2 if text[at] == "\\" else 1
        elif text[at] == opening:
            depth += 1
        elif text[at] == closing:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise HeaderError(f"no '{closing}' for '{opening}'")


def end_of_line(text, at):
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def split_names(text, comma=","):
    """Splits at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "<({[") - (c in ">)}]")
        if c == comma and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return parts + [text[start:]]


def signature(declaration):
    """A function without its body and the initializers of a constructor."""
    at = declaration.index("(", declaration.find("operator()") + 10 if "operator()" in declaration else 0)
    end = matching(declaration, at, "(", ")")
    rest = re.match(r"\s*(?:const|noexcept|override|->\s*[\w:<>]+|=\s*(?:default|delete|0)|\s)*", declaration[end:])
    return declaration[:end] + rest.group().rstrip()


def function_name(declaration):
    operator = re.search(r"operator\s*(\(\)|\[\]|[^\s(]+)\s*\(", declaration)
    if operator:
        return "operator" + operator.group(1)
    return re.search(r"(~?\w+)\s*\(", re.sub(r"\[\[.*?\]\]", "", declaration)).group(1)


def field_names(declaration):
    """The names of "double lower = 0, upper = 0", "Time bin{}" or "int x"."""
    parts = split_names(declaration)
    return ", ".join(re.search(r"(\w+)\s*(?:=.*|\{.*\})?$", part.strip(), re.S).group(1) for part in parts)


def kind_of(declaration):
    bare = re.sub(r"\[\[.*?\]\]", "", declaration)
    if bare.lstrip().startswith("friend"):
        return "friend"
    if re.match(r"\s*(template\s*<.*?>\s*)?using\b", bare, re.S):
        return "alias"
    head = re.split(r"[={]", re.sub(r"operator\s*[^\s\w(]+", "operator", bare), maxsplit=1)[0]
    return "function" if "(" in head else "field"


class Reader:
    def __init__(self, text):
        self.text = text
        self.assigned = 0  # lines of comments that declarations have

    def comment(self, at):
        """The comment at `at`: its mark, its text, and where it ends (after all of its lines)."""
        mark = next(m for m in (AFTER, DOC, PLAIN) if self.text.startswith(m, at))
        lines = []
        while True:
            end = end_of_line(self.text, at)
            lines.append(self.text[at + len(mark):end].strip())
            self.assigned += mark != PLAIN
            following = re.compile(r"\n[ \t]*(///<|///|//)").match(self.text, end)
            if not following or following.group(1) != mark:
                return mark, "\n".join(lines).strip(), end
            at = following.start(1)

    def after(self, at):
        """The comment behind a declaration that ends at `at`, on its line, and where it ends."""
        found = re.compile(r"[ \t]*,?[ \t]*(///<|//)").match(self.text, at)
        if not found:
            return "", at
        _, text, end = self.comment(found.start(1))
        return text, end

    def scope(self, at, end, namespace, in_class=""):
        """The items from `at` to `end`; of a class ("class", "struct") only the public ones."""
        items, pending, public = [], None, in_class != "class"
        while at < end:
            blank = re.compile(r"[ \t]*\n?").match(self.text, at)
            if blank.group():
                if blank.group().endswith("\n") and self.text[at - 1] == "\n":
                    items.append(Item("section", "", "", pending[1] if pending else ""))
                    pending = None
                at = blank.end()
                continue
            if self.text.startswith("//", at):
                mark, text, at = self.comment(at)
                pending = (mark, (pending[1] + "\n" if pending else "") + text)
                at += 1
                continue
            if self.text[at] == "#":
                at = end_of_line(self.text, at) + 1
                continue
            access = re.compile(r"(public|private|protected)\s*:(?!:)").match(self.text, at) if in_class else None
            if access:
                public, at = access.group(1) == "public", access.end()
                continue
            found, at = self.declaration(at, namespace)
            doc = ""
            if pending and pending[0] == PLAIN and found and found[0].kind != "type":
                items.append(Item("section", "", "", pending[1]))
            elif pending:
                doc = pending[1]
            pending = None
            behind, at = self.after(at)
            for item in found if public else []:
                item.doc = "\n".join(filter(None, [doc, behind, item.doc]))
                items.append(item)
        return items

    def declaration(self, at, namespace):
        """The declaration at `at`, as a list (a namespace has several items), and where it ends."""
        start = at
        while self.text[at] not in ";{":
            if self.text[at] == "(":
                at = matching(self.text, at, "(", ")")
            elif self.text[at] == '"':
                at = self.text.index('"', at + 1) + 1
            else:
                at += 1
        head = self.text[start:at]
        if self.text[at] == ";":
            return [self.plain(self.text[start:at], namespace)], at + 1
        close = matching(self.text, at, "{", "}")
        if head.startswith("namespace"):
            inner = head.removeprefix("namespace").strip()
            items = self.scope(at + 1, close - 1, "::".join(filter(None, [namespace, inner])))
            return items, end_of_line(self.text, close)  # without the comment behind the bracket
        type_ = TYPE.match(head)
        if type_ and "(" not in head and "=" not in re.sub(r"<.*>", "", head, flags=re.S):
            item = Item("enum" if type_.group(1).startswith("enum") else "type", type_.group(2), squeeze(head),
                        namespace=namespace)
            item.members = (self.values(at + 1, close - 1) if item.kind == "enum" else
                            self.scope(at + 1, close - 1, namespace, type_.group(1)))
            return [item], self.text.index(";", close) + 1
        if kind_of(head + "{") in ("function", "friend"):
            return [self.plain(head, namespace)], close
        end = self.text.index(";", close)
        return [self.plain(self.text[start:end], namespace)], end + 1

    def plain(self, declaration, namespace):
        declaration = squeeze(declaration)
        kind = kind_of(declaration)
        type_ = TYPE.match(declaration)
        if type_ and kind == "field" and "=" not in declaration:
            return Item("forward", type_.group(2), declaration, namespace=namespace)
        if kind == "alias":
            return Item(kind, re.search(r"using\s+(\w+)", declaration).group(1), declaration, namespace=namespace)
        if kind == "field":
            return Item(kind, field_names(declaration), declaration, namespace=namespace)
        return Item(kind, function_name(declaration), signature(declaration), namespace=namespace)

    def values(self, at, end):
        """The values of an enum, and the comments above groups of them."""
        items, pending = [], None
        while at < end:
            space = re.compile(r"\s+").match(self.text, at)
            if space:
                at = space.end()
                continue
            if self.text.startswith("//", at):
                mark, text, at = self.comment(at)
                if mark == PLAIN:
                    items.append(Item("section", "", "", text))
                else:
                    pending = text
                continue
            value = re.compile(r"(\w+)\s*(?:=\s*([^,/\n]+?))?\s*(?=,|//|\n|$)").match(self.text, at, end)
            if not value:
                raise HeaderError(f"not a value of an enum: {self.text[at:at + 40]!r}")
            at = value.end()
            behind, at = self.after(at)
            if self.text.startswith(",", at):
                behind, at = self.after(at + 1) if not behind else (behind, at + 1)
            doc = "\n".join(filter(None, [pending, behind]))
            items.append(Item("value", value.group(1), value.group(2) or "", doc))
            pending = None
        return items


def read_header(path, text):
    """The header `path` ("orrery/core/error.h") with this text."""
    top = re.match(r"// SPDX[^\n]*\n(?://\n)?((?://(?!/)[^\n]*\n)*)", text)
    if not top:
        raise HeaderError(f"{path}: the first line is not the license")
    summary = "\n".join(line.removeprefix("//").strip() for line in top.group(1).splitlines())
    reader = Reader(text)
    try:
        items = reader.scope(top.end(), len(text), "")
    except (HeaderError, ValueError, AttributeError, IndexError) as error:
        raise HeaderError(f"{path}: {error}") from error
    there = len(re.findall(r"^[ \t]*///|[^/\s][ \t]*///<", text, re.M))
    if reader.assigned != there:
        raise HeaderError(f"{path}: {there} lines of comments, {reader.assigned} of them at declarations")
    return Header(path, summary, re.findall(r'^#include "([^"]+)"', text, re.M), items)
