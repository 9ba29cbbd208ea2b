// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/workload_to_chakra.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <vector>

#include "orrery/core/check.h"
#include "orrery/core/findings.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/io/trace_prefix.h"

namespace orrery::study {
namespace {

/// Adds durations in picoseconds if whole microseconds cannot express them.
trace::chakra::TraceRecords exact_records(const graph::Graph& graph) {
  Findings rounded;
  auto records = trace::chakra::records_of(graph, rounded);
  for (graph::NodeId n = 0; n < graph.size(); ++n)
    if (graph.duration(n).count() % kPsPerUs != 0)
      records.nodes[n].attributes.push_back(
          trace::chakra::attribute_int64("duration_ps", graph.duration(n).count()));
  return records;
}

std::string groups_text(const graph::Workload& workload, std::uint64_t& count) {
  std::string text = "{";
  for (const auto& [name, group] : workload.groups) {
    if (group.ranks.empty()) continue;
    text += count == 0 ? "\n" : ",\n";
    append_json_text(text, name);
    text += fmt::format(": [{}]", fmt::join(group.ranks, ", "));
    ++count;
  }
  return text + "\n}\n";
}

Result<void> write_all_of(const graph::Workload& workload, const std::string& prefix, bool force,
                          WorkloadWriteReport& written, std::vector<std::string>& made) {
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::string path = fmt::format("{}.{}.et", prefix, rank);
    const graph::Graph& graph = workload.graph(rank);
    const FilePlacement how{.force = force, .skip_sync = workload.rank_count() > 1};
    if (auto done = trace::chakra::write_records(path, exact_records(graph), how); !done)
      return done;
    made.push_back(path);
    ++written.ranks;
    written.nodes += graph.size();
  }
  const std::string groups = groups_text(workload, written.groups);
  if (written.groups == 0) return {};
  return write_file_atomically(prefix + ".json", groups, {.force = force});
}

}  // namespace

Result<WorkloadWriteReport> write_chakra_workload(const graph::Workload& workload,
                                                  const std::string& prefix, bool force) {
  ORRERY_CHECK(workload.axes.empty());
  if (auto is_free = trace::check_prefix_unused(prefix, force); !is_free)
    return tl::unexpected(is_free.error());
  const std::string next = fmt::format("{}.{}.et", prefix, workload.rank_count());
  if (::access(next.c_str(), F_OK) == 0)
    return fail(
        Errc::output_exists, next,
        fmt::format("belongs to a larger job than this one of {} ranks", workload.rank_count()),
        "remove its traces or choose another name");
  WorkloadWriteReport written;
  std::vector<std::string> made;
  const auto done = write_all_of(workload, prefix, force, written, made);
  if (done) return written;
  for (const std::string& path : made) ::unlink(path.c_str());
  return tl::unexpected(done.error());
}

}  // namespace orrery::study
