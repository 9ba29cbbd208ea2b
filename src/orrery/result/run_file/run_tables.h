// SPDX-License-Identifier: Apache-2.0
//
// Writes a run as rows of the tables that table_schema.h declares, for run files and for columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/core/limits.h"
#include "orrery/result/repetitions/repetitions.h"
#include "orrery/result/run.h"
#include "orrery/result/run_file/row_values.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

/// The first row of each timeline's spans and lanes, and of each rank's groups.
struct RowOffsets {
  std::vector<std::uint64_t> spans, lanes;  ///< by timeline
  std::vector<std::uint64_t> groups;        ///< by rank

  explicit RowOffsets(const Run& run) {
    std::uint64_t span = 0, lane = 0, group = 0;
    for (const Timeline& line : run.timelines) {
      spans.push_back(span);
      lanes.push_back(lane);
      span += line.spans.size();
      lane += line.lanes.size();
    }
    for (const Rank& rank : run.ranks) {
      groups.push_back(group);
      group += rank.groups.size();
    }
  }
};

/// Writes all tables of a run, row by row. A Sink has a type Rows with the member functions of
/// TableBuilder; kTables, tables or stored_tables, which lists them in order; wants(name);
/// begin(table), which returns Rows; is_writable(), false after a write error; and end(table,
/// rows).
template <class Sink>
class RunTables {
 public:
  using Rows = typename Sink::Rows;

  RunTables(const Run& run, Sink& sink) : run_(run), offsets_(run), sink_(sink) {}

  void write() {
    write_run();
    write_names();
    write_groups();
    write_timelines();
    write_spans();
    write_memory();
    write_ranks();
    write_collectives();
    write_links();
    write_remote_memory();
    write_packets();
    write_path();
    write_findings();
    write_enum_names<SpanKind>("span_kind", kSpanKinds);
    write_enum_names<TimeSource>("model", kTimeSources);
    write_enum_names<Release>("released", kReleases);
    write_enum_names<DependencyKind>("reason", kDependencyKinds);
    if constexpr (kInParts) write_repetitions();
  }

 private:
  static constexpr bool kInParts = Sink::kTables == &stored_tables;

  template <class Fill>
  void table(std::string_view name, const Fill& fill) {
    const Table& declared = Sink::kTables()[next_table_++];
    ORRERY_CHECK(declared.name == name);
    if (!sink_.wants(name)) return;
    Rows rows = sink_.begin(declared);
    if (sink_.is_writable()) fill(rows);
    sink_.end(declared, rows);
  }

  void write_run() {
    table("run", [&](Rows& rows) {
      rows.text(name(run_.spans));
      put(rows, run_.step);
      rows.integer(run_.stalled ? 1 : 0);
      rows.integer(signed_bits(run_.ranks.size()));
      rows.text(run_.device);
      rows.real(run_.peak_flops);
      rows.text(run_.peak_precision);
      put(rows, run_.memory_capacity);
      const MemoryNeed need = run_.memory_need.value_or(MemoryNeed{});
      put(rows, need.total);
      put(rows, need.lower);
      put(rows, need.upper);
      const StepWork work = run_.work.value_or(StepWork{});
      rows.integer(signed_bits(work.samples));
      rows.integer(signed_bits(work.tokens));
      rows.real(work.model_flops);
      rows.real(work.hardware_flops);
      put(rows, run_.links.bin);
      rows.integer(signed_bits(run_.messages));
      rows.integer(signed_bits(run_.events));
      rows.end_row();
    });
    table("manifest", [&](Rows& rows) {
      for (const auto& [key, value] : run_.manifest) {
        rows.text(key);
        rows.text(value);
        rows.end_row();
      }
    });
  }

  void write_names() {
    if constexpr (kInParts) {
      write_name_parts();
    } else {
      table("name", [&](Rows& rows) {
        for (std::uint32_t i = 0; i < run_.names.size(); ++i) {
          rows.text(run_.names[i]);
          rows.end_row();
        }
      });
    }
    write_all("dimension", run_.dims);
  }

  void write_name_parts() {
    const std::vector<RowPart> parts = find_parts(run_.names, repeated_rows_);
    const auto name_of = [&](std::uint64_t row) -> std::string_view {
      return run_.names[static_cast<std::uint32_t>(row)];
    };
    table("name_part", [&](Rows& rows) {
      std::uint64_t stored = 0;
      for (const RowPart& part : parts) {
        put_part(rows, part, 0, stored);
        const auto number = [&](std::uint64_t row, std::uint64_t other) {
          return split_at_number(name_of(row), name_of(other)).number;
        };
        const std::uint64_t second = part.first + part.period;
        rows.integer(
            part.repeats(part.first) ? number(second, part.first) - number(part.first, second) : 0);
        rows.end_row();
      }
    });
    table("stored_name", [&](Rows& rows) {
      for (const RowPart& part : parts) {
        for (std::uint64_t row = part.first; row < part.first + part.period; ++row) {
          put_name(rows, name_of(row), part.repeats(row) ? name_of(row + part.period) : "");
          rows.end_row();
        }
      }
    });
  }

  /// `next`: the name one period later; empty: none.
  static void put_name(Rows& rows, std::string_view name, std::string_view next) {
    if (next.empty()) return rows.text(name);
    const NumberedText split = split_at_number(name, next);
    rows.text(split.before);
    rows.integer(split.number);
    if (!split.after.empty()) rows.text(split.after);
  }

  /// `offset`: row of the first of its rows in the table; `stored`: the next stored row.
  void put_part(Rows& rows, const RowPart& part, std::uint64_t offset, std::uint64_t& stored) {
    rows.key(signed_bits(offset + part.first));
    rows.integer(signed_bits(part.rows));
    rows.integer(signed_bits(part.period));
    rows.integer(signed_bits(stored));
    stored += part.period;
    repetitions_ = std::max(repetitions_, part.repetitions());
  }

  void write_repetitions() {
    table("repetition", [&](Rows& rows) {
      for (std::uint64_t i = 0; i < repetitions_; ++i) rows.end_row();
    });
  }

  void write_groups() {
    table("process_group", [&](Rows& rows) {
      std::int64_t first_member = 0;
      for (const Group& group : run_.groups) {
        put(rows, group, first_member);
        rows.end_row();
        first_member += static_cast<std::int64_t>(group.ranks.size());
      }
    });
    write_nested("group_member", run_.groups, &Group::ranks,
                 [](Rows& rows, std::uint32_t rank) { rows.integer(rank); });
  }

  void write_timelines() {
    table("timeline", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        const Timeline& line = run_.timelines[i];
        rows.integer(signed_bits(offsets_.spans[i]));
        rows.integer(signed_bits(line.spans.size()));
        put(rows, line.memory.peak);
        put(rows, line.memory.peak_at);
        rows.integer(line.memory.role);
        rows.end_row();
      }
    });
    write_nested("lane", run_.timelines, &Timeline::lanes, [](Rows& rows, const Lane& lane) {
      rows.text(name(lane.kind));
      put_reference(rows, lane.group);
      put_reference(rows, lane.distance);
      rows.integer(lane.layer);
      rows.integer(lane.number);
      rows.integer(lane.device);
    });
  }

  void write_spans() {
    if constexpr (kInParts) {
      write_span_parts();
    } else {
      table("span", [&](Rows& rows) {
        for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
          for (const Span& span : run_.timelines[i].spans) {
            rows.integer(signed_bits(i));
            put_start(rows, span, i);
            put_waits(rows, span);
            rows.end_row();
          }
        }
      });
    }
  }

  void write_span_parts() {
    std::vector<std::vector<RowPart>> parts;  // by timeline
    table("stored_span", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        const std::vector<Span>& spans = run_.timelines[i].spans;
        for (const RowPart& part : parts.emplace_back(find_parts(spans, repeated_rows_))) {
          for (std::uint64_t row = part.first; row < part.first + part.period; ++row) {
            const Span& span = spans[row];
            put_stored(rows, span, part.repeats(row) ? spans[row + part.period] : span, i);
            rows.end_row();
          }
        }
      }
    });
    table("span_part", [&](Rows& rows) {
      std::uint64_t stored = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const RowPart& part : parts[i]) {
          put_part(rows, part, offsets_.spans[i], stored);
          rows.integer(signed_bits(i));
          const std::vector<Span>& spans = run_.timelines[i].spans;
          const Span& first = spans[part.first];
          const Span& second = part.repeats(part.first) ? spans[part.first + part.period] : first;
          rows.integer(signed_bits(second.node - first.node));
          put(rows, second.start - first.start);
          rows.end_row();
        }
      }
    });
  }

  /// `next`: the span one period later.
  void put_stored(Rows& rows, const Span& span, const Span& next, std::size_t timeline) {
    put_start(rows, span, timeline);
    const auto step = [](std::uint32_t a, std::uint32_t b) { return std::int64_t{b} - a; };
    rows.integer(step(span.name, next.name));
    const std::int64_t sequence = step(span.sequence, next.sequence);
    const std::int64_t peer = step(span.peer_span, next.peer_span);
    const Time slack = span.slack ? *next.slack - *span.slack : Time{};
    const bool steps = sequence != 0 || peer != 0 || slack != Time{};
    put_waits(rows, span, steps);
    if (!steps) return;
    rows.integer(sequence);
    rows.integer(peer);
    put(rows, slack);
  }

  void put_start(Rows& rows, const Span& span, std::size_t timeline) {
    rows.integer(signed_bits(span.node));
    rows.integer(span.name);
    rows.integer(static_cast<int>(span.kind));
    rows.integer(signed_bits(offsets_.lanes[timeline] + span.lane));
    put(rows, span.start);
    put(rows, span.end - span.start);
    rows.integer(static_cast<int>(span.model));
    rows.integer(static_cast<int>(span.release));
    rows.integer(static_cast<int>(span.reason));
    put_reference(rows, span.released_by, offsets_.spans[timeline]);
    rows.integer(span.critical ? 1 : 0);
    put(rows, span.slack);
    put(rows, span.bytes);
    rows.integer(span.flops);
  }

  /// Unless `complete`, leaves out defaults at the end.
  void put_waits(Rows& rows, const Span& span, bool complete = false) {
    const bool grouped = span.group != kNone;
    const bool message = span.distance != kNone || span.peer_span != kNone;
    if (!complete && span.wait == Time{} && span.queue == Time{} && span.latency == Time{} &&
        !grouped && !message)
      return;
    put(rows, span.wait);
    put(rows, span.queue);
    put(rows, span.latency);
    put_reference(rows, span.group);
    grouped ? rows.integer(span.sequence) : rows.null();
    if (!complete && !message) return;
    put_reference(rows, span.distance);
    put_reference(rows, span.peer_span);
  }

  void write_memory() {
    const auto points = [](const Timeline& line) -> const auto& { return line.memory.points; };
    write_nested("memory", run_.timelines, points, [](Rows& rows, const auto& point) {
      put(rows, point.first);
      put(rows, point.second);
    });
    const auto at_peak = [](const Timeline& line) -> const auto& { return line.memory.at_peak; };
    write_nested("held_tensor", run_.timelines, at_peak, [](Rows& rows, const HeldTensor& tensor) {
      rows.integer(tensor.name);
      put(rows, tensor.size);
      rows.integer(tensor.kind);
    });
  }

  void write_ranks() {
    table("rank", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
        const Rank& rank = run_.ranks[i];
        rows.integer(rank.timeline);
        rows.integer(signed_bits(offsets_.groups[i]));
        put(rows, rank.finish);
        for (const Time time : {rank.exposed_comm, rank.compute_only, rank.overlapped, rank.comm,
                                rank.comm_only, rank.memory, rank.memory_only, rank.idle})
          put(rows, time);
        rows.integer(signed_bits(rank.sent_bytes));
        rows.end_row();
      }
    });
    table("rank_group", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
        const std::vector<std::uint32_t>& groups = run_.ranks[i].groups;
        for (std::size_t number = 0; number < groups.size(); ++number) {
          rows.integer(signed_bits(i));
          rows.integer(signed_bits(number));
          rows.integer(groups[number]);
          rows.end_row();
        }
      }
    });
  }

  // The row number of a rank's span.
  void put_span(Rows& rows, std::uint32_t rank, std::uint32_t span) {
    put_reference(rows, span, offsets_.spans[run_.ranks[rank].timeline]);
  }

  void write_collectives() {
    write_all("library_collective", run_.predicted);
    if constexpr (kInParts) {
      write_collective_parts();
    } else {
      table("collective", [&](Rows& rows) {
        for (const Collective& each : run_.collectives) {
          put_collective(rows, each);
          rows.end_row();
        }
      });
    }
  }

  /// Parts do not cross groups.
  void write_collective_parts() {
    std::vector<RowPart> parts;
    const std::vector<Collective>& all = run_.collectives;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end].group == all[begin].group) ++end;
      const auto group = std::span(all).subspan(begin, end - begin);
      for (RowPart part : find_parts(group, repeated_rows_)) {
        part.first += begin;
        parts.push_back(part);
      }
    }
    table("collective_part", [&](Rows& rows) {
      std::uint64_t stored = 0;
      for (const RowPart& part : parts) {
        put_part(rows, part, 0, stored);
        const Collective& first = all[part.first];
        const Collective& second = part.repeats(part.first) ? all[part.first + part.period] : first;
        rows.integer(span_step(part, all, &Collective::last_span));
        put(rows, second.first_start - first.first_start);
        rows.end_row();
      }
    });
    table("stored_collective", [&](Rows& rows) {
      for (const RowPart& part : parts) {
        for (std::uint64_t row = part.first; row < part.first + part.period; ++row) {
          put_collective(rows, all[row]);
          if (part.repeats(row) && all[row + part.period].name != all[row].name)
            rows.integer(std::int64_t{all[row + part.period].name} - all[row].name);
          rows.end_row();
        }
      }
    });
  }

  void put_collective(Rows& rows, const Collective& each) {
    rows.integer(each.group);
    rows.text(each.type);
    rows.integer(each.name);
    put(rows, each.bytes);
    rows.integer(signed_bits(each.sent));
    rows.integer(each.joined ? 1 : 0);
    rows.integer(each.members);
    put(rows, each.first_start);
    put(rows, each.last_start);
    rows.integer(each.last_rank);
    put_span(rows, each.last_rank, each.last_span);
    put(rows, each.end);
    put(rows, each.bound);
    rows.text(each.bound_by);
    put_reference(rows, each.predicted);
  }

  /// The step of spans in a part: that of its first row with a span.
  template <class Row>
  static std::int64_t span_step(const RowPart& part, const std::vector<Row>& all,
                                std::uint32_t Row::*span) {
    for (std::uint64_t row = part.first; row < part.first + part.period && part.repeats(row); ++row)
      if (all[row].*span != kNone)
        return std::int64_t{all[row + part.period].*span} - all[row].*span;
    return 0;
  }

  void write_links() {
    table("link_curve", [&](Rows& rows) {
      std::uint64_t first = 0;
      for (const auto& curve : run_.links.curves) {
        rows.integer(signed_bits(first));
        rows.integer(signed_bits(curve.size()));
        rows.end_row();
        first += curve.size();
      }
    });
    table("link_use", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.links.curves.size(); ++i) {
        for (std::size_t bin = 0; bin < run_.links.curves[i].size(); ++bin) {
          rows.integer(signed_bits(i));
          rows.integer(signed_bits(bin));
          rows.integer(signed_bits(run_.links.curves[i][bin]));
          rows.end_row();
        }
      }
    });
    write_all("fabric_node", run_.fabric);
    write_all("fabric_fault", run_.faults);
    table("link", [&](Rows& rows) {
      for (const Link& link : run_.links.links) {
        put(rows, link, !run_.links.curves.empty());
        rows.end_row();
      }
    });
  }

  void write_remote_memory() {
    const RemoteMemory& memory = run_.remote_memory;
    table("memory_level", [&](Rows& rows) {
      for (const MemoryLevel& level : memory.levels) {
        put(rows, level);
        put(rows, memory.bin);
        rows.integer(signed_bits(level.loads.size()));
        rows.end_row();
      }
    });
    table("memory_level_use", [&](Rows& rows) {
      for (std::size_t i = 0; i < memory.levels.size(); ++i) {
        for (std::size_t bin = 0; bin < memory.levels[i].loads.size(); ++bin) {
          rows.integer(signed_bits(i));
          rows.integer(signed_bits(bin));
          rows.integer(signed_bits(memory.levels[i].loads[bin]));
          rows.integer(signed_bits(memory.levels[i].stores[bin]));
          rows.end_row();
        }
      }
    });
  }

  void write_packets() {
    const PacketRecord none;
    const PacketRecord& packets = run_.packets ? *run_.packets : none;
    const auto put_port = [](Rows& rows, const PortPackets& port) {
      for (const PortPacketColumn& one : kPortPacketColumns)
        rows.integer(signed_bits(port.*one.value));
    };
    table("packet_total", [&](Rows& rows) {
      if (!run_.packets) return;
      for (const PacketTotal& one : kPacketTotals)
        rows.integer(signed_bits(packets.totals.*one.value));
      put(rows, packets.bin);
      rows.integer(signed_bits(packets.messages));
      rows.integer(signed_bits(packets.message_step));
      rows.end_row();
    });
    table("packet_port", [&](Rows& rows) {
      for (const PortPacketSeries& port : packets.ports) {
        rows.integer(port.link);
        put_port(rows, port.total);
        rows.integer(signed_bits(port.bins.size()));
        rows.end_row();
      }
    });
    write_nested("packet_port_use", packets.ports, &PortPacketSeries::bins,
                 [&](Rows& rows, const PortPacketBin& bin) {
                   rows.integer(bin.bin);
                   put_port(rows, bin.packets);
                 });
    write_all("packet_message", packets.message_times);
  }

  void write_path() {
    if constexpr (kInParts) {
      write_path_parts();
    } else {
      table("path", [&](Rows& rows) {
        for (const PathSegment& segment : run_.path) put_segment(rows, segment);
      });
    }
    write_all("error_class", run_.error_classes);
    table("path_basis", [&](Rows& rows) {
      for (std::size_t i = 0; i < kTimeProvenances; ++i) {
        if (run_.time_by_provenance[i] == Time{}) continue;
        rows.text(orrery::name(static_cast<TimeProvenance>(i)));
        put(rows, run_.time_by_provenance[i]);
        rows.end_row();
      }
    });
  }

  void write_path_parts() {
    const std::vector<RowPart> parts = find_parts(run_.path, repeated_rows_);
    table("path_part", [&](Rows& rows) {
      std::uint64_t stored = 0;
      for (const RowPart& part : parts) {
        put_part(rows, part, 0, stored);
        const PathSegment& first = run_.path[part.first];
        const PathSegment& second =
            part.repeats(part.first) ? run_.path[part.first + part.period] : first;
        rows.integer(span_step(part, run_.path, &PathSegment::span));
        put(rows, second.start - first.start);
        rows.end_row();
      }
    });
    table("stored_path", [&](Rows& rows) {
      for (const RowPart& part : parts) {
        for (std::uint64_t row = part.first; row < part.first + part.period; ++row)
          put_segment(rows, run_.path[row]);
      }
    });
  }

  void put_segment(Rows& rows, const PathSegment& segment) {
    rows.integer(segment.rank);
    put_span(rows, segment.rank, segment.span);
    rows.text(name(segment.cause));
    rows.text(name(segment.release));
    put(rows, segment.start);
    put(rows, segment.end);
    rows.end_row();
  }

  void write_findings() {
    const std::vector<Finding> findings = run_.findings.list();
    table("finding", [&](Rows& rows) {
      for (const Finding& finding : findings) {
        const FindingInfo info = describe(finding.code);
        rows.text(info.name);
        rows.text(orrery::name(info.severity));
        rows.integer(signed_bits(finding.count));
        rows.text(info.sentence);
        rows.end_row();
      }
    });
    write_nested("finding_place", findings, &Finding::places,
                 [](Rows& rows, const std::string& place) { rows.text(place); });
  }

  /// Writes one row for each element.
  template <class Rowed>
  void write_all(std::string_view name_of_table, const std::vector<Rowed>& all) {
    table(name_of_table, [&](Rows& rows) {
      for (const Rowed& one : all) {
        put(rows, one);
        rows.end_row();
      }
    });
  }

  /// Writes one row for each item of each element: the number of the element, then the item.
  template <class Element, class Items, class Fill>
  void write_nested(std::string_view name_of_table, const std::vector<Element>& all, Items items_of,
                    const Fill& fill) {
    table(name_of_table, [&](Rows& rows) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (const auto& item : std::invoke(items_of, all[i])) {
          rows.integer(signed_bits(i));
          fill(rows, item);
          rows.end_row();
        }
      }
    });
  }

  template <class Word>
  void write_enum_names(std::string_view name_of_table, std::size_t count) {
    table(name_of_table, [&](Rows& rows) {
      for (std::size_t i = 0; i < count; ++i) {
        rows.text(name(static_cast<Word>(i)));
        rows.end_row();
      }
    });
  }

  const Run& run_;
  RowOffsets offsets_;
  Sink& sink_;
  std::size_t next_table_ = 0;
  std::uint64_t repeated_rows_ = limits::kRunFileRepeatedRows;  ///< that may be left out
  std::uint64_t repetitions_ = 1;                               ///< most of a part
};

}  // namespace orrery::result
