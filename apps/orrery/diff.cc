// SPDX-License-Identifier: Apache-2.0
//
// orrery diff: what is new, gone or slower in the second of two traces.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/intake/formats/graph_inspection.h"
#include "orrery/profile/difference.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "recorded.h"
#include "words.h"

namespace orrery::app {

namespace {

using profile::Breakdown;
using profile::Change;
using profile::Difference;

constexpr std::size_t kChangesShown = 12;

Result<profile::Inspection> read(const std::string& path, Findings& findings) {
  if (!study::are_recorded({path})) return intake::inspect_chakra(path, findings);
  intake::JobOptions job;
  job.traces = {path};
  std::optional<profile::Inspection> first;
  const auto done = intake::for_each_rank(
      job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        findings.merge(rank.findings);
        if (!first) first = profile::inspect(rank.profile);
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  return *std::move(first);
}

std::string ratio(Time a, Time b) {
  return a.count() <= 0 ? "-"
                        : fmt::format("{:.2f}x", static_cast<double>(b.count()) /
                                                     static_cast<double>(a.count()));
}

std::string breakdown_table(const Difference& d, report::Style style) {
  report::Table table({{d.per_iteration ? "mean iteration" : "whole trace"},
                       {"first", true},
                       {"second", true},
                       {"difference", true},
                       {"ratio", true}});
  const auto row = [&](const char* title, Time Breakdown::*member) {
    const Time a = d.a.*member, b = d.b.*member;
    table.row({title, format_time(a), format_time(b), signed_time(b - a), ratio(a, b)});
  };
  row("length", &Breakdown::length);
  row("compute", &Breakdown::compute_only);
  row("overlapped", &Breakdown::overlapped);
  row("exposed comm", &Breakdown::comm_only);
  row("copies", &Breakdown::copy_only);
  row("idle", &Breakdown::idle);
  row("host-bound", &Breakdown::host_bound);
  return table.text(style);
}

std::string changes_table(std::string title, const std::vector<Change>& changes,
                          report::Style style) {
  if (changes.empty()) return "";
  report::Table table({{std::move(title)},
                       {"kind"},
                       {"count", true},
                       {"first", true},
                       {"second", true},
                       {"difference", true}});
  for (std::size_t i = 0; i < changes.size() && i < kChangesShown; ++i) {
    const Change& c = changes[i];
    const std::string counts = c.count_a == c.count_b
                                   ? fmt::format("{:.4g}", c.count_a)
                                   : fmt::format("{:.4g}→{:.4g}", c.count_a, c.count_b);
    table.row({report::fit(printable(c.name), 26), std::string(name(c.kind)), counts,
               format_time(c.time_a), format_time(c.time_b), signed_time(c.difference())});
  }
  std::string text = "\n" + table.text(style);
  if (changes.size() > kChangesShown)
    text += fmt::format("and {} more (--json)\n", changes.size() - kChangesShown);
  return text;
}

void write_changes(report::JsonWriter& json, std::string_view key,
                   const std::vector<Change>& changes) {
  json.key(key).begin_array();
  for (const Change& c : changes) {
    json.begin_object().field("name", std::string_view(c.name)).field("kind", name(c.kind));
    json.field("count_first", c.count_a).field("count_second", c.count_b);
    json.nanoseconds("first", c.time_a).nanoseconds("second", c.time_b).end_object();
  }
  json.end_array();
}

int diff(const std::vector<std::string>& paths, Session& session) {
  if (paths.size() != 2)
    return session.fail({Errc::usage, "", "needs two traces", "orrery diff FIRST SECOND"});
  Findings findings;
  const auto a = read(paths[0], findings);
  if (!a) return session.fail(a.error(), findings);
  const auto b = read(paths[1], findings);
  if (!b) return session.fail(b.error(), findings);
  const Difference d = profile::difference(*a, *b);
  const report::Style style = session.out_style();
  std::string text = breakdown_table(d, style);
  text += changes_table("slower or faster", d.changed, style);
  text += changes_table("new", d.added, style) + changes_table("gone", d.gone, style);
  text += fmt::format("\n{} name{} the same count and time in both\n", d.same,
                      d.same == 1 ? " has" : "s have");
  return session.deliver(text, [&] {
    std::string out;
    report::JsonWriter json(out);
    report::begin_envelope(json, "diff");
    json.begin_object().field("per_iteration", d.per_iteration).field("same", d.same);
    write_changes(json, "changed", d.changed);
    write_changes(json, "added", d.added);
    write_changes(json, "gone", d.gone);
    json.end_object();
    report::end_envelope(json, findings);
    return out + '\n';
  });
}

}  // namespace

void add_diff(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("diff", "Say what is new, gone or slower in a trace");
  command->description(
      "Say what is new, gone or slower in the second of two traces of one rank.\n"
      "Recorded traces or Chakra traces; per iteration where both have iterations.\n\n"
      "Examples:\n"
      "  orrery diff before.json.gz after.json.gz\n"
      "  orrery diff before.0.et after.0.et --json\n");
  const auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("TRACES", *paths, "The first and the second")->type_name("");
  session.add_options(*command, true);
  command->callback([paths, &session] {
    session.command = "diff";
    session.action = [paths, &session] { return diff(*paths, session); };
  });
}

}  // namespace orrery::app
