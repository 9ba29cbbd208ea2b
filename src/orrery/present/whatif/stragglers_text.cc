// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/stragglers_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::Blame;
using study::StragglerReport;
using study::Suspect;

namespace {

std::string verdict(const StragglerReport& answer) {
  switch (answer.blame) {
    case Blame::none:
      return "nobody: were all alike, hardly anything would be won";
    case Blame::rank:
      return printable(answer.named) + ": slower than its peers, whatever it does";
    case Blame::kernels:
      return printable(answer.named) + ": these kernels alone";
    case Blame::link:
      return printable(answer.named) + ": what it carries takes longer than elsewhere";
    case Blame::once:
      return printable(answer.named) + ", in few steps: it may have been chance";
    case Blame::changing_rank:
      return "the luck of the draw: " + printable(answer.named);
  }
  return "";
}

std::string test_words(const std::optional<study::SlowestTest>& test) {
  if (!test || test->among < 2) return "-";
  const std::string chance = test->p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", test->p);
  return fmt::format("{} of {} ({})", test->slowest, test->of, chance);
}

}  // namespace

std::string stragglers_text(const StragglerReport& answer, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(style.strong(
      printable(fmt::format("{}, {}, {}", answer.workload, plural(answer.ranks, "rank"),
                            plural(static_cast<std::uint64_t>(answer.steps), "step")))));
  if (answer.recorded) sheet.add("recorded", format_time(*answer.recorded));
  sheet.add("played again", format_time(answer.played));
  sheet.add("all alike", fmt::format("{} ({}): work {}, links {}", format_time(answer.levelled_all),
                                     relative_change(answer.played, answer.levelled_all),
                                     relative_change(answer.played, answer.levelled_work),
                                     relative_change(answer.played, answer.levelled_links)));
  sheet.add("who", verdict(answer));
  std::string text = sheet.text();
  if (!answer.suspects.empty()) {
    report::Table table({{"put right"},
                         {"of"},
                         {"above peers", true},
                         {"step becomes", true},
                         {"won", true},
                         {"slowest (chance)", true}});
    for (const Suspect& one : answer.suspects)
      table.row({printable(one.name), std::string(study::name(one.kind)), format_time(one.excess),
                 format_time(one.without), relative_change(answer.played, one.without),
                 test_words(one.test)});
    text += "\n" + table.text(style);
  }
  report::Sheet more(style);
  report::add_findings(more, answer.findings, style);
  const std::string findings = more.text();
  return findings.empty() ? text : text + "\n" + findings;
}

std::string stragglers_json(const StragglerReport& answer) {
  return report::envelope("stragglers", answer.findings, [&](JsonWriter& json) {
    json.begin_object().field("workload_name", std::string_view(answer.workload));
    json.field("ranks", answer.ranks).field("steps", answer.steps);
    if (answer.recorded) json.nanoseconds("recorded", *answer.recorded);
    json.nanoseconds("replayed", answer.played).nanoseconds("equal_work", answer.levelled_work);
    json.nanoseconds("equal_links", answer.levelled_links)
        .nanoseconds("equal_all", answer.levelled_all);
    json.field("blame", study::name(answer.blame)).field("blamed", std::string_view(answer.named));
    json.key("suspects").begin_array();
    for (const Suspect& one : answer.suspects) {
      json.begin_object().field("kind", study::name(one.kind));
      json.field("name", std::string_view(one.name));
      if (one.rank) json.field("rank", *one.rank);
      json.nanoseconds("excess", one.excess).nanoseconds("step_without", one.without);
      json.field("excess_share", one.share);
      if (one.test) {
        json.key("test").begin_object().field("slowest_count", one.test->slowest);
        json.field("trials", one.test->of).field("candidates", one.test->among);
        json.field("p_value", one.test->p).end_object();
      }
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
