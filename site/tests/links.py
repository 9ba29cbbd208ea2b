#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: site/tests/links.py FOLDER [BASE]

Each link inside the site must lead to a file and to an anchor in it. Pages and style sheets may load nothing from other
hosts. BASE is the path below which the site is published (ORRERY_SITE_BASE).
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page links to (`links`), what it loads (`loads`), and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors.add(attrs.get("id"))
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        for name in ("src", "poster", "data"):
            if attrs.get(name) and tag != "a":
                self.loads.append(attrs[name])
        if tag == "link" and attrs.get("href"):
            self.loads.append(attrs["href"])
        self.loads += re.findall(r"url\(['\"]?([^'\")]+)", attrs.get("style") or "")
        self.loads += [part.split()[0] for part in (attrs.get("srcset") or "").split(",") if part.strip()]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    base = sys.argv[2] if len(sys.argv) > 2 else "/"
    pages = {path: Page(path.read_text(encoding="utf8")) for path in sorted(root.rglob("*.html"))}
    problems = []

    def target(path, link):
        """The file that a link of a page leads to."""
        parts = urllib.parse.urlsplit(link)
        name = urllib.parse.unquote(parts.path)
        if not name:
            return path
        if name.startswith("/") and not name.startswith(base):
            return None
        file = root / name.removeprefix(base) if name.startswith("/") else path.parent / name
        return file / "index.html" if file.is_dir() else file if file.suffix else file.with_suffix(".html")

    def is_outside(link):
        return bool(re.match(r"([a-z]+:)?//", link))

    for path, page in pages.items():
        name = path.relative_to(root)
        for link in page.links:
            if is_outside(link) or link.startswith("mailto:"):
                continue
            file, anchor = target(path, link), urllib.parse.unquote(urllib.parse.urlsplit(link).fragment)
            if not file or not file.is_file():
                problems.append(f"{name}: dead link {link}")
            elif anchor and file in pages and anchor not in pages[file].anchors:
                problems.append(f"{name}: no such heading {link}")
        for load in page.loads:
            if load.startswith("data:"):
                continue
            if is_outside(load):
                problems.append(f"{name}: loads {load} from another host")
            elif not (target(path, load) or path / "none").is_file():
                problems.append(f"{name}: {load} is missing")
    for path in root.rglob("*.css"):
        for load in re.findall(r"(?:url\(|@import\s+)['\"]?([^'\");]+)", path.read_text(encoding="utf8")):
            if is_outside(load):
                problems.append(f"{path.relative_to(root)}: loads {load} from another host")
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {size / 1e6:.1f} MB")
    if problems:
        sys.exit("\n".join(f"links.py: {problem}" for problem in sorted(set(problems))))


if __name__ == "__main__":
    main()
