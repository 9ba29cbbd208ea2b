#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the pages of the documentation site: site/stage.py OUT

Writes Markdown pages and their files into OUT/pages, and the navigation into OUT/navigation.json. docs/README.md
defines the navigation: its headings are the parts and groups, and the rows of its tables are the pages. Fails if a page
is missing there, if a link or an anchor does not exist, or if a C++ header contains a comment without a declaration.
Needs only Python's standard library.
"""
import dataclasses
import functools
import json
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
import header_pages  # noqa: E402
import headers  # noqa: E402
import markdown  # noqa: E402
import notebooks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = "docs/README.md"
LARGEST_COPY = 256 * 1024  # bytes of an example that the site contains


@dataclasses.dataclass
class Row:
    text: str
    source: str  # of the page: "docs/tour.md"
    content: str


@dataclasses.dataclass
class Group:
    title: str
    rows: list


@dataclasses.dataclass
class Part:
    title: str
    text: str  # the paragraph below its heading
    groups: list

    @property
    def folder(self):
        return {"How-to guides": "how-to"}.get(self.title, self.title.lower())


@functools.lru_cache(maxsize=None)
def notebook(source):
    """A notebook, executed if ./check docs did so."""
    executed = ROOT / "site/dist/notebooks" / pathlib.PurePosixPath(source).name
    return notebooks.Notebook(executed if executed.is_file() else ROOT / source)


def read(source):
    if source.endswith(".ipynb"):
        return notebook(source).markdown
    return (ROOT / source).read_text(encoding="utf8")


def normal(folder, path):
    """A path relative to a folder of the project, as a path of the project."""
    parts = []
    for part in [*pathlib.PurePosixPath(folder).parts, *pathlib.PurePosixPath(path).parts]:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def read_parts():
    """The parts of docs/README.md."""
    parts = []
    for section in re.split(r"^## ", read(INDEX), flags=re.M)[1:]:
        title, rest = section.split("\n", 1)
        text, *groups = re.split(r"^### ", rest, flags=re.M)
        intro = re.split(r"^\|", text, maxsplit=1, flags=re.M)[0].strip()
        part = Part(title.strip(), intro, [])
        for block in ["\n" + text, *groups]:
            name, table = block.split("\n", 1)
            rows = [Row(text, normal("docs", link), content)
                    for text, link, content in re.findall(r"^\| \[([^\]]+)\]\(([^)#]+)\) \| (.*?) \|$", table, re.M)]
            if rows:
                part.groups.append(Group(name.strip(), rows))
        parts.append(part)
    return parts


def page_name(source, folder):
    """The page of a source in the folder of a part: "tutorials/tour"."""
    path = source.removesuffix(".md")
    if path.startswith("docs/"):
        path = path.removeprefix("docs/").removeprefix(folder + "/")
    else:
        path = re.sub(r"^src/(orrery/)?", "source/", path)
        path = re.sub(r"^addons/", "add-ons/", path)
        path = re.sub(r"^examples/(notebooks/.*)\.ipynb$", r"\1", path)
        path = re.sub(r"^(source|add-ons)/(\w+)/README$", r"\1/\2", path)
        path = re.sub(r"^(web|site|benchmarks)/README$", r"\1", path)
        path = path if "/" in path else path.lower()
    return f"{folder}/" + re.sub(r"README$", "index", path)


class Site:
    def __init__(self, parts):
        self.parts = parts
        self.problems = []
        self.files = set()  # to copy
        self.pages = {"README.md": "index", INDEX: "index"}
        for part in parts:
            for group in part.groups:
                for row in group.rows:
                    self.add(row.source, page_name(row.source, part.folder))
        self.add_rooms()
        self.headers = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "include").rglob("*.h"))
        for header in self.headers:
            self.pages[header] = "reference/cpp/" + header.removeprefix("include/orrery/").removesuffix(".h")
        for path in sorted((ROOT / "docs").rglob("*.md")):
            if str(path.relative_to(ROOT)) not in self.pages:
                self.problems.append(f"{INDEX}: does not list {path.relative_to(ROOT)}")
        self.texts = {}
        self.known_anchors = {}
        self.add_linked()

    def add(self, source, page):
        if not (ROOT / source).is_file():
            self.problems.append(f"{INDEX}: there is no {source}")
        elif source in self.pages:
            self.problems.append(f"{INDEX}: lists {source} twice")
        elif page in self.pages.values():
            self.problems.append(f"{INDEX}: two pages become {page}")
        else:
            self.pages[source] = page

    def add_rooms(self):
        """The pages of rooms and add-ons, in the part that has the page that lists them."""
        for index, pattern in (("src/README.md", "src/orrery/*/README.md"), ("addons/README.md", "addons/*/README.md")):
            if index in self.pages:
                folder = self.pages[index].split("/")[0]
                for path in sorted(ROOT.glob(pattern)):
                    source = str(path.relative_to(ROOT))
                    self.pages[source] = page_name(source, folder)

    def add_linked(self):
        """Other Markdown files that pages link to, such as the tables of case studies, in the part of the first link."""
        sources = [source for source in self.pages if source.endswith(".md")]
        for source in sources:  # grows
            for path in re.findall(r"\]\(([\w./-]+\.md)", markdown.without_code(read(source))):
                file = normal(pathlib.PurePosixPath(source).parent, path)
                if file not in self.pages and (ROOT / file).is_file():
                    self.pages[file] = page_name(file, self.pages[source].split("/")[0])
                    sources.append(file)

    def folder_link(self, folder):
        """The group of a part that lists the pages of a folder."""
        for part in self.parts:
            for group in part.groups:
                if group.title and all(str(pathlib.PurePosixPath(row.source).parent) == folder for row in group.rows):
                    return f"/{part.folder}/index.md#{markdown.slug(group.title)}"
        return None

    def anchors(self, source):
        if source not in self.known_anchors:
            text = self.header_page(source) if source.endswith(".h") else read(source)
            self.known_anchors[source] = markdown.anchors(text)
        return self.known_anchors[source]

    def replace_link(self, source, mark, label, target):
        """A link of a page as the site has it."""
        if re.match(r"[a-z]+:", target):
            return f"{mark}[{label}]({target})"
        path, _, anchor = target.partition("#")
        file = normal(pathlib.PurePosixPath(source).parent, path) if path else source
        if not (ROOT / file).exists():
            self.problems.append(f"{source}: there is no {file}")
            return label
        if file in self.pages:
            if anchor and anchor not in self.anchors(file):
                self.problems.append(f"{source}: {file} has no heading #{anchor}")
            link = f"/{self.pages[file]}.md" if path else ""
            if file == INDEX and anchor:
                link, anchor = self.index_link(anchor), ""
            return f"[{label}]({link}{'#' + anchor if anchor else ''})"
        is_file = (ROOT / file).is_file()
        small = is_file and (ROOT / file).stat().st_size <= LARGEST_COPY
        if mark or (file.startswith("examples/") and small):
            self.files.add(file)
            return f"{mark}[{label}](/files/{file})"
        folder = None if is_file else self.folder_link(file)
        if folder:
            return f"[{label}]({folder})"
        plain = label.replace("`", "")
        return f"`{file}`" if file.endswith(plain) else f"{label} (`{file}`)"

    def index_link(self, anchor):
        for part in self.parts:
            if anchor == markdown.slug(part.title):
                return f"/{part.folder}/index.md"
            for group in part.groups:
                if anchor == markdown.slug(group.title):
                    return f"/{part.folder}/index.md#{anchor}"
        return "/index.md"

    def with_links(self, source, text):
        text = markdown.without_comments(text)
        return markdown.replace_links(text, lambda *link: self.replace_link(source, *link))

    def header_page(self, source):
        if source not in self.texts:
            header = headers.read_header(source.removeprefix("include/"), read(source))
            self.texts[source] = header_pages.HeaderPage(header, self.header_link).markdown()
        return self.texts[source]

    def header_link(self, target):
        """The address of a page that a comment names, and its title."""
        source, _, anchor = target.partition("#")
        if source not in self.pages:
            self.problems.append(f"include: there is no {source}")
            return None
        name = source if source.endswith(".h") else markdown.title(read(source))
        return f"/{self.pages[source]}.md" + ("#" + anchor if anchor else ""), name

    def part_page(self, part):
        """The page that lists the pages of a part."""
        out = [f"# {part.title}", self.with_links(INDEX, part.text)]
        for group in part.groups:
            out += [f"## {group.title}"] if group.title else []
            rows = [[f"[{row.text}](/{self.pages[row.source]}.md)", self.with_links(INDEX, row.content)]
                    for row in group.rows if row.source in self.pages]
            out.append(markdown.table(["page", "content"], rows))
        if part.folder == "reference":
            out += ["## C++ headers", "These are all public headers of the [library](" +
                    f"/{self.pages['docs/library.md']}.md)." if "docs/library.md" in self.pages else ""]
            out.append(markdown.table(["header", "content"], [
                [f"[`{source.removeprefix('include/')}`](/{self.pages[source]}.md)", self.first_sentence(source)]
                for source in self.headers]))
        return "\n\n".join(out) + "\n"

    def first_sentence(self, header):
        summary = headers.read_header(header, read(header)).summary
        return markdown.escaped(re.split(r"(?<=\.)\s", " ".join(summary.split()), maxsplit=1)[0])

    def home(self):
        """README.md as the first page: its first paragraph, the parts, and the rest."""
        text = self.with_links("README.md", read("README.md"))
        first, rest = re.split(r"\n\n", text.split("\n", 1)[1].strip(), maxsplit=1)
        slogan, more = re.split(r"(?<=\.)\s+", " ".join(first.split()), maxsplit=1)
        picture = re.search(r"!\[([^\]]*)\]\(([^)]*)\)\n*", rest)
        rest = rest.replace(picture.group(), "") if picture else rest
        rest = re.sub(r"^## Documentation\n.*?(?=^## |^Apache|\Z)", "", rest, flags=re.S | re.M)
        start = next(row for part in self.parts for group in part.groups for row in group.rows)
        front = {
            "layout": "home",
            "hero": {"name": "Orrery", "text": slogan.split(": ", 1)[0].removeprefix("Orrery ").capitalize(),
                     "tagline": slogan.split(": ", 1)[-1].capitalize() + " " + more,
                     "image": {"src": picture.group(2), "alt": " ".join(picture.group(1).split())} if picture else {},
                     "actions": [{"theme": "brand", "text": start.text, "link": self.address(start.source)}] + [
                         {"theme": "alt", "text": part.title, "link": f"/{part.folder}/"} for part in self.parts[1:]]},
            "features": [{"title": part.title, "details": " ".join(part.text.split()), "link": f"/{part.folder}/"}
                         for part in self.parts],
        }
        return "---\n" + json.dumps(front, indent=1, ensure_ascii=False) + "\n---\n\n" + rest

    def sidebar(self):
        bars = {}
        for part in self.parts:
            groups = [{"text": "Overview", "link": f"/{part.folder}/"}]
            for group in part.groups:
                items = [{"text": row.text.replace("`", ""), "link": self.address(row.source)}
                         for row in group.rows if row.source in self.pages]
                groups += [{"text": group.title, "collapsed": False, "items": items}] if group.title else items
            if part.folder == "reference":
                items = [{"text": source.removeprefix("include/orrery/"), "link": self.address(source)}
                         for source in self.headers]
                groups.append({"text": "C++ headers", "collapsed": False, "items": items})
            bars[f"/{part.folder}/"] = groups
        return bars

    def address(self, source):
        return "/" + re.sub(r"(^|/)index$", r"\1", self.pages[source])

    def write(self, out):
        pages = out / "pages"
        shutil.rmtree(pages, ignore_errors=True)
        texts = {"index": self.home()}
        for part in self.parts:
            texts[f"{part.folder}/index"] = self.part_page(part)
        for source, page in self.pages.items():
            if page != "index":
                header = source.endswith(".h")
                texts[page] = self.header_page(source) if header else self.with_links(source, read(source))
        if self.problems:
            return
        for source in filter(lambda source: source.endswith(".ipynb"), self.pages):
            folder = pages / "public/files" / source.removesuffix(".ipynb")
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in notebook(source).files.items():
                (folder / name).write_bytes(content)
            page = self.pages[source]
            texts[page] = notebooks.with_pictures(texts[page], f"/files/{source.removesuffix('.ipynb')}")
        for page, text in texts.items():
            file = pages / f"{page}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            aside = "" if re.search(r"^##+ |^layout: |^---$", text, re.M) else "---\naside: false\n---\n\n"
            file.write_text(aside + text, encoding="utf8")
        for source in sorted(self.files):
            file = pages / "public/files" / source
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, file)
        shutil.copyfile(ROOT / "site/logo.svg", pages / "public/logo.svg")
        version = re.search(r"^project\(orrery VERSION ([\d.]+)", read("CMakeLists.txt"), re.M | re.I).group(1)
        navigation = {
            "version": version,
            "changes": self.address("CHANGELOG.md"),
            "nav": [{"text": part.title, "link": f"/{part.folder}/", "activeMatch": f"/{part.folder}/"}
                    for part in self.parts],
            "sidebar": self.sidebar(),
        }
        text = json.dumps(navigation, indent=1, ensure_ascii=False) + "\n"
        (out / "navigation.json").write_text(text, encoding="utf8")
        print(f"{len(texts)} pages, {len(self.headers)} of them C++ headers; {len(self.files)} files")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: site/stage.py OUT")
    try:
        site = Site(read_parts())
        site.write(pathlib.Path(sys.argv[1]).resolve())
    except headers.HeaderError as error:
        sys.exit(f"stage.py: {error}")
    if site.problems:
        sys.exit("\n".join(f"stage.py: {problem}" for problem in site.problems))


if __name__ == "__main__":
    main()
