// SPDX-License-Identifier: Apache-2.0
//
// orrery critical-path: what the length of the step hangs on.
#include "orrery/analysis/critical_path.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "orrery/core/units.h"
#include "orrery/report/envelope.h"
#include "orrery/result/run_file.h"
#include "run_summary.h"
#include "words.h"

namespace orrery::app {

using report::JsonWriter;
using report::percent;
using result::PathCause;
using result::PathSegment;
using result::Run;
using result::SpanKind;

namespace {

constexpr std::size_t kLongest = 12;

const result::Span* span_of(const Run& run, const PathSegment& segment) {
  return segment.span == result::kNone ? nullptr : &run.timeline(segment.rank).spans[segment.span];
}

void add_segment(report::Table& table, const Run& run, const PathSegment& segment) {
  const result::Span* span = span_of(run, segment);
  const Time length = segment.end - segment.start;
  table.row({format_time(segment.start), format_time(length), percent(share_of_step(run, length)),
             std::string(name(segment.cause)), fmt::format("{}", segment.rank),
             span != nullptr ? fmt::format("{}", span->node) : "-",
             span != nullptr ? std::string(name(span->kind)) : "-",
             label_of(run, segment.rank, segment.span)});
}

std::string path_text(const Run& run, const analysis::PathSummary& path, bool all,
                      report::Style style) {
  const Time end = run.path.empty() ? Time{} : run.path.back().end;
  std::string text =
      fmt::format("{} {} in {} segment{}, on {} of {} ranks{}\n\n", style.strong("critical path"),
                  format_time(end), count(run.path.size()), run.path.size() == 1 ? "" : "s",
                  count(path.ranks), count(run.ranks.size()),
                  run.stalled ? "; the run stalled: to the end of the last that ended" : "");
  report::Table causes({{"cause"}, {"share", true}, {"time", true}, {"what happens there"}});
  constexpr std::array<const char*, result::kPathCauses> meaning = {
      "a node computes or accesses memory",
      "bytes cross links",
      "hops and end points",
      "something needed is busy: a lane, a link, a memory",
      "waiting for a peer that the path cannot name",
      "nothing recorded explains it"};
  for (std::size_t i = 0; i < result::kPathCauses; ++i) {
    if (path.by_cause[i].count() == 0) continue;
    causes.row({std::string(name(static_cast<PathCause>(i))),
                percent(share_of_step(run, path.by_cause[i])), format_time(path.by_cause[i]),
                meaning[i]});
  }
  text += causes.text(style) + '\n';
  text += style.strong(all ? "all of it, from the beginning" : "the longest segments") + "\n";
  report::Table table({{"start", true},
                       {"length", true},
                       {"share", true},
                       {"cause"},
                       {"rank", true},
                       {"node", true},
                       {"kind"},
                       {"name"}});
  if (all) {
    for (const PathSegment& segment : run.path) add_segment(table, run, segment);
  } else {
    for (const std::uint32_t index : path.longest) add_segment(table, run, run.path[index]);
  }
  text += table.text(style);
  if (!all && path.longest.size() < run.path.size()) {
    text += fmt::format("and {} more (--all)\n", count(run.path.size() - path.longest.size()));
  }
  return text;
}

void write_segment(JsonWriter& json, const Run& run, const PathSegment& segment) {
  json.begin_object().field("start_ps", segment.start.count()).field("end_ps", segment.end.count());
  json.field("cause", name(segment.cause)).field("by", name(segment.release));
  json.field("rank", segment.rank);
  if (const result::Span* span = span_of(run, segment)) {
    json.field("node", span->node).field("kind", name(span->kind));
    json.field("name", run.names[span->name]);
  }
  json.end_object();
}

std::string path_json(const Run& run, const analysis::PathSummary& path, bool all) {
  std::string text;
  JsonWriter json(text);
  report::begin_envelope(json, "critical-path");
  json.begin_object().field("step_ps", run.step.count()).field("stalled", run.stalled);
  json.field("segments", run.path.size()).field("ranks_visited", path.ranks);
  json.key("by_cause_ps").begin_object();
  for (std::size_t i = 0; i < result::kPathCauses; ++i)
    json.field(name(static_cast<PathCause>(i)), path.by_cause[i].count());
  json.end_object().key("by_kind_ps").begin_object();
  for (std::size_t i = 0; i < result::kSpanKinds; ++i)
    json.field(name(static_cast<SpanKind>(i)), path.by_kind[i].count());
  json.end_object().key("longest").begin_array();
  for (const std::uint32_t index : path.longest) write_segment(json, run, run.path[index]);
  json.end_array();
  if (all) {
    json.key("path").begin_array();
    for (const PathSegment& segment : run.path) write_segment(json, run, segment);
    json.end_array();
  }
  json.end_object();
  report::end_envelope(json, run.findings);
  return text + '\n';
}

int critical_path(const std::string& file, bool all, Session& session) {
  const auto run = result::read_run(file);
  if (!run) return session.fail(run.error());
  const analysis::PathSummary path = analysis::summarize_path(*run, kLongest);
  return session.deliver(path_text(*run, path, all, session.out_style()),
                         [&] { return path_json(*run, path, all); });
}

}  // namespace

void add_critical_path(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("critical-path", "Say what the step's length hangs on");
  command->description(
      "Say what the length of the step hangs on.\n"
      "The chain of work, transfers and waits, across ranks, that leads to the end of the slowest\n"
      "one. Every picosecond of the step is on it.\n\n"
      "Examples:\n"
      "  orrery critical-path step.orrery\n"
      "  orrery critical-path step.orrery --all --json\n");
  const auto file = std::make_shared<std::string>();
  const auto all = std::make_shared<bool>(false);
  command->add_option("RUN", *file, "A run file ('orrery run ... -o RUN.orrery')")
      ->required()
      ->type_name("");
  command->add_flag("--all", *all, "Every segment in order of time, not only the longest");
  session.add_options(*command, true);
  command->callback([file, all, &session] {
    session.command = "critical-path";
    session.action = [file, all, &session] { return critical_path(*file, *all, session); };
  });
}

}  // namespace orrery::app
