# SPDX-License-Identifier: Apache-2.0
"""Markdown as this project writes it: headings, links, tables."""
import re

FENCE = re.compile(r"^```.*?^```[^\n]*$", re.S | re.M)
CODE = re.compile(r"`[^`]*`", re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)", re.S)


def slug(heading):
    """The anchor that GitHub gives a heading. `.vitepress/config.mjs` has the same rule."""
    text = LINK.sub(r"\2", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(text):
    return CODE.sub("", FENCE.sub("", text))


def anchors(text):
    """The anchors of all headings; the second of two equal ones ends in "-1"."""
    found, count = set(), {}
    for heading in re.findall(r"^#+ (.*)", FENCE.sub("", text), re.M):
        anchor = slug(heading)
        count[anchor] = count.get(anchor, -1) + 1
        found.add(f"{anchor}-{count[anchor]}" if count[anchor] else anchor)
    return found


def title(text):
    return re.search(r"^# (.*)", text, re.M).group(1).replace("`", "")


def replace_links(text, replace):
    """Replaces each link and image outside of code by `replace(mark, label, target)`; mark: "!" for images."""
    codes = []

    def hide(match):
        codes.append(match.group())
        return f"\0{len(codes) - 1}\0"

    def show(text):
        return re.sub(r"\0(\d+)\0", lambda match: show(codes[int(match.group(1))]), text)

    hidden = CODE.sub(hide, FENCE.sub(hide, text))
    return show(LINK.sub(lambda match: replace(match.group(1), show(match.group(2)), match.group(3)), hidden))


def without_comments(text):
    """Without HTML comments outside of code blocks."""
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.S | re.M)
    return "".join(part if part.startswith("```") else re.sub(r"<!--.*?-->\n?", "", part, flags=re.S) for part in parts)


def escaped(text):
    """Plain text as Markdown; code in backticks stays."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#~])", r"\\\1", part) for part in parts)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(columns, rows):
    """A table, without the columns that are empty in all rows."""
    used = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    lines = [[columns[i] for i in used], ["---"] * len(used)] + [[cell(row[i]) for i in used] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
