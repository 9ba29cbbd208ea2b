// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/units.h"
#include "orrery/report/envelope.h"

namespace orrery::app {

using analysis::Breakdown;
using report::Style;

namespace {

std::string signed_time(Time time) {
  return time.count() < 0 ? "-" + format_time(Time{} - time) : "+" + format_time(time);
}

std::string difference(Time one, Time two) { return one == two ? "same" : signed_time(two - one); }

Time magnitude(Time time) { return time.count() < 0 ? Time{} - time : time; }

Time mean(const sim::CollectiveTotal& total) {
  return total.operations == 0 ? Time{} : Time(total.time.count() / static_cast<std::int64_t>(total.operations));
}

/// The same (type, group size) in both runs.
struct Pair {
  const sim::CollectiveTotal* one;
  const sim::CollectiveTotal* two;

  [[nodiscard]] Time growth() const { return two->time - one->time; }
  [[nodiscard]] std::string label() const {
    const bool message = one->type == "send" || one->type == "recv";
    return message ? one->type : fmt::format("{} among {}", one->type, one->group_size);
  }
};

std::vector<Pair> pairs_of(const Outcome& one, const Outcome& two) {
  std::vector<Pair> pairs;
  for (const sim::CollectiveTotal& a : one.result.collectives) {
    for (const sim::CollectiveTotal& b : two.result.collectives) {
      if (a.type == b.type && a.group_size == b.group_size) pairs.push_back({&a, &b});
    }
  }
  return pairs;
}

std::string links_of(const platform::Platform& platform) {
  std::string text;
  for (const platform::Dimension& dim : platform.dims) {
    text += fmt::format("{}{}", text.empty() ? "" : " then ", format_bandwidth(dim.bandwidth));
  }
  return text;
}

void add_times(report::Table& table, const Breakdown& a, const Breakdown& b) {
  const auto cell = [](const Breakdown& step, Time part) {
    return fmt::format("{} {:>7}", format_time(part), report::percent(step.share(part)));
  };
  const auto row = [&](const char* label, Time one, Time two) {
    table.row({label, cell(a, one), cell(b, two), difference(one, two)});
  };
  table.row({"step time", format_time(a.step) + "        ", format_time(b.step) + "        ", difference(a.step, b.step)});
  row("  compute", a.compute, b.compute);
  row("  exposed communication", a.comm_only, b.comm_only);
  if (a.memory_only.count() + b.memory_only.count() > 0) row("  exposed memory", a.memory_only, b.memory_only);
  row("  idle", a.idle, b.idle);
}

/// "of the +3.2 ms, exposed communication is +2.1 ms, idle +1.1 ms"
std::string parts_sentence(const Breakdown& a, const Breakdown& b) {
  std::array<std::pair<const char*, Time>, 4> parts = {{{"compute", b.compute - a.compute},
                                                        {"exposed communication", b.comm_only - a.comm_only},
                                                        {"exposed memory", b.memory_only - a.memory_only},
                                                        {"idle", b.idle - a.idle}}};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& x, const auto& y) { return magnitude(x.second) > magnitude(y.second); });
  std::string text;
  for (const auto& [name, change] : parts) {
    if (change.count() != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, signed_time(change));
  }
  return text;
}

void explain(report::Sheet& sheet, const Outcome& one, const Outcome& two, const Breakdown& a, const Breakdown& b) {
  if (a.step == b.step) {
    sheet.add("why", "both take the same time");
    return;
  }
  const bool slower = b.step > a.step;
  const double factor = slower ? seconds(b.step) / seconds(a.step) : seconds(a.step) / seconds(b.step);
  sheet.add("difference", fmt::format("the second is {:.3g} times {}; per rank: {}", factor, slower ? "slower" : "faster",
                                      parts_sentence(a, b)));
  std::vector<Pair> pairs = pairs_of(one, two);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& x, const Pair& y) { return magnitude(x.growth()) > magnitude(y.growth()); });
  if (!pairs.empty() && pairs.front().growth().count() != 0) {
    const Pair& most = pairs.front();
    sheet.add("why", fmt::format("{} changes most: {} instead of {} each, {} times {} ranks' worth",
                                 most.label(), format_time(mean(*most.two)), format_time(mean(*most.one)),
                                 format_count(static_cast<std::int64_t>(most.one->operations)), one.result.ranks.size()));
  }
  const ChainParts before = chain_parts(one), after = chain_parts(two);
  sheet.add("longest chain", fmt::format("compute {} → {}, communication {} → {}, waiting {} → {}",
                                         format_time(before.compute), format_time(after.compute), format_time(before.comm),
                                         format_time(after.comm), format_time(before.wait), format_time(after.wait)));
}

}  // namespace

std::string comparison_text(const Outcome& one, const Outcome& two, Style style) {
  const Breakdown a = break_down(one), b = break_down(two);
  report::Table table({{""}, {report::fit(report::printable(one.platform_name), 22), true},
                       {report::fit(report::printable(two.platform_name), 22), true}, {"difference", true}});
  table.row({"network", shape(one.inputs.platform), shape(two.inputs.platform), ""});
  table.row({"per port", links_of(one.inputs.platform), links_of(two.inputs.platform), ""});
  add_times(table, a, b);
  for (const Pair& pair : pairs_of(one, two)) {
    table.row({pair.label() + ", each", format_time(mean(*pair.one)), format_time(mean(*pair.two)),
               difference(mean(*pair.one), mean(*pair.two))});
  }
  report::Sheet sheet(style);
  explain(sheet, one, two, a, b);
  sheet.add("models", fmt::format("network {}; compute: {}; {} rules", network_model(two.inputs.platform),
                                  compute_model(two.inputs.platform), name(two.inputs.platform.rules)));
  Findings findings = one.findings;
  findings.merge(two.findings);
  report::add_findings(sheet, findings, style);
  return table.text(style) + "\n" + sheet.text();
}

}  // namespace orrery::app
