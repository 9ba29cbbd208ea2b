// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/result/run.h"
#include "orrery/result/run_file/table_reader.h"

namespace orrery::result {

inline constexpr std::uint64_t kAnyCount = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kAnyIndex = kNone;  ///< indices below kNone

/// Reads all of a run, table by table.
class RunReader {
 public:
  explicit RunReader(DatabaseReader& database) : database_(database) {}

  Run read() {
    read_run();
    read_names();
    read_groups();
    read_timelines();
    read_spans();
    read_memory();
    read_ranks();
    read_rank_groups();
    read_predicted_collectives();
    read_collectives();
    read_link_use();
    read_links();
    read_fabric();
    read_remote_memory();
    read_path();
    read_error_classes();
    read_time_by_provenance();
    read_findings();
    return std::move(run_);
  }

 private:
  void read_run();
  void read_work(TableRows& rows);
  void read_names();
  void read_groups();
  void read_timelines();
  void read_spans();
  void read_span(TableRows& rows, Span& span, std::uint32_t timeline);
  void read_memory();
  void read_ranks();
  void read_rank_groups();
  [[nodiscard]] static std::optional<ErrorInterval> off_of(TableRows& rows);
  void read_predicted_collectives();
  void read_collectives();
  void read_error_classes();
  void read_time_by_provenance();
  void read_link_use();
  void read_links();
  void read_fabric();
  void read_remote_memory();
  void read_path();
  void read_findings();
  void missing(const char* table, const char* what);
  std::uint32_t span_of(TableRows& rows, std::uint32_t rank);

  DatabaseReader& database_;
  Run run_;
  std::uint64_t ranks_ = 0;
  std::uint64_t spans_ = 0;                // as the timelines say
  std::vector<std::uint64_t> span_count_;  // by timeline
  std::vector<std::uint64_t> first_span_, first_lane_;
  std::vector<std::uint64_t> first_group_;  // by rank
};

}  // namespace orrery::result
