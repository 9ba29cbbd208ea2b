// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/results/critical_path_answer.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <vector>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using report::Align;
using report::Value;
using result::PathCause;
using result::PathSegment;
using result::Run;
using result::SpanKind;

namespace {

/// 0 when there is no step.
Value share_of_step(const Run& run, Time part) {
  return report::Share{run.step.count() > 0 ? seconds(part) / seconds(run.step) : 0.0};
}

/// Null where the path has no node.
const result::Span* span_of(const Run& run, const PathSegment& segment) {
  return segment.span == result::kNone ? nullptr : &run.timeline(segment.rank).spans[segment.span];
}

report::Columns<PathSegment> segment_columns(const Run& run) {
  // A figure of the segment's node.
  const auto of_span = [&run](const auto& value) {
    return [&run, value](const PathSegment& segment) {
      const result::Span* span = span_of(run, segment);
      return span != nullptr ? Value(value(*span)) : Value();
    };
  };
  report::Columns<PathSegment> columns;
  columns.add("start", "start_ns", &PathSegment::start)
      .field("end_ns", &PathSegment::end)
      .add("length", "", [](const auto& segment) { return segment.end - segment.start; })
      .add("share", "",
           [&](const auto& segment) { return share_of_step(run, segment.end - segment.start); })
      .add("cause", "cause", [](const auto& segment) { return name(segment.cause); })
      .field("released_by", [](const auto& segment) { return name(segment.release); })
      .add("rank", "rank", [](const auto& segment) { return id_value(segment.rank); })
      .add("node", "node", of_span([](const result::Span& span) { return id_value(span.node); }))
      .omit_null()
      .align(Align::right)
      .add("kind", "kind", of_span([](const result::Span& span) { return name(span.kind); }))
      .omit_null()
      .add("name", "name", of_span([&run](const result::Span& span) {
             const std::string& name = run.names[span.name];
             return Value(name).shown(name.empty() ? fmt::format("node {}", span.node)
                                                   : printable(name));
           }))
      .omit_null();
  return columns;
}

void state_causes(report::Answer& answer, const Run& run, const analysis::PathSummary& path) {
  constexpr std::array<const char*, result::kPathCauses> meaning = {
      "a node computes or accesses memory", "bytes cross links",
      "latency of hops and endpoints",      "waiting for a busy lane, link or memory",
      "waiting for an unidentified peer",   "no recorded cause"};
  std::vector<PathCause> causes;
  answer.object("time_by_cause_ns", [&] {
    for (std::size_t i = 0; i < result::kPathCauses; ++i) {
      const auto cause = static_cast<PathCause>(i);
      answer.field(name(cause), path.by_cause[i]);
      if (path.by_cause[i].count() != 0) causes.push_back(cause);
    }
  });
  answer.object("time_by_kind_ns", [&] {
    for (std::size_t i = 0; i < result::kSpanKinds; ++i)
      answer.field(name(static_cast<SpanKind>(i)), path.by_kind[i]);
  });
  const auto time = [&](PathCause cause) { return path.by_cause[static_cast<std::size_t>(cause)]; };
  report::Columns<PathCause> columns;
  columns.add("cause", "", [](PathCause cause) { return name(cause); })
      .add("share", "", [&](PathCause cause) { return share_of_step(run, time(cause)); })
      .add("time", "", time)
      .add("meaning", "",
           [&](PathCause cause) { return meaning[static_cast<std::size_t>(cause)]; });
  answer.table("", causes, columns);
}

}  // namespace

void state_critical_path(report::Answer& answer, const Run& run, bool all) {
  const analysis::PathSummary path = analysis::summarize_path(run, 12);
  const Time end = run.path.empty() ? Time{} : run.path.back().end;
  answer.first(fmt::format(
      "{} {} in {}, on {} of {} ranks{}", answer.style().strong("critical path"), format_time(end),
      plural(run.path.size(), "segment"), count(path.ranks), count(run.ranks.size()),
      run.stalled ? "; the run stalled: path to the last node that finished" : ""));
  answer.field("step_ns", run.step).field("stalled", run.stalled);
  answer.field("segments", run.path.size()).field("ranks", path.ranks);
  state_causes(answer, run, path);
  const auto columns = segment_columns(run);
  if (!run.path.empty())
    answer.heading(
        answer.style().strong(all ? "the complete path in time order" : "the longest segments"));
  std::vector<std::reference_wrapper<const PathSegment>> longest;
  for (const std::uint32_t i : path.longest) longest.emplace_back(run.path[i]);
  if (!all || answer.is_json()) answer.table("longest", longest, columns);
  if (all) answer.table("path", run.path, columns);
  if (!all && path.longest.size() < run.path.size())
    answer.note(fmt::format("and {} more (--all)", count(run.path.size() - path.longest.size())));
  if (answer.is_json()) answer.findings(run.findings);
}

}  // namespace orrery::present
