// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/columns/run_views.h"

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/core/text/suggest.h"
#include "orrery/result/run_file/row_values.h"
#include "orrery/result/run_file/run_tables.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

std::optional<std::int64_t> reference(std::uint32_t number, std::uint64_t base = 0) {
  if (number == kNone) return std::nullopt;
  return signed_bits(base + number);
}

/// Collects a view, a column at a time. `each(visit)` calls visit(row) for every row.
class ViewColumns {
 public:
  explicit ViewColumns(std::string_view name) : declared_(find(name)) { table_.name = name; }

  /// `value(row)`: a number, or an empty optional.
  template <class Each, class Value>
  void integers(const Each& each, const Value& value) {
    DataColumn& column = begin(ColumnType::integer);
    each([&](const auto& row) {
      const std::optional<std::int64_t> here = value(row);
      put_valid(column, column.integers.size(), here.has_value());
      column.integers.push_back(here.value_or(0));
    });
    end(column.integers.size());
  }
  /// `value(row)`: a text, or an empty optional.
  template <class Each, class Value>
  void texts(const Each& each, const Value& value) {
    DataColumn& column = begin(ColumnType::text);
    column.offsets.push_back(0);
    each([&](const auto& row) {
      const auto here = value(row);
      put_valid(column, column.offsets.size() - 1, here.has_value());
      if (here) column.texts += *here;
      column.offsets.push_back(static_cast<std::int64_t>(column.texts.size()));
    });
    end(column.offsets.size() - 1);
  }
  [[nodiscard]] DataTable finish() {
    ORRERY_CHECK(table_.columns.size() == declared_.columns.size());
    return std::move(table_);
  }

 private:
  static const View& find(std::string_view name) {
    return *std::find_if(views().begin(), views().end(),
                         [&](const View& view) { return view.name == name; });
  }
  DataColumn& begin(ColumnType type) {
    DataColumn& column = table_.columns.emplace_back();
    column.name = declared_.columns[table_.columns.size() - 1].name;
    column.type = type;
    column.may_be_null = true;
    return column;
  }
  static void put_valid(DataColumn& column, std::size_t row, bool valid) {
    if (row % 8 == 0) column.valid.push_back(0);
    if (valid)
      column.valid.back() |= static_cast<std::uint8_t>(1u << row % 8);
    else
      ++column.nulls;
  }
  void end(std::size_t rows) {
    ORRERY_CHECK(table_.columns.size() == 1 || static_cast<std::int64_t>(rows) == table_.rows);
    table_.rows = static_cast<std::int64_t>(rows);
  }

  const View& declared_;
  DataTable table_;
};

using Text = std::optional<std::string_view>;

/// A span at one of its ranks.
struct Event {
  std::uint32_t rank;
  std::uint32_t number;  ///< of the span in its timeline
  const Span& span;
};

/// The rows of the view `event`.
class Events {
 public:
  Events(const Run& run, std::optional<std::uint32_t> rank)
      : run_(run), offsets_(run), rank_(rank) {}

  template <class Visit>
  void operator()(const Visit& visit) const {
    const std::uint32_t begin = rank_.value_or(0);
    const auto end = rank_ ? begin + 1 : static_cast<std::uint32_t>(run_.ranks.size());
    for (std::uint32_t rank = begin; rank < end; ++rank) {
      const std::vector<Span>& spans = run_.timeline(rank).spans;
      for (std::uint32_t i = 0; i < spans.size(); ++i) visit(Event{rank, i, spans[i]});
    }
  }

  [[nodiscard]] std::uint64_t first(std::uint32_t rank) const {
    return offsets_.spans[run_.ranks[rank].timeline];
  }
  /// The group of a collective; null: the span is none.
  [[nodiscard]] const Group* group(const Event& at) const {
    if (at.span.group == kNone) return nullptr;
    return &run_.groups[run_.ranks[at.rank].groups[at.span.group]];
  }
  [[nodiscard]] std::optional<std::string> lane(const Event& at) const {
    const Lane& lane = run_.timeline(at.rank).lanes[at.span.lane];
    std::string text(name(lane.kind));
    if (lane.kind == LaneKind::communicator) {
      text = lane.group == kNone ? "" : run_.groups[run_.ranks[at.rank].groups[lane.group]].name;
      if (text.empty()) text = "all ranks";
    } else if (lane.kind == LaneKind::sends) {
      if (lane.distance == kNone) return std::nullopt;
      text = "to rank " + std::to_string(run_.peer(at.rank, lane.distance));
    }
    if (lane.layer > 0) text += " " + std::to_string(lane.layer + 1);
    return text;
  }
  [[nodiscard]] std::optional<std::int64_t> peer_span(const Event& at) const {
    if (at.span.distance == kNone) return std::nullopt;
    return reference(at.span.peer_span, first(run_.peer(at.rank, at.span.distance)));
  }

 private:
  const Run& run_;
  RowOffsets offsets_;
  std::optional<std::uint32_t> rank_;
};

DataTable event_table(const Run& run, std::optional<std::uint32_t> rank) {
  const Events events(run, rank);
  ViewColumns view("event");
  const auto time = [&](const auto& of) {
    view.integers(events, [&](const Event& at) { return of(at.span).count(); });
  };
  view.integers(events, [](const Event& at) { return std::int64_t{at.rank}; });
  view.integers(events,
                [&](const Event& at) { return signed_bits(events.first(at.rank) + at.number); });
  view.integers(events, [](const Event& at) { return signed_bits(at.span.node); });
  view.texts(events, [&](const Event& at) { return Text(run.names[at.span.name]); });
  view.texts(events, [](const Event& at) { return Text(name(at.span.kind)); });
  view.texts(events, [&](const Event& at) { return events.lane(at); });
  time([](const Span& span) { return span.start; });
  time([](const Span& span) { return span.end; });
  time([](const Span& span) { return span.end - span.start; });
  time([](const Span& span) { return span.wait; });
  time([](const Span& span) { return span.queue; });
  time([](const Span& span) { return span.latency; });
  time([](const Span& span) { return span.rest(); });
  view.integers(events, [](const Event& at) {
    return at.span.slack ? std::optional(at.span.slack->count()) : std::nullopt;
  });
  view.integers(events, [](const Event& at) { return std::int64_t{at.span.critical}; });
  view.texts(events, [](const Event& at) { return Text(name(at.span.model)); });
  view.texts(events, [](const Event& at) { return Text(name(at.span.release)); });
  view.texts(events, [](const Event& at) { return Text(name(at.span.reason)); });
  view.integers(events, [&](const Event& at) {
    return reference(at.span.released_by, events.first(at.rank));
  });
  view.integers(events, [](const Event& at) { return at.span.bytes.count(); });
  view.integers(events, [](const Event& at) { return at.span.flops; });
  view.texts(events, [&](const Event& at) {
    const Group* group = events.group(at);
    return group != nullptr ? Text(group->name) : std::nullopt;
  });
  view.integers(events, [&](const Event& at) {
    const Group* group = events.group(at);
    return group != nullptr ? std::optional(std::int64_t{group->first} + at.span.sequence)
                            : std::nullopt;
  });
  view.integers(events, [&](const Event& at) {
    return at.span.distance == kNone ? std::nullopt
                                     : reference(run.peer(at.rank, at.span.distance));
  });
  view.integers(events, [&](const Event& at) { return events.peer_span(at); });
  return view.finish();
}

DataTable path_table(const Run& run, std::optional<std::uint32_t> rank) {
  const RowOffsets offsets(run);
  ViewColumns view("critical_path");
  const auto segments = [&](const auto& visit) {
    for (const PathSegment& segment : run.path)
      if (!rank || segment.rank == *rank) visit(segment);
  };
  const auto span_of = [&](const PathSegment& at) -> const Span* {
    return at.span == kNone ? nullptr : &run.timeline(at.rank).spans[at.span];
  };
  view.integers(segments,
                [&](const PathSegment& at) { return std::int64_t{&at - run.path.data()}; });
  view.integers(segments, [](const PathSegment& at) { return std::int64_t{at.rank}; });
  view.integers(segments, [](const PathSegment& at) { return at.start.count(); });
  view.integers(segments, [](const PathSegment& at) { return at.end.count(); });
  view.integers(segments, [](const PathSegment& at) { return (at.end - at.start).count(); });
  view.texts(segments, [](const PathSegment& at) { return Text(name(at.cause)); });
  view.texts(segments, [](const PathSegment& at) { return Text(name(at.release)); });
  view.integers(segments, [&](const PathSegment& at) {
    return reference(at.span, offsets.spans[run.ranks[at.rank].timeline]);
  });
  view.integers(segments, [&](const PathSegment& at) {
    const Span* span = span_of(at);
    return span != nullptr ? std::optional(signed_bits(span->node)) : std::nullopt;
  });
  view.texts(segments, [&](const PathSegment& at) {
    const Span* span = span_of(at);
    return span != nullptr ? Text(name(span->kind)) : std::nullopt;
  });
  view.texts(segments, [&](const PathSegment& at) {
    const Span* span = span_of(at);
    return span != nullptr ? Text(run.names[span->name]) : std::nullopt;
  });
  return view.finish();
}

}  // namespace

std::vector<std::string_view> run_view_names() { return {"event", "critical_path"}; }

Result<DataTable> run_view(const Run& run, std::string_view name,
                           std::optional<std::uint32_t> rank) {
  const auto names = run_view_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return fail(Errc::usage, std::string(name), "a run has no such view",
                did_you_mean(name, names));
  if (rank && *rank >= run.ranks.size())
    return fail(Errc::usage, std::string(name), "the run has no rank " + std::to_string(*rank),
                "the run has " + std::to_string(run.ranks.size()) + " ranks, numbered from 0");
  return name == "event" ? event_table(run, rank) : path_table(run, rank);
}

}  // namespace orrery::result
