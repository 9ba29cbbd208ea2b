// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "orrery/result/run_file.h"
#include "orrery/result/run_file/database_writer.h"
#include "orrery/result/run_file/row_offsets.h"
#include "orrery/result/run_file/row_values.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::result {

namespace {

/// All of a run, table by table.
class Writer {
 public:
  Writer(const Run& run, PageFile& file) : run_(run), firsts_(run), file_(file) {}

  Result<void> write() {
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
    write_path();
    write_findings();
    write_words<SpanKind>("span_kind", kSpanKinds);
    write_words<TimeSource>("model", kTimeSources);
    write_words<Release>("released", kReleases);
    write_words<DependencyKind>("reason", kDependencyKinds);
    for (const View& view : views()) schema_.push_back({"view", view.name, 0, create_sql(view)});
    return finish_database(file_, schema_, kApplicationId, kRunFileVersion);
  }

 private:
  template <class Fill>
  void table(std::string_view name, const Fill& fill) {
    const Table& declared = tables()[schema_.size()];
    ORRERY_CHECK(declared.name == name);
    Rows rows(file_);
    if (!file_.failed()) fill(rows);
    schema_.push_back({"table", name, rows.finish(), create_sql(declared)});
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
    table("name", [&](Rows& rows) {
      for (std::uint32_t i = 0; i < run_.names.size(); ++i) {
        rows.text(run_.names[i]);
        rows.end_row();
      }
    });
    table("dimension", [&](Rows& rows) {
      for (const Dimension& dim : run_.dims) {
        put(rows, dim);
        rows.end_row();
      }
    });
  }

  void write_groups() {
    table("process_group", [&](Rows& rows) {
      for (const Group& group : run_.groups) {
        put(rows, group);
        rows.end_row();
      }
    });
    table("group_member", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.groups.size(); ++i) {
        for (const std::uint32_t rank : run_.groups[i].ranks) {
          rows.integer(signed_bits(i));
          rows.integer(rank);
          rows.end_row();
        }
      }
    });
  }

  void write_timelines() {
    table("timeline", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        const Timeline& line = run_.timelines[i];
        rows.integer(signed_bits(firsts_.spans[i]));
        rows.integer(signed_bits(line.spans.size()));
        put(rows, line.memory.peak);
        put(rows, line.memory.peak_at);
        rows.integer(line.memory.role);
        rows.end_row();
      }
    });
    table("lane", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        for (const Lane& lane : run_.timelines[i].lanes) {
          rows.integer(signed_bits(i));
          rows.text(name(lane.kind));
          put_reference(rows, lane.group);
          put_reference(rows, lane.distance);
          rows.integer(lane.layer);
          rows.integer(lane.number);
          rows.integer(lane.device);
          rows.end_row();
        }
      }
    });
  }

  void write_spans() {
    table("span", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        for (const Span& span : run_.timelines[i].spans) {
          rows.integer(signed_bits(i));
          write_span(rows, span, i);
          rows.end_row();
        }
      }
    });
  }

  void write_span(Rows& rows, const Span& span, std::size_t timeline) {
    rows.integer(signed_bits(span.node));
    rows.integer(span.name);
    rows.integer(static_cast<int>(span.kind));
    rows.integer(signed_bits(firsts_.lanes[timeline] + span.lane));
    put(rows, span.start);
    put(rows, span.end - span.start);
    rows.integer(static_cast<int>(span.model));
    rows.integer(static_cast<int>(span.release));
    rows.integer(static_cast<int>(span.reason));
    put_reference(rows, span.released_by, firsts_.spans[timeline]);
    rows.integer(span.critical ? 1 : 0);
    put(rows, span.slack);
    put(rows, span.bytes);
    rows.integer(span.flops);
    const bool grouped = span.group != kNone;
    if (span.wait == Time{} && span.queue == Time{} && span.latency == Time{} && !grouped &&
        span.distance == kNone && span.peer_span == kNone)
      return;
    put(rows, span.wait);
    put(rows, span.queue);
    put(rows, span.latency);
    put_reference(rows, span.group);
    grouped ? rows.integer(span.sequence) : rows.null();
    if (span.distance == kNone && span.peer_span == kNone) return;
    put_reference(rows, span.distance);
    put_reference(rows, span.peer_span);
  }

  void write_memory() {
    table("memory", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        for (const auto& [at, bytes] : run_.timelines[i].memory.points) {
          rows.integer(signed_bits(i));
          put(rows, at);
          put(rows, bytes);
          rows.end_row();
        }
      }
    });
    table("held_tensor", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
        for (const HeldTensor& tensor : run_.timelines[i].memory.at_peak) {
          rows.integer(signed_bits(i));
          rows.integer(tensor.name);
          put(rows, tensor.size);
          rows.integer(tensor.kind);
          rows.end_row();
        }
      }
    });
  }

  void write_ranks() {
    table("rank", [&](Rows& rows) {
      for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
        const Rank& rank = run_.ranks[i];
        rows.integer(rank.timeline);
        rows.integer(signed_bits(firsts_.groups[i]));
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

  // A span of a rank, counted over the whole file.
  void put_span(Rows& rows, std::uint32_t rank, std::uint32_t span) {
    put_reference(rows, span, firsts_.spans[run_.ranks[rank].timeline]);
  }

  void write_collectives() {
    table("library_collective", [&](Rows& rows) {
      for (const PredictedCollective& each : run_.predicted) {
        put(rows, each);
        rows.end_row();
      }
    });
    table("collective", [&](Rows& rows) {
      for (const Collective& each : run_.collectives) {
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
        rows.end_row();
      }
    });
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

  void write_path() {
    table("path", [&](Rows& rows) {
      for (const PathSegment& segment : run_.path) {
        rows.integer(segment.rank);
        put_span(rows, segment.rank, segment.span);
        rows.text(name(segment.cause));
        rows.text(name(segment.release));
        put(rows, segment.start);
        put(rows, segment.end);
        rows.end_row();
      }
    });
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
    table("finding_place", [&](Rows& rows) {
      for (std::size_t i = 0; i < findings.size(); ++i) {
        for (const std::string& place : findings[i].places) {
          rows.integer(signed_bits(i));
          rows.text(place);
          rows.end_row();
        }
      }
    });
  }

  /// A row for each.
  template <class Rowed>
  void write_all(std::string_view name_of_table, const std::vector<Rowed>& all) {
    table(name_of_table, [&](Rows& rows) {
      for (const Rowed& one : all) {
        put(rows, one);
        rows.end_row();
      }
    });
  }

  template <class Word>
  void write_words(std::string_view name_of_table, std::size_t count) {
    table(name_of_table, [&](Rows& rows) {
      for (std::size_t i = 0; i < count; ++i) {
        rows.text(name(static_cast<Word>(i)));
        rows.end_row();
      }
    });
  }

  const Run& run_;
  RowOffsets firsts_;
  PageFile& file_;
  std::vector<SchemaEntry> schema_;
};

}  // namespace

Result<void> write_run(const Run& run, const std::string& path, bool force) {
  Result<PageFile> file = PageFile::create(path, force);
  if (!file) return tl::unexpected(file.error());
  return Writer(run, *file).write();
}

}  // namespace orrery::result
