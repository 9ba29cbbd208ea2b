# SPDX-License-Identifier: Apache-2.0
"""Jupyter notebooks as Markdown pages, with the outputs of executed ones."""
import base64
import html
import json
import pathlib
import re

#: Marks the place of a picture in a page, whose address is known only after its links are replaced.
PICTURE = "@@picture {}@@"


class Notebook:
    """The page of a notebook: `markdown`, and its pictures as `files` (bytes by name)."""

    def __init__(self, path):
        self.name = pathlib.PurePath(path).stem
        self.files = {}
        cells = json.loads(pathlib.Path(path).read_text(encoding="utf8"))["cells"]
        self.markdown = "\n\n".join(part for cell in cells for part in self.parts(cell)) + "\n"

    def parts(self, cell):
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            return [source.strip()]
        if cell["cell_type"] != "code":
            return []
        outputs = [part for output in cell.get("outputs", []) for part in self.output(output)]
        return [fenced(source.strip(), "python"), *outputs]

    def output(self, output):
        if output["output_type"] == "stream":
            return [fenced(text_of(output["text"]).rstrip(), "text")]
        data = output.get("data", {})
        if "image/png" in data:
            return [self.picture("png", base64.b64decode(text_of(data["image/png"])))]
        if "text/html" in data:
            return self.html(text_of(data["text/html"]))
        return [fenced(text_of(data["text/plain"]).rstrip(), "text")] if "text/plain" in data else []

    def html(self, text):
        """The pictures and the preformatted text of HTML: pages contain no HTML."""
        parts = []
        for svg in re.findall(r"<svg.*?</svg>", text, re.S):
            whole = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" style="background:white"', 1)
            parts.append(self.picture("svg", whole.encode()))
        for block in re.findall(r"<pre>(.*?)</pre>", text, re.S):
            parts.append(fenced(html.unescape(block).rstrip(), "text"))
        return parts

    def picture(self, kind, content):
        name = f"{self.name}-{len(self.files) + 1}.{kind}"
        self.files[name] = content
        return PICTURE.format(name)


def with_pictures(markdown, folder):
    """A page with the addresses of its pictures."""
    return re.sub(PICTURE.format("(.+?)"), rf"![picture]({folder}/\1)", markdown)


def text_of(lines):
    return lines if isinstance(lines, str) else "".join(lines)


def fenced(text, language):
    return f"```{language}\n{text}\n```"
