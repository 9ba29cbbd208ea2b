// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/validate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/quantity.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/words.h"
#include "orrery/report/envelope.h"
#include "orrery/report/scatter.h"

namespace orrery::present {

using report::Table;
using validate::ErrorGroup;
using validate::ErrorSummary;

namespace {

std::string off(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string lean(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string inside(const ErrorSummary& errors) {
  return errors.banded == 0 ? "-" : fmt::format("{:.0f} %", 100 * errors.inside);
}

std::vector<std::string> row(std::string name, const ErrorSummary& errors) {
  return {std::move(name), count(errors.points),       off(errors.median),
          off(errors.p90), lean(errors.signed_median), inside(errors)};
}

Table error_table(std::string first) {
  return Table({{std::move(first)},
                {"points", true},
                {"median", true},
                {"90 %", true},
                {"signed", true},
                {"in band", true}});
}

std::string head_text(const Validation& v, report::Style style) {
  const ErrorSummary& all = v.board.all;
  std::string text;
  if (all.points == 0) {
    text = style.strong("no point could be predicted") + "\n";
  } else {
    text =
        style.strong(
            fmt::format("off by {} (median), {} for 90 %", off(all.median), off(all.p90))) +
        fmt::format(": {} of {}, signed {}\n", format_count(static_cast<std::int64_t>(all.points)),
                    plural(v.points.size(), "measured step"), lean(all.signed_median));
    if (all.banded > 0)
      text += fmt::format("{} of {} in the 80 % band, half of which is {} of a step (median)\n",
                          inside(all), plural(all.banded, "step"), off(all.half_width));
  }
  if (v.threshold)
    text += (v.beyond() ? style.bad("above") : style.good("not above")) +
            fmt::format(" the threshold of {}\n", off(*v.threshold));
  return text;
}

std::string groups_text(const Validation& v, report::Style style) {
  std::string text;
  for (const char* trait : {"source", "device and precision", "size", "kind"}) {
    Table table = error_table(trait);
    std::size_t rows = 0;
    for (const ErrorGroup& group : v.board.groups) {
      if (group.trait != trait) continue;
      table.row(row(group.value.empty() ? "-" : printable(group.value), group.errors));
      ++rows;
    }
    if (rows > 1 || (rows == 1 && text.empty())) text += "\n" + table.text(style);
  }
  return text;
}

/// Groups of ten and more that lean to one side; what all points have in common is no group.
std::string leaning_text(const Validation& v, report::Style style) {
  Table table = error_table("leans by more than 5 %");
  for (const ErrorGroup& group : v.board.groups)
    if (group.errors.points >= validate::kLeastGroup && group.errors.points < v.board.all.points &&
        std::abs(group.errors.signed_median) > 0.05)
      table.row(row(group.trait + " " + printable(group.value), group.errors));
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string worst_text(const Validation& v, report::Style style) {
  Table table({{"most off"}, {"measured", true}, {"predicted", true}, {"", true}});
  for (const std::size_t i : v.board.worst) {
    const validate::Prediction& told = v.predictions[i];
    table.row({printable(v.points[i].id), seconds_text(v.points[i].seconds),
               seconds_text(told.seconds), lean(told.error(v.points[i]))});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string without_text(const Validation& v, report::Style style) {
  if (v.without.empty()) return "";
  Table table({{"without"}, {"median", true}, {"90 %", true}, {"signed", true}, {"others", true}});
  table.row({"(nothing)", off(v.board.all.median), off(v.board.all.p90),
             lean(v.board.all.signed_median), ""});
  for (const Validation::Without& one : v.without)
    table.row({one.effect, off(one.errors.median), off(one.errors.p90),
               lean(one.errors.signed_median), plural(one.changed, "point")});
  return "\n" + table.text(style);
}

std::string factors_text(const Validation& v, report::Style style) {
  if (v.factors.empty()) return "";
  Table table({{"in a step, kernels of"},
               {"bits", true},
               {"take", true},
               {"80 % of steps say", true},
               {"points", true},
               {"sources", true}});
  for (const validate::FittedFactor& one : v.factors)
    table.row(
        {one.device.empty() ? "any other" : printable(one.device), fmt::format("{}", one.bits),
         fmt::format("x {:.3f}", one.factor),
         fmt::format("{:.2f} to {:.2f}", one.factor * (1 + one.least), one.factor * (1 + one.most)),
         count(one.points), count(one.sources)});
  return "\n" + table.text(style) +
         "steps above are told with factors that were fitted to other sources\n";
}

std::string rankings_text(const Validation& v, report::Style style) {
  if (v.board.rankings.empty()) return "";
  std::size_t among = 0, cheap = 0;
  for (const validate::Ranking& one : v.board.rankings) {
    if (one.place <= 3) ++among;
    if (one.cost <= 0.05) ++cheap;
  }
  return "\n" + style.strong("choosing a plan") +
         fmt::format(
             ": of {} with {} plans and more, the measured best is among the first three "
             "predicted for {}; the first costs at most 5 % more than it for {}\n",
             plural(v.board.rankings.size(), "choice"), validate::kLeastRanking, among, cheap);
}

std::string not_told_text(const Validation& v, report::Style style) {
  if (v.board.not_told.empty()) return "";
  Table table({{"not predicted, because"}, {"points", true}});
  for (const auto& [reason, points] : v.board.not_told)
    table.row({printable(reason), count(points)});
  return "\n" + table.text(style);
}

}  // namespace

std::string validate_text(const Validation& v, report::Style style) {
  std::string text = head_text(v, style) + groups_text(v, style) + leaning_text(v, style) +
                     worst_text(v, style) + without_text(v, style) + factors_text(v, style) +
                     rankings_text(v, style) + not_told_text(v, style);
  report::Sheet notes(style);
  report::add_findings(notes, v.findings, style);
  return notes.text().empty() ? text : text + "\n" + notes.text();
}

std::string validate_svg(const Validation& v) {
  report::Scatter scatter;
  scatter.title = "Steps, predicted against measured";
  scatter.across = "measured";
  scatter.up = "predicted";
  std::vector<std::string> devices;
  for (const ErrorGroup& group : v.board.groups) {
    if (group.trait == "device") scatter.series.push_back(group.value);
    if (group.trait != "device and precision") continue;
    report::ScatterPanel& panel = scatter.panels.emplace_back();
    panel.title = group.value;
    panel.note = fmt::format("off by {} (median), n = {}", off(group.errors.median),
                             count(group.errors.points));
    for (std::size_t i = 0; i < v.points.size(); ++i) {
      const validate::Prediction& told = v.predictions[i];
      if (told.trait(group.trait) != group.value) continue;
      const auto series =
          std::find(scatter.series.begin(), scatter.series.end(), told.trait("device"));
      panel.points.push_back({v.points[i].seconds, told.seconds,
                              static_cast<std::uint32_t>(series - scatter.series.begin())});
    }
  }
  return report::scatter_svg(scatter);
}

}  // namespace orrery::present
