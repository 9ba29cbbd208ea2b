// SPDX-License-Identifier: Apache-2.0
//
// The pipeline schedules there are. Each has a file of its own, where it is described once:
// specifications, command line, help, rules, searches, pages and tests follow.
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
  zb_h1,        ///< zero bubble, 1F1B's memory (Qi et al., ICLR 2024)
  zb_v,         ///< two parts per rank in a V (Qi et al., NeurIPS 2024)
  dual_pipe,    ///< both directions at once, two copies of the weights (DeepSeek-V3)
  file,         ///< a user's own order, see schedule.h
};
/// As specifications spell them, in the order of ScheduleKind.
inline constexpr std::array<std::string_view, 7> kScheduleNames{
    "gpipe", "1f1b", "interleaved", "zb_h1", "zb_v", "dual_pipe", "file"};

struct ScheduleSize {
  std::int64_t stages = 1, microbatches = 1;
  std::int64_t chunks = 1;  ///< parts of the model per rank
};

struct PassCost {
  std::int64_t forward = 1, input_grad = 1, weight_grad = 1;  ///< per chunk; backward = both halves
};

/// How many parts of the model a rank has.
enum class ChunkCount : std::uint8_t { one, two, several };
[[nodiscard]] constexpr bool allows(ChunkCount count, std::int64_t chunks) {
  return count == ChunkCount::one   ? chunks == 1
         : count == ChunkCount::two ? chunks == 2
                                    : chunks > 1;
}

/// Where virtual stages lie.
enum class Placement : std::uint8_t {
  round_robin,  ///< 0 … p-1, and again for the next chunk
  v,            ///< 0 … p-1, back p-1 … 0 for the next chunk
  both_ways,    ///< two pipes of p stages: chunk 0 forwards, chunk 1 backwards
};

/// What a schedule asks of a job, apart from its number of chunks.
struct ScheduleRule {
  std::string_view name;                            ///< "interleaved-microbatches"
  std::string_view sentence;                        ///< what has to hold
  std::string_view key;                             ///< of a specification: the one to change
  std::string (*broken)(const ScheduleSize& size);  ///< what is wrong, or nothing
};

/// Cells and text of docs/reference/schedules.md, in Markdown.
struct SchedulePage {
  std::string_view title;                                  ///< "1F1B"
  std::string_view bubble, exact_when, in_flight, source;  ///< columns of the table
  std::string_view text;                                   ///< above the picture
  std::string_view notes = {};                             ///< items of the list below the table
};

/// One schedule.
struct ScheduleEntry {
  ScheduleKind kind;
  ChunkCount chunks = ChunkCount::one;
  Placement placement = Placement::round_robin;
  /// Fills in the loops of an order whose stages and pipes are there; its size keeps the rules.
  void (*order)(PipelineOrder& order);
  /// See bubble_formula().
  std::optional<std::int64_t> (*bubble)(const ScheduleSize& size, const PassCost& cost);
  /// max_in_flight() of the first stage, where it is known.
  std::optional<std::int64_t> (*in_flight)(const ScheduleSize& size);
  std::span<const ScheduleRule> rules = {};
  SchedulePage page;
};

extern const ScheduleEntry kGpipe, kOneFOneB, kInterleaved, kZbH1, kZbV, kDualPipe;

/// All but `file`, in the order of ScheduleKind.
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
/// Null: `file`.
[[nodiscard]] constexpr const ScheduleEntry* find_schedule(ScheduleKind kind) {
  return kind == ScheduleKind::file ? nullptr : kSchedules[static_cast<std::size_t>(kind)];
}

}  // namespace orrery::workload
