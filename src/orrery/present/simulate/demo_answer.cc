// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/demo_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/platform.h"
#include "orrery/present/number_text.h"
#include "orrery/report/answer/digest_answer.h"

namespace orrery::present {

using report::Answer;
using study::Outcome;

namespace {

/// "switch 4 × ring 2"
std::string shape(const platform::Platform& platform) {
  std::string text;
  for (const platform::Dimension& dim : platform.dims) {
    if (!text.empty()) text += " × ";
    switch (dim.block) {
      case platform::Block::ring:
        text += fmt::format("ring {}", dim.size);
        break;
      case platform::Block::fully_connected:
        text += fmt::format("fully connected {}", dim.size);
        break;
      case platform::Block::switched:
        text += fmt::format("switch {}", dim.size);
        break;
    }
  }
  return text;
}

std::string difference(Time one, Time two) { return one == two ? "same" : signed_time(two - one); }

Time mean(const sim::CollectiveTotal& total) {
  return total.operations == 0
             ? Time{}
             : Time(total.time.count() / static_cast<std::int64_t>(total.operations));
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

/// A line of the table: a figure of both steps.
struct FigureRow {
  std::string label, one, two, difference;
};

void add_times(std::vector<FigureRow>& rows, const analysis::Breakdown& a,
               const analysis::Breakdown& b) {
  const auto cell = [](const analysis::Breakdown& step, Time part) {
    return fmt::format("{} {:>7}", format_time(part), report::percent(step.share(part)));
  };
  const auto add = [&](const char* label, Time one, Time two) {
    rows.push_back({label, cell(a, one), cell(b, two), difference(one, two)});
  };
  rows.push_back({"step time", format_time(a.step) + "        ", format_time(b.step) + "        ",
                  difference(a.step, b.step)});
  add("  compute", a.compute, b.compute);
  add("  exposed communication", a.comm_only, b.comm_only);
  if (a.memory_only.count() + b.memory_only.count() > 0)
    add("  exposed memory", a.memory_only, b.memory_only);
  add("  idle", a.idle, b.idle);
}

void state_figures(Answer& answer, const Outcome& one, const Outcome& two,
                   const analysis::Breakdown& a, const analysis::Breakdown& b) {
  std::vector<FigureRow> rows = {
      {"network", shape(one.platform()), shape(two.platform()), ""},
      {"per port", links_of(one.platform()), links_of(two.platform()), ""}};
  add_times(rows, a, b);
  rows.push_back({"time per operation", "", "", ""});
  for (const Pair& pair : pairs_of(one, two))
    rows.push_back({"  " + pair.label(), format_time(mean(*pair.one)), format_time(mean(*pair.two)),
                    difference(mean(*pair.one), mean(*pair.two))});
  report::Columns<FigureRow> columns;
  columns.show("", &FigureRow::label)
      .show_number(report::fit(printable(one.cluster_name), 22), &FigureRow::one)
      .show_number(report::fit(printable(two.cluster_name), 22), &FigureRow::two)
      .show_number("difference", &FigureRow::difference);
  answer.table("", rows, columns);
}

/// "of the +3.2 ms, exposed communication is +2.1 ms, idle +1.1 ms"
std::string parts_sentence(const analysis::Breakdown& a, const analysis::Breakdown& b) {
  std::array<std::pair<const char*, Time>, 4> parts = {
      {{"compute", b.compute - a.compute},
       {"exposed communication", b.comm_only - a.comm_only},
       {"exposed memory", b.memory_only - a.memory_only},
       {"idle", b.idle - a.idle}}};
  std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) {
    return magnitude(x.second) > magnitude(y.second);
  });
  std::string text;
  for (const auto& [name, change] : parts) {
    if (change.count() != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, signed_time(change));
  }
  return text;
}

/// The operation that changed most, and those that did not change. A receive mostly waits, so
/// sends represent both.
void explain_operations(Answer& answer, const Outcome& one, const Outcome& two) {
  std::vector<Pair> pairs = pairs_of(one, two);
  std::erase_if(pairs, [](const Pair& pair) { return pair.one->type == "recv"; });
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
    return magnitude(x.growth()) > magnitude(y.growth());
  });
  std::string unchanged;
  for (const Pair& pair : pairs) {
    if (pair.growth().count() == 0) unchanged += (unchanged.empty() ? "" : ", ") + pair.label();
  }
  if (!pairs.empty() && pairs.front().growth().count() != 0) {
    const Pair& most = pairs.front();
    const double before = seconds(mean(*most.one)), after = seconds(mean(*most.two));
    answer.line(
        "why", fmt::format("{} lasts {} instead of {}{}{}", most.label(),
                           format_time(mean(*most.two)), format_time(mean(*most.one)),
                           before > 0 ? fmt::format(" ({:.3g} times as long)", after / before) : "",
                           unchanged.empty() ? "" : "; no change in " + unchanged));
  }
}

/// The narrowest dimension of each.
void explain_network(Answer& answer, const platform::Platform& one, const platform::Platform& two) {
  const auto narrowest = [](const platform::Platform& platform) {
    return std::min_element(platform.dims.begin(), platform.dims.end(),
                            [](const auto& a, const auto& b) { return a.bandwidth < b.bandwidth; });
  };
  if (one.dims.empty() || two.dims.empty()) return;
  const auto a = narrowest(one), b = narrowest(two);
  if (a->bandwidth == b->bandwidth) return;
  answer.line("", fmt::format("the slowest link has {} in the second, {} in the first",
                              format_bandwidth(b->bandwidth), format_bandwidth(a->bandwidth)));
}

void explain(Answer& answer, const Outcome& one, const Outcome& two, const analysis::Digest& first,
             const analysis::Digest& second) {
  const analysis::Breakdown &a = first.step, &b = second.step;
  if (a.step == b.step) {
    answer.line("why", "both steps have the same duration");
    return;
  }
  const bool slower = b.step > a.step;
  const double factor =
      slower ? seconds(b.step) / seconds(a.step) : seconds(a.step) / seconds(b.step);
  answer.line("difference", fmt::format("the second is {:.3g} times {}; per rank: {}", factor,
                                        slower ? "slower" : "faster", parts_sentence(a, b)));
  explain_operations(answer, one, two);
  explain_network(answer, one.platform(), two.platform());
  if (!first.path || !second.path) return;
  answer.line("critical path",
              fmt::format("compute {} → {}, communication {} → {}",
                          format_time(first.path->compute), format_time(second.path->compute),
                          format_time(first.path->comm), format_time(second.path->comm)));
}

}  // namespace

void state_demo(Answer& answer, const Outcome& one, const Outcome& two) {
  const analysis::Digest first = digest(one), second = digest(two);
  answer.first(
      "A training step of a Llama-like model, 8 layers, on 8 ranks (data parallel 2,\n"
      "tensor parallel 2, pipeline parallel 2): the same trace on two modeled clusters.");
  state_figures(answer, one, two, first.step, second.step);
  explain(answer, one, two, first, second);
  answer.line("models", report::models_text(second));
}

void state_recorded_demo(Answer& answer, const RecordedDemo& demo, const std::string& shown,
                         const std::string& program) {
  answer.block(fmt::format(
      "Two steps of a small transformer on two ranks, recorded with PyTorch (DDP over\n"
      "gloo, on the CPU): {} of {} operators linked with the execution traces,\n"
      "{} collectives matched across the ranks.\n\n"
      "recorded       {}\n"
      "simulated      {} on two hosts with 10 Gb/s between them; operators\n"
      "               have their recorded times\n\n"
      "Try your own traces:\n"
      "  {} trace info {}\n"
      "  {} trace convert --traces {} -o ddp\n",
      count(demo.linked), count(demo.nodes), count(demo.matched), format_time(demo.recorded),
      format_time(demo.outcome.result.end), program, shell_word(shown + "/rank0.kineto.json.gz"),
      program, shell_word(shown + "/*.json.gz")));
}

}  // namespace orrery::present
