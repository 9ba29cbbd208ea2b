// SPDX-License-Identifier: Apache-2.0
//
// Findings: odd but survivable things, counted and explained instead of thrown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class Severity : std::uint8_t { info, repaired, data_loss, error };

/// What kind of oddity. Each has a name, a severity and a sentence (see `describe`).
enum class FindingCode : std::uint8_t {
  // Reading traces
  duplicate_id_dropped,
  dangling_dep_dropped,
  self_edge_dropped,
  cycle_broken,
  truncated_tail_dropped,
  corrupt_record_dropped,
  value_clamped,
  unknown_field_kept,
  duplicate_dep_merged,
  attr_coerced,
  empty_record,
  legacy_schema,
  metadata_group_ignored,
  attr_ignored,
  // Configurations
  key_ignored,
  key_without_effect,
  default_assumed,
  // Simulation
  remainder_chunk_full,
  group_falls_back_to_ring,
  dims_not_crossed,
  zero_duration_compute,
  collective_without_traffic,
  unmatched_send,
  masked_collective,
  collective_approximated,
  collective_replayed,
  chunk_order_resolved,
  missing_chunk_raised,
};

struct FindingInfo {
  std::string_view name;  ///< stable, snake_case
  Severity severity;
  std::string_view sentence;  ///< what it means for the result
};

[[nodiscard]] FindingInfo describe(FindingCode code);
/// The code of that name.
[[nodiscard]] std::optional<FindingCode> finding_named(std::string_view name);
[[nodiscard]] std::string_view name(Severity severity);

struct Finding {
  FindingCode code;
  std::uint64_t count = 0;
  std::vector<std::string> places;  ///< the first three
};

/// Counted findings, ordered by code. Not thread-safe: one per worker, then merge in a fixed order.
class Findings {
 public:
  static constexpr std::size_t kPlaces = 3;

  /// Counts one more `code`; keeps `place` if fewer than kPlaces are known.
  void add(FindingCode code, std::string_view place = {}, std::uint64_t count = 1);
  void merge(const Findings& other);
  [[nodiscard]] std::uint64_t count(FindingCode code) const;
  [[nodiscard]] std::vector<Finding> list() const;
  [[nodiscard]] bool empty() const { return findings_.empty(); }

 private:
  std::map<FindingCode, Finding> findings_;
};

}  // namespace orrery
