// SPDX-License-Identifier: Apache-2.0
//
// Views of recordings: tables that answer one question each about what was recorded, such as the
// time by operator. A view is data; text, JSON and pages follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/text/fixed_text.h"
#include "orrery/report/answer/value.h"

namespace orrery::study {

/// The views, in the order of help, text and pages.
enum class TraceView : std::uint8_t {
  operators,
  modules,
  gemms,
  categories,
  collectives,
  launches,
  idle,
  sequences,
  ranges,
  memory
};

/// One view for lists.
struct TraceViewEntry {
  TraceView view;
  std::string_view name;   ///< the value of `--view`, and the key in JSON
  std::string_view title;  ///< a heading
};
/// All views, in their order.
inline constexpr std::array<TraceViewEntry, 10> kTraceViews{{
    {TraceView::operators, "operators", "Operators by device time"},
    {TraceView::modules, "modules", "Modules, their operators and kernels"},
    {TraceView::gemms, "gemms", "Matrix products by size"},
    {TraceView::categories, "categories", "Device work by category"},
    {TraceView::collectives, "collectives", "Communication across ranks"},
    {TraceView::launches, "launches", "Launches of work for the device"},
    {TraceView::idle, "idle", "Idle time of the device"},
    {TraceView::sequences, "sequences", "Repeated sequences of kernels"},
    {TraceView::ranges, "ranges", "Annotations on the device"},
    {TraceView::memory, "memory", "Tensor memory"},
}};
/// The value of `--view` for all of them.
inline constexpr std::string_view kAllViews = "all";

[[nodiscard]] constexpr const TraceViewEntry& entry(TraceView view) {
  return kTraceViews[static_cast<std::size_t>(view)];
}
/// The values of `--view`, in order.
[[nodiscard]] std::vector<std::string_view> trace_view_names();

struct TraceViewHelp {
  template <class Put>
  static constexpr void write(Put put) {
    put("Tables of recorded traces: ");
    for (const TraceViewEntry& one : kTraceViews) put(one.name), put(", ");
    put("or ");
    put(kAllViews);
  }
};
/// "Tables of recorded traces: operators, gemms or all".
inline constexpr std::string_view kTraceViewHelp = FixedText<TraceViewHelp>::kView;

/// A column. Its unit follows from the values of its cells.
struct ViewColumn {
  std::string title;  ///< heading; empty: only for programs
  std::string key;    ///< in JSON: "time_ns"
  std::string about;  ///< what it means and how it is computed, in a sentence
};

/// The first column of tables with ViewTable::by_rank.
[[nodiscard]] inline ViewColumn rank_column() { return {"rank", "rank", "the recorded rank"}; }

/// A table. Every row has one cell per column; a null cell is unknown.
struct ViewTable {
  std::string key;    ///< in JSON
  std::string title;  ///< what the rows are: "operators"
  std::vector<ViewColumn> columns;
  std::vector<std::vector<report::Value>> rows;
  std::size_t first = 20;  ///< rows for people, before "and N more"
  std::size_t width = 80;  ///< columns of text for people
  std::string if_empty;    ///< a sentence in place of no rows: why there are none
  /// The first column is the rank; people see it where several ranks are recorded.
  bool by_rank = false;
};

/// A single figure of a view.
struct ViewFact {
  std::string label, key;
  report::Value value;
};

struct View {
  TraceView kind = TraceView::ranges;
  std::vector<ViewFact> facts;
  std::vector<ViewTable> tables;
};

}  // namespace orrery::study
