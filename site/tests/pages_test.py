#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the pages of the site, without VitePress: Markdown, C++ headers, and all pages of the project."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SITE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SITE))
import header_pages  # noqa: E402
import headers  # noqa: E402
import markdown  # noqa: E402
import notebooks  # noqa: E402

HEADER = """// SPDX-License-Identifier: Apache-2.0
//
// What links carry. See docs/run.md.
#pragma once

#include "orrery/core/error.h"

namespace orrery::result {

struct Inner;  // elsewhere

/// A link, or | none.
struct Link {
  // Ends.
  std::uint32_t from = 0, to = kNone;  ///< ranks;
                                       ///< kNone: none
  std::vector<std::pair<int, int>> bytes;
  static constexpr std::array<Row, 2> kRows = {{{"a", "b"}, {"c", "d"}}};

  /// All bytes.
  [[nodiscard]] int sum() const { return a + "}"; }
  friend bool operator==(const Link&, const Link&) = default;
};

class Names {
 public:
  Names() = default;
  explicit Names(int count) : count_(count) {}
  /// The text of a number.
  [[nodiscard]] const std::string& operator[](int number) const { return texts_[number]; }

 private:
  int count_ = 0;  ///< hidden
};

enum class Kind : std::uint8_t {
  // Work
  compute = 1,  ///< kernels
  other
};
using Curve = std::vector<int>;  ///< in bins
/// Reads a *run*.
[[nodiscard]] Result<Link> read(const std::string& path, bool force = false);
void read(int number);

}  // namespace orrery::result
"""


def link(target):
    links = {"docs/run.md": ("/reference/run.md", "Runs"), "include/orrery/core/error.h": ("/cpp/error.md", "")}
    return links.get(target)


NOTEBOOK = {"cells": [
    {"cell_type": "markdown", "source": ["# Why\n", "See [this](a.md).\n"]},
    {"cell_type": "code", "source": "run", "outputs": [
        {"output_type": "stream", "text": ["1 ms\n"]},
        {"output_type": "display_data", "data": {"image/png": "iVBORw0=", "text/plain": ["<Figure>"]}},
        {"output_type": "execute_result", "data": {"text/html": "<b>x</b><svg a='1'></svg><pre>a &lt; b</pre>"}},
        {"output_type": "execute_result", "data": {"text/plain": "42"}}]}]}


class Notebooks(unittest.TestCase):
    def test_cells_and_outputs_become_markdown(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "why.ipynb"
            path.write_text(json.dumps(NOTEBOOK))
            page = notebooks.Notebook(path)
        self.assertEqual(notebooks.with_pictures(page.markdown, "/f"),
                         "# Why\nSee [this](a.md).\n\n```python\nrun\n```\n\n```text\n1 ms\n```\n\n"
                         "![picture](/f/why-1.png)\n\n![picture](/f/why-2.svg)\n\n```text\na < b\n```\n\n"
                         "```text\n42\n```\n")
        self.assertTrue(page.files["why-1.png"].startswith(b"\x89PNG"))
        self.assertIn(b"xmlns", page.files["why-2.svg"])


class Markdown(unittest.TestCase):
    def test_anchors_are_those_of_github(self):
        self.assertEqual(markdown.slug("2. What `orrery run` does, [why](x.md)…"), "2-what-orrery-run-does-why")
        self.assertEqual(markdown.anchors("# A\n## B\n```\n# no\n```\n## B\n"), {"a", "b", "b-1"})

    def test_links_outside_of_code_are_replaced(self):
        text = "[a\nb](c.md#d) `[x](y)` [`e`](f) ![g](h.png)\n```\n[i](j)\n```\n"
        self.assertEqual(markdown.replace_links(text, lambda mark, label, target: f"<{mark}{label}|{target}>"),
                         "<a\nb|c.md#d> `[x](y)` <`e`|f> <!g|h.png>\n```\n[i](j)\n```\n")

    def test_tables_have_no_empty_columns(self):
        self.assertEqual(markdown.table(["a", "b", "c"], [["1", "", "x|y"]]), "| a | c |\n| --- | --- |\n| 1 | x\\|y |")


class Headers(unittest.TestCase):
    def setUp(self):
        self.header = headers.read_header("orrery/result/links.h", HEADER)
        self.page = header_pages.HeaderPage(self.header, link).markdown()

    def test_every_public_declaration_has_its_comment(self):
        for text in ("# orrery/result/links.h", "What links carry. See [Runs](/reference/run.md).",
                     "Namespace: `orrery::result`.", "## Inner", "elsewhere", "A link, or | none.", "Ends.",
                     "| `from`, `to` | `std::uint32_t` | `0` | ranks; kNone: none |",
                     "### sum()\n\n```cpp\n[[nodiscard]] int sum() const;", "All bytes.", "`==` compares all members.",
                     "explicit Names(int count);", "The text of a number.", "**Work**", "| `compute` | 1 | kernels |",
                     "| `Curve` | `std::vector<int>` | in bins |", "Reads a \\*run\\*.", "## read(int number)"):
            self.assertIn(text, self.page)

    def test_what_is_private_or_trivial_is_left_out(self):
        for text in ("hidden", "count_", "Names() = default", "{{"):
            self.assertNotIn(text, self.page)

    def test_a_comment_without_a_declaration_is_an_error(self):
        with self.assertRaisesRegex(headers.HeaderError, "links.h: .* lines of comments"):
            headers.read_header("links.h", HEADER.replace("return a", "return b ///< lost\n +"))


class Project(unittest.TestCase):
    def test_pages_are_listed_and_links_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", SITE / "stage.py", folder], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # VitePress takes a link for one to a page unless it knows the ending.
            known = {"csv", "gif", "gz", "html", "jpg", "js", "json", "md", "png", "svg", "tsv", "txt", "yaml", "yml", "zip"}
            config = (SITE / ".vitepress/config.mjs").read_text()
            known |= set(re.search(r"VITE_EXTRA_EXTENSIONS = '([^']*)'", config).group(1).split(","))
            files = pathlib.Path(folder).rglob("public/files/**/*")
            self.assertEqual({file.suffix[1:] for file in files if file.is_file()} - known, set())


if __name__ == "__main__":
    unittest.main()
