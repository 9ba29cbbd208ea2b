# SPDX-License-Identifier: Apache-2.0
"""Pages of the public C++ headers, from what headers.py reads."""
import re

from markdown import escaped, table

PAGE = re.compile(r"\bdocs/[\w./-]+\.md(#[\w-]+)?")


class HeaderPage:
    """`links`: the address of a file of the project ("docs/library.md"), and its title; None: not a page."""

    def __init__(self, header, links):
        self.header, self.links = header, links

    def text(self, comment):
        """A comment as Markdown, with links to the pages that it names."""
        def page(match):
            found = self.links(match.group())
            return f"[{found[1]}]({found[0]})" if found else match.group()

        paragraphs = re.split(r"\n\n+", comment)
        return "\n\n".join(PAGE.sub(page, escaped(" ".join(part.split("\n")))) for part in paragraphs)

    def markdown(self):
        header = self.header
        out = [f"# {header.path}", self.text(header.summary), f'```cpp\n#include "{header.path}"\n```']
        if header.includes:
            names = [f"[`{name}`]({self.links('include/' + name)[0]})" for name in header.includes]
            out.append("Includes: " + ", ".join(names) + ".")
        namespaces = sorted({item.namespace for item in header.items if item.namespace})
        if namespaces:
            out.append("Namespace: " + ", ".join(f"`{name}`" for name in namespaces) + ".")
        return "\n\n".join(out + self.items(header.items, 2)) + "\n"

    def items(self, items, level):
        out, rows, names = [], [], [item.name for item in items if item.kind == "function"]
        mark = "#" * level

        def flush():
            if rows:
                out.append(table(["name", "type", "default", "meaning"], rows))
                rows.clear()

        friends = [item for item in items if item.kind == "friend"]
        if level > 2:  # nested types after the members of the type itself
            items = sorted(items, key=lambda item: item.kind in ("type", "enum"))
        for item in items:
            if item.kind == "field" or item.kind == "alias":
                rows.append(self.row(item))
                continue
            if item.kind == "section" and not item.doc and not rows:
                continue
            flush()
            if item.kind == "section":
                if item.doc:
                    out.append(self.text(item.doc))
            elif item.kind == "type" or item.kind == "enum":
                out += [f"{mark} {item.name}", f"```cpp\n{item.declaration};\n```", self.text(item.doc)]
                out += self.values(item.members) if item.kind == "enum" else self.items(item.members, level + 1)
            elif item.kind == "forward":
                out += [f"{mark} {item.name}", f"```cpp\n{item.declaration};\n```", self.text(item.doc)]
            elif item.kind == "function" and (item.doc or not item.declaration.endswith("= default")):
                out += [f"{mark} {self.heading(item, names)}", f"```cpp\n{item.declaration};\n```", self.text(item.doc)]
        flush()
        return [part for part in out + self.friends(friends) if part]

    @staticmethod
    def heading(item, names):
        """"name()", or with parameters if the function is overloaded."""
        parameters = re.search(re.escape(item.name) + r"\s*(\(.*\))", item.declaration).group(1)
        return escaped(f"{item.name}()" if names.count(item.name) == 1 else f"{item.name}{parameters}")

    def row(self, item):
        if item.kind == "alias":
            value = item.declaration.split("=", 1)[1].strip()
            return [f"`{item.name}`", f"`{value}`", "", self.text(item.doc)]
        first = re.match(r"(.*?)\s*\b" + re.escape(item.name.split(",")[0]) + r"\b\s*(.*)", item.declaration, re.S)
        type_, rest = first.groups()
        type_ = re.sub(r"\b(inline|constexpr|static)\s+", "", type_)
        default = re.match(r"(?:=\s*([^,]*)|\{(.+)\})", rest)
        value = (default.group(1) or default.group(2)).strip() if default else ""
        if value.count("{") != value.count("}"):  # the rows of a table, which are no default
            value = ""
        return [", ".join(f"`{name}`" for name in item.name.split(", ")), f"`{type_}`", f"`{value}`" if value else "",
                self.text(item.doc)]

    def values(self, members):
        """An enum: a table, or only the names if no value has a comment."""
        out, rows = [], []
        documented = any(item.kind == "value" and (item.doc or item.declaration) for item in members)

        def flush():
            if rows and documented:
                out.append(table(["value", "number", "meaning"], rows))
            elif rows:
                out.append(", ".join(row[0] for row in rows))
            rows.clear()

        for item in members:
            if item.kind == "section":
                flush()
                out.append(f"**{self.text(item.doc)}**")
            else:
                rows.append([f"`{item.name}`", item.declaration, self.text(item.doc)])
        flush()
        return out

    @staticmethod
    def friends(items):
        """What a type can do as an operand, in one block."""
        if not items:
            return []
        if all("operator==" in item.declaration for item in items):
            return ["`==` compares all members."] if "default" in items[0].declaration else ["`==` is defined."]
        return ["Operators:", "```cpp\n" + "\n".join(f"{item.declaration};" for item in items) + "\n```"]
