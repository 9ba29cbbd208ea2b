// SPDX-License-Identifier: Apache-2.0
//
// The parts of the HTML report's data. Everything here writes what web/src/data.ts describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/analysis/run_index.h"
#include "orrery/core/error.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/result/run.h"

namespace orrery::report::html {

/// The names that the page shows, numbered in order of first use; 0 is "". Long ones are cut.
class UsedNames {
 public:
  explicit UsedNames(const result::Names& names) : names_(names), numbers_(names.size(), 0) {}

  std::uint32_t number(std::uint32_t in_run);
  void write(JsonWriter& json) const;

 private:
  const result::Names& names_;
  std::vector<std::uint32_t> numbers_;  // by the run's number; 0 = not used yet, or ""
  std::vector<std::uint32_t> used_{0};  // by the page's number
};

/// What is computed once per run and asked from several parts.
struct RunPageData {
  explicit RunPageData(const result::Run& of);

  const result::Run& run;
  analysis::RunIndex index;
  analysis::Digest digest;
  analysis::Stragglers stragglers;
  std::vector<analysis::CollectiveClass> classes;
  std::vector<analysis::Metric> metrics;
};

/// "llama on two-nodes.yaml".
[[nodiscard]] std::string title(const result::Run& run);
/// The dozen lines that a person wants first: label, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> summary_lines(
    const analysis::Digest& digest, const Findings& findings);

/// A span as the page has it: one of the run's, or one that stands for several.
struct PageSpan {
  Time start{};
  Time length{};
  std::uint32_t name = 0;  ///< the run's number
  std::uint16_t lane = 0;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  Time wait{};
  Time slack{};
  std::uint64_t bytes = 0;
  std::uint64_t node = 0;
  Time queue{};
  Time latency{};
  std::uint32_t released_by = result::kNone;  ///< its place among the page's spans
};

inline constexpr std::uint8_t kCritical = 1, kSlackKnown = 2, kMerged = 4, kUnfinished = 8,
                              kLaneTaken = 16;

/// The spans of all timelines, thinned to about `most`: critical ones stay first, then the longest;
/// each row of neighbours left out on a lane becomes one that stands for them.
struct PageSpans {
  std::vector<std::vector<PageSpan>> timelines;  ///< each by start
  std::uint64_t left_out = 0;  ///< of the run's: how many are not there themselves
};
[[nodiscard]] PageSpans thin_spans(const result::Run& run, std::size_t most);

/// TimelineData.spans.
[[nodiscard]] std::string pack_spans(const std::vector<PageSpan>& spans, UsedNames& names);

void write_timelines(JsonWriter& json, const RunPageData& facts, const PageSpans& spans,
                     UsedNames& names);
void write_ranks(JsonWriter& json, const RunPageData& facts);
void write_groups(JsonWriter& json, const result::Run& run);
void write_collectives(JsonWriter& json, const RunPageData& facts, UsedNames& names);
void write_links(JsonWriter& json, const result::LinkUse& use);
void write_fabric(JsonWriter& json, const result::Run& run);
void write_memory_levels(JsonWriter& json, const result::Run& run);
void write_path(JsonWriter& json, const result::Run& run, UsedNames& names);
void write_comparison(JsonWriter& json, const result::Run& a, const result::Run& b);

/// `"name": [f(0), f(1), …]`.
template <class F>
void column(JsonWriter& json, std::string_view name, std::size_t count, F&& f) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < count; ++i) f(i);
  json.end_array();
}

void write_pairs(JsonWriter& json, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& pairs);
void write_findings(JsonWriter& json, const Findings& findings);

/// A page's parts that differ from report to report.
struct PageParts {
  std::string title;  ///< escaped
  std::string plain;  ///< what it says without JavaScript: tables
  std::string data;   ///< JSON; packed where it is long
};
/// `page` with these in their places. Errc::config_missing_key when it lacks one.
[[nodiscard]] Result<std::string> fill_page(std::string_view page, PageParts parts);

/// Parts of `plain`: a table's head, a row of it, its findings; `</tbody>` and `</table>` end it.
[[nodiscard]] std::string table_head(std::string_view caption);
void add_row(std::string& out, std::string_view label, std::string_view text);
void add_finding_rows(std::string& out, const Findings& findings);

/// JSON without the space between its parts, and without what could end a script element or a line
/// of one: "<", U+2028 and U+2029 are written as escapes.
[[nodiscard]] std::string compact_json(std::string_view json);

/// Text between tags or in a quoted attribute; what is not UTF-8 and control characters become '?'.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace orrery::report::html
