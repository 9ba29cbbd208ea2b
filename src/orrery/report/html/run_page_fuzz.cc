// SPDX-License-Identifier: Apache-2.0
//
// Checks that names in a run, whatever their bytes, add no elements to the page.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/report/html/run_page.h"
#include "orrery/result/small_run_testing.h"

using namespace orrery;

namespace {

constexpr std::string_view kPage =
    "<title>Orrery report</title><!--orrery-static-->"
    "<script type=\"application/json\" id=\"orrery-data\"></script>";

/// The next line of `text`.
std::string_view take(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

result::Run run_with(std::string_view text) {
  result::Run run = result::testing::sample_run(2, 2);
  run.timelines[0].spans[0].name = run.names.intern(take(text));
  run.timelines[1].memory.at_peak[0].name = run.names.intern(take(text));
  run.collectives[0].type = take(text);
  run.groups[0].name = take(text);
  run.device = take(text);
  run.dims[0].block = take(text);
  run.manifest[1].second = take(text);
  run.manifest.emplace_back(take(text), take(text));
  run.findings.add(FindingCode::key_ignored, take(text));
  return run;
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) ++found;
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const result::Run run = run_with({reinterpret_cast<const char*>(data), size});
  const result::Run plain = run_with("");
  const std::string json = report::run_page_data({&run});
  ORRERY_CHECK(json.find('<') == std::string::npos);
  ORRERY_CHECK(count(json, "\n") == 0);
  const Result<std::string> page = report::write_html({&run}, kPage);
  const Result<std::string> bare = report::write_html({&plain}, kPage);
  ORRERY_CHECK(page.has_value() && bare.has_value());
  // The plain run has the same findings and labels; only texts differ.
  ORRERY_CHECK(count(*page, "<") == count(*bare, "<"));
  ORRERY_CHECK(count(*page, "<script") == 1 && count(*page, "<!--") == 0);
  return 0;
}
