// SPDX-License-Identifier: Apache-2.0
//
// The list of pipeline schedules. Each schedule is described once, in its own file; specifications,
// command line, help, rules, searches, pages and tests use this description.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/text/fixed_text.h"

namespace orrery::workload {

struct PipelineOrder;

enum class ScheduleKind : std::uint8_t {
  gpipe,
  one_f_one_b,
  interleaved,  ///< 1F1B over `chunks` parts of the model per rank (Narayanan et al., SC21)
  zb_h1,        ///< zero bubble with the memory of 1F1B (Qi et al., ICLR 2024)
  zb_v,         ///< two parts of the model per rank, in a V (Qi et al., NeurIPS 2024)
  dual_pipe,    ///< both directions concurrently, with two copies of the weights (DeepSeek-V3)
  file,         ///< a custom order, see parse_order in pipeline_order.h
};
/// Names in specifications, in the order of ScheduleKind.
inline constexpr std::array<std::string_view, 7> kScheduleNames{
    "gpipe", "1f1b", "interleaved", "zb_h1", "zb_v", "dual_pipe", "file"};

struct ScheduleSize {
  std::int64_t stages = 1, microbatches = 1;
  std::int64_t chunks = 1;  ///< parts of the model per rank
};

struct PassCost {
  std::int64_t forward = 1, input_grad = 1, weight_grad = 1;  ///< per chunk; backward = both halves
};

/// The number of model parts per rank that a schedule supports.
enum class ChunkCount : std::uint8_t { one, two, several };
[[nodiscard]] constexpr bool allows(ChunkCount count, std::int64_t chunks) {
  return count == ChunkCount::one   ? chunks == 1
         : count == ChunkCount::two ? chunks == 2
                                    : chunks > 1;
}

/// The assignment of virtual stages to stages.
enum class Placement : std::uint8_t {
  round_robin,    ///< stages 0 … p-1, the same for each chunk
  v,              ///< stages 0 … p-1, then p-1 … 0 for the next chunk
  bidirectional,  ///< two pipes over p stages: chunk 0 forwards, chunk 1 backwards
};

/// A requirement of a schedule on a job, except its number of chunks.
struct ScheduleRule {
  std::string_view name;      ///< "interleaved-microbatches"
  std::string_view sentence;  ///< the requirement
  std::string_view key;       ///< the key of a specification that the user
                              ///< should change
  std::string (*find_violation)(
      const ScheduleSize& size);  ///< returns the error text, or an empty text
};

/// Cells and text of docs/reference/schedules.md, in Markdown.
struct SchedulePage {
  std::string_view title;                                  ///< "1F1B"
  std::string_view bubble, exact_when, in_flight, source;  ///< columns of its row in the table
  std::string_view text;                                   ///< text above the figure
  std::string_view notes = {};                             ///< items for the list below the table
};

/// One schedule.
struct ScheduleEntry {
  ScheduleKind kind;
  ChunkCount chunks = ChunkCount::one;
  Placement placement = Placement::round_robin;
  /// Fills in the loops of an order that has its stages and pipes. The size must satisfy the rules.
  void (*order)(PipelineOrder& order);
  /// See bubble_formula().
  std::optional<std::int64_t> (*bubble)(const ScheduleSize& size, const PassCost& cost);
  /// max_in_flight() of the first stage; empty if it has no formula.
  std::optional<std::int64_t> (*in_flight)(const ScheduleSize& size);
  std::span<const ScheduleRule> rules = {};
  SchedulePage page;
};

extern const ScheduleEntry kGpipe, kOneFOneB, kInterleaved, kZbH1, kZbV, kDualPipe;

/// All schedules except `file`, in the order of ScheduleKind.
inline constexpr std::array<const ScheduleEntry*, kScheduleNames.size() - 1> kSchedules{
    &kGpipe, &kOneFOneB, &kInterleaved, &kZbH1, &kZbV, &kDualPipe};

struct ScheduleNames {
  template <class Put>
  static constexpr void write(Put put) {
    for (std::size_t i = 0; i < kSchedules.size(); ++i) {
      if (i > 0) put(", ");
      put(kScheduleNames[i]);
    }
  }
};
/// "gpipe, 1f1b, interleaved …"
inline constexpr std::string_view kScheduleList = FixedText<ScheduleNames>::kView;

[[nodiscard]] constexpr std::string_view name(ScheduleKind kind) {
  return kScheduleNames[static_cast<std::size_t>(kind)];
}
/// The entry of `kind`; null for `file`.
[[nodiscard]] constexpr const ScheduleEntry* find_schedule(ScheduleKind kind) {
  return kind == ScheduleKind::file ? nullptr : kSchedules[static_cast<std::size_t>(kind)];
}

}  // namespace orrery::workload
