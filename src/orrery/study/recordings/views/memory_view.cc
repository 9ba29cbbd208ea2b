// SPDX-License-Identifier: Apache-2.0
//
// Tensor memory: peaks, a curve, and the operators whose allocations are alive at the peak.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "orrery/profile/inspection/memory_use.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

/// Rows of one pool of memory.
constexpr std::size_t kMostOperators = 200;

std::string pool_name(const profile::MemoryUse& use) {
  if (!use.device) return "host";
  return use.device_id < 0 ? "device" : "device " + std::to_string(use.device_id);
}

report::Value bytes_or_null(std::int64_t bytes) {
  return bytes < 0 ? report::Value() : report::Value(Bytes(bytes));
}

class MemoryView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    for (const profile::MemoryUse& use : profile::memory_use(rank.profile)) {
      const std::string pool = pool_name(use);
      add_pool(rank.files.rank, pool, use);
      for (const profile::MemorySample& sample : use.curve)
        curve_.rows.push_back({rank.files.rank, pool, sample.at, Bytes(sample.allocated),
                               bytes_or_null(sample.reserved)});
      const std::size_t rows = std::min(use.operators.size(), kMostOperators);
      for (std::size_t o = 0; o < rows; ++o) add_operator(rank.files.rank, pool, use.operators[o]);
    }
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View view{.kind = TraceView::memory, .facts = {}, .tables = {}};
    if (!pools_.rows.empty())
      view.facts.push_back(
          {"memory model", "memory_model",
           "not compared: the recording does not describe its job; 'orrery memory' "
           "predicts the memory of a described one"});
    view.tables = {std::move(pools_), std::move(operators_), std::move(curve_)};
    return view;
  }

 private:
  void add_pool(std::uint32_t rank, const std::string& pool, const profile::MemoryUse& use) {
    report::Value unknown;
    if (use.has_totals) unknown = Bytes(use.peak.allocated - use.known_at_peak);
    pools_.rows.push_back(
        {rank, pool, Bytes(use.peak.allocated), use.peak.at,
         bytes_or_null(use.peak_reserved.reserved),
         use.peak_reserved.reserved < 0 ? report::Value() : report::Value(use.peak_reserved.at),
         Bytes(use.first.allocated), Bytes(use.last.allocated), use.allocations,
         Bytes(use.allocated_bytes), use.releases, Bytes(use.known_at_peak), std::move(unknown),
         use.has_totals});
  }

  void add_operator(std::uint32_t rank, const std::string& pool,
                    const profile::OperatorMemory& one) {
    operators_.rows.push_back({rank, pool, one.name.empty() ? "(outside of operators)" : one.name,
                               one.outermost.empty() ? report::Value() : one.outermost,
                               Bytes(one.peak_bytes), one.peak_count, one.count, Bytes(one.bytes),
                               Bytes(one.largest)});
  }

  ViewTable pools_{
      .key = "pools",
      .title = "tensor memory",
      .columns = {rank_column(),
                  {"memory", "pool", "host, or a device"},
                  {"peak allocated", "peak_allocated_bytes", "largest sum of tensors"},
                  {"at", "peak_at_ns", "when, since the start of the recording"},
                  {"peak reserved", "peak_reserved_bytes", "largest reservation of the allocator"},
                  {"", "peak_reserved_at_ns", "when"},
                  {"first", "first_bytes", "allocated after the first change"},
                  {"last", "last_bytes", "allocated after the last change"},
                  {"allocations", "allocations", "recorded allocations"},
                  {"", "allocated_bytes", "sum of all of them"},
                  {"", "releases", "recorded releases"},
                  {"", "known_at_peak_bytes", "recorded allocations that are alive at the peak"},
                  {"earlier", "earlier_bytes", "alive at the peak, allocated before the recording"},
                  {"", "has_totals", "false: counted from 0 at the start of the recording"}},
      .rows = {},
      .first = 32,
      .if_empty = "The recording has no changes of memory (profile_memory=True records them).",
      .by_rank = true};
  ViewTable operators_{
      .key = "operators",
      .title = "operators by their allocations that are alive at the peak",
      .columns = {rank_column(),
                  {"memory", "pool", "host, or a device"},
                  {"operator", "name", "the innermost one that does more than to allocate"},
                  {"within", "outermost", "the outermost operator"},
                  {"at peak", "peak_bytes", "its allocations that are alive at the peak"},
                  {"", "peak_count", "their number"},
                  {"allocations", "count", "its allocations in the recording"},
                  {"sum", "bytes", "their sum"},
                  {"largest", "max_bytes", "the largest of them"}},
      .rows = {},
      .first = 20,
      .if_empty = {},
      .by_rank = true};
  ViewTable curve_{
      .key = "curve",
      .title =
          fmt::format("memory over time: the largest value in each of {} equal parts of the time",
                      profile::kMemorySamples),
      .columns = {{"", "rank", "the recorded rank"},
                  {"", "pool", "host, or a device"},
                  {"", "at_ns", "since the start of the recording"},
                  {"", "allocated_bytes", "sum of tensors"},
                  {"", "reserved_bytes", "reservation of the allocator; null: not recorded"}},
      .rows = {},
      .first = 0,
      .if_empty = {},
      .by_rank = false};
};

}  // namespace

std::unique_ptr<ViewBuilder> memory_view() { return std::make_unique<MemoryView>(); }

}  // namespace orrery::study
