// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/critical_path_text.h"

#include <fmt/format.h>

#include <array>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using report::percent;
using result::PathCause;
using result::PathSegment;
using result::Run;
using result::SpanKind;

namespace {

/// part / step, 0 when there is no step.
double share_of_step(const Run& run, Time part) {
  return run.step.count() > 0 ? seconds(part) / seconds(run.step) : 0.0;
}

/// The name of a span, or "node 17" where it has none, or "-" where the file does not hold it.
std::string label_of(const Run& run, std::uint32_t rank, std::uint32_t span) {
  if (span == result::kNone) return "-";
  const result::Span& one = run.timeline(rank).spans[span];
  const std::string label = printable(run.names[one.name]);
  return label.empty() ? fmt::format("node {}", one.node) : label;
}

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

void write_segment(JsonWriter& json, const Run& run, const PathSegment& segment) {
  json.begin_object().nanoseconds("start", segment.start).nanoseconds("end", segment.end);
  json.field("cause", name(segment.cause)).field("released_by", name(segment.release));
  json.field("rank", segment.rank);
  if (const result::Span* span = span_of(run, segment)) {
    json.field("node", span->node).field("kind", name(span->kind));
    json.field("name", run.names[span->name]);
  }
  json.end_object();
}

}  // namespace

std::string critical_path_text(const Run& run, bool all, report::Style style) {
  const analysis::PathSummary path = analysis::summarize_path(run, kLongest);
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

std::string critical_path_json(const Run& run, bool all) {
  const analysis::PathSummary path = analysis::summarize_path(run, kLongest);
  return report::envelope("critical-path", run.findings, [&](report::JsonWriter& json) {
    json.begin_object().nanoseconds("step", run.step).field("stalled", run.stalled);
    json.field("segments", run.path.size()).field("ranks", path.ranks);
    json.key("time_by_cause_ns").begin_object();
    for (std::size_t i = 0; i < result::kPathCauses; ++i)
      json.key(name(static_cast<PathCause>(i))).nanoseconds(path.by_cause[i]);
    json.end_object().key("time_by_kind_ns").begin_object();
    for (std::size_t i = 0; i < result::kSpanKinds; ++i)
      json.key(name(static_cast<SpanKind>(i))).nanoseconds(path.by_kind[i]);
    json.end_object().key("longest").begin_array();
    for (const std::uint32_t index : path.longest) write_segment(json, run, run.path[index]);
    json.end_array();
    if (all) {
      json.key("path").begin_array();
      for (const PathSegment& segment : run.path) write_segment(json, run, segment);
      json.end_array();
    }
    json.end_object();
  });
}

}  // namespace orrery::present
