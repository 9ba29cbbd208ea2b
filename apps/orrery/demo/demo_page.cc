// SPDX-License-Identifier: Apache-2.0
#include "demo/demo_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "orrery/commands/output/run_output.h"
#include "orrery/core/text/text.h"
#include "orrery/report/html/run_page.h"
#include "resources/data_folder.h"

namespace orrery::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlace = "orrery-demo.html";
/// The last line of every page of the demo. The demo overwrites only files that end in it.
constexpr std::string_view kMark = "<!-- made by orrery demo -->\n";

bool made_by_demo(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(-static_cast<std::streamoff>(kMark.size()), std::ios::end);
  std::string end(kMark.size(), '\0');
  in.read(end.data(), static_cast<std::streamsize>(end.size()));
  return in && end == kMark;
}

}  // namespace

Result<DemoPage> DemoPage::choose(PageOptions& options, Context& context) {
  const auto kind = kind_of_output(context.output);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind == OutputKind::run_file) {
    return fail(Errc::usage, "--output",
                "a run file contains one run, and the demo simulates several",
                "FILE.html gets the demo's web page, FILE.json its results");
  }
  const bool asked = *kind == OutputKind::page || options.open || !options.page.empty();
  const bool json = context.json || (*kind == OutputKind::json && !context.output.empty());
  bool replace = context.force;
  if (*kind == OutputKind::page) {
    std::swap(options.path, context.output);
  } else if (asked || (!json && !report::built_in_page().empty())) {
    options.path = kPlace;
    std::error_code ignored;
    replace = replace || made_by_demo(kPlace);
    if (!replace && fs::is_regular_file(kPlace, ignored)) {
      return fail(Errc::output_exists, kPlace, "exists already, and was not written by the demo",
                  "'-o FILE.html' writes to another name, --force overwrites it");
    }
  }
  DemoPage page(options, asked);
  if (auto fine = page.file_.check(replace); !fine) return tl::unexpected(fine.error());
  return page;
}

Result<std::string> DemoPage::write(const std::vector<const result::Run*>& runs,
                                    const Context& context) {
  const auto written = file_.fill(runs, context, kMark);
  if (!written && asked_) return tl::unexpected(written.error());
  if (!written) {
    std::error_code ignored;
    const fs::path elsewhere = fs::temp_directory_path(ignored) / kPlace;
    return fmt::format(
        "No web page of the two steps: {} {}. To write it to another folder:\n"
        "  {} demo -o {}\n",
        printable(written.error().where), written.error().what, shell_word(context.program),
        shell_word(elsewhere.string()));
  }
  if (written->path == "-") return "";
  return fmt::format(
      "Web page with the two steps side by side{}:\n"
      "  {}\n",
      open_ ? "" : fmt::format(" ('{} demo --open' opens it)", shell_word(context.program)),
      printable(written->path));
}

std::string no_page_text(const std::string& folder) {
  if (!report::built_in_page().empty()) return "";
  std::error_code ignored;
  const fs::path root = fs::canonical(folder, ignored).parent_path();
  const std::string what = "No web page of the two steps: this program was built without the page";
  if (!fs::exists(root / "setup", ignored)) return what + ".\n";
  const std::string here = near_path(root);
  return fmt::format(
      "{}. To build it:\n"
      "  {} --page && {} demo\n",
      what, shell_word(here + "/setup"), shell_word(here + "/orrery"));
}

}  // namespace orrery::app
