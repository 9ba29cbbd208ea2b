// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/calibrate_overheads_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/clusters/calibrate_answer.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using profile::OverheadRow;
using profile::TimeSpread;
using report::Value;
using study::OverheadsCalibration;

namespace {

/// Text is rounded to nanoseconds.
Value microseconds(double us) {
  return Value(std::round(us * 1e3 * 1e3) / 1e3)
      .shown(format_time(ns(static_cast<std::int64_t>(us * 1e3 + 0.5))));
}

std::string overhead_label(profile::Overhead overhead) {
  switch (overhead) {
    case profile::Overhead::between_operators:
      return "T1 before an operator";
    case profile::Overhead::before_launch:
      return "T2 until its first launch";
    case profile::Overhead::after_launch:
      return "T3 after its last launch";
    case profile::Overhead::launch_call:
      return "T4 the launch itself";
    case profile::Overhead::between_launches:
      break;
  }
  return "T5 between launches";
}

struct NamedSpread : TimeSpread {
  std::string_view key, name;  ///< no name: only for programs
};

void state_spreads(report::Answer& answer, const OverheadsCalibration& calibration) {
  report::Columns<NamedSpread> columns;
  columns.show("times", [](const auto& spread) { return std::string(spread.name); })
      .add("count", "count", &NamedSpread::count)
      .add("10 %", "min_ns", [](const auto& spread) { return microseconds(spread.p10); })
      .add("median", "median_ns", [](const auto& spread) { return microseconds(spread.median); })
      .add("90 %", "max_ns", [](const auto& spread) { return microseconds(spread.p90); })
      .add("held-out error", "held_out_error", &NamedSpread::holdout_error, [](const auto& spread) {
        return held_out_error_text(spread.holdout_error, spread.count);
      });
  std::vector<NamedSpread> shown;
  for (const NamedSpread& spread :
       {NamedSpread{{calibration.launch}, "launch_time", ""},
        {{calibration.forward}, "forward_launch_time", "launch to launch, forward"},
        {{calibration.backward}, "backward_launch_time", "launch to launch, backward"},
        {{calibration.optimizer}, "optimizer_launch_time", "launch to launch, optimizer"},
        {{calibration.latency}, "launch_latency", "launch to start on an idle device"},
        {{calibration.gap}, "kernel_gap", "gap between queued kernels"}}) {
    if (spread.count > 0 && !spread.name.empty()) shown.push_back(spread);
    answer.object(spread.key, spread, columns);
  }
  answer.table("", shown, columns, {.width = 100});
}

/// Of each kind of overhead the mean over all, and the operators measured most often.
std::vector<OverheadRow> most_frequent(std::vector<OverheadRow> rows) {
  constexpr int kMost = 5;
  std::ranges::stable_sort(rows, {}, [](const OverheadRow& row) {
    return std::tuple(row.overhead, !row.of.empty(), -static_cast<std::int64_t>(row.count));
  });
  std::map<profile::Overhead, int> numbers;
  std::erase_if(rows, [&](const OverheadRow& row) { return ++numbers[row.overhead] > 1 + kMost; });
  return rows;
}

void state_rows(report::Answer& answer, const std::vector<OverheadRow>& rows) {
  report::Columns<OverheadRow> columns;
  columns
      .add(
          "overhead", "overhead", [](const auto& row) { return name(row.overhead); },
          [](const auto& row) { return row.of.empty() ? overhead_label(row.overhead) : ""; })
      .add(
          "operator", "operator", [](const auto& row) { return text_or_null(row.of); },
          [&](const OverheadRow& row) {
            if (!row.of.empty()) return printable(truncate(row.of, 48));
            return fmt::format("all {}",
                               std::ranges::count(rows, row.overhead, &OverheadRow::overhead) - 1);
          })
      .add("count", "count", &OverheadRow::count)
      .add("dropped", "dropped", &OverheadRow::dropped)
      .field("negative", &OverheadRow::below_zero)
      .add("mean", "mean_ns", [](const auto& row) { return microseconds(row.mean_us); });
  answer.table("", most_frequent(rows), columns, {.width = 110});
  answer.rows("overheads", rows, columns);
}

}  // namespace

void state_overheads_calibration(report::Answer& answer, const OverheadsCalibration& calibration,
                                 const std::string& file) {
  const std::string &device = calibration.device, &driver = calibration.driver;
  answer.field("calibrated", "overheads").field("device", device).field("recorded_as", driver);
  if (!device.empty()) answer.line("device", device_text(device, driver));
  state_source(answer, calibration.date, calibration.files);
  answer.row("operators", "operators", calibration.operators,
             fmt::format("{} outermost on {}; {} excluded because they waited for the device",
                         count(calibration.operators), plural(calibration.ranks, "rank"),
                         count(calibration.waiting)));
  answer.field("ranks", calibration.ranks).field("waiting", calibration.waiting);
  state_spreads(answer, calibration);
  state_rows(answer, calibration.rows);
  if (calibration.launch.count > 0)
    answer.line("for the job", fmt::format("kernels: {{launch: {}}}",
                                           microseconds(calibration.launch.median).text()));
  if (calibration.gap.count > 0)
    answer.line("for the cluster", fmt::format("device: {{in_step: {{gap: {}}}}}",
                                               microseconds(calibration.gap.median).text()));
  answer.findings(calibration.findings);
  state_file(answer, "file", file);
}

}  // namespace orrery::present
