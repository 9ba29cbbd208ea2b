// SPDX-License-Identifier: Apache-2.0
//
// Shared by the readers of MSCCL++'s layouts. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

using config::Json;

/// A value and its place in the file: "plan.json:/gpus/0/id".
struct JsonPlace {
  const Json& value;
  std::string where;

  [[nodiscard]] bool has(const char* key) const { return value.is_object() && value.contains(key); }
  /// The value of a key, which must exist.
  [[nodiscard]] JsonPlace at(const char* key) const { return {value[key], where + "/" + key}; }
  [[nodiscard]] JsonPlace at(std::size_t i) const {
    return {value[i], where + "/" + std::to_string(i)};
  }
};

/// The integer under the first of `keys` that exists; it must be between `minimum` and `maximum`.
/// json_number_or returns `missing` if none exists.
[[nodiscard]] Result<std::int64_t> json_number(const JsonPlace& in,
                                               std::initializer_list<const char*> keys,
                                               std::int64_t minimum, std::int64_t maximum);
[[nodiscard]] Result<std::int64_t> json_number_or(const JsonPlace& in,
                                                  std::initializer_list<const char*> keys,
                                                  std::int64_t missing, std::int64_t minimum,
                                                  std::int64_t maximum);
/// The list under the first of `keys` that exists, or an empty one. Errc: input_corrupt.
[[nodiscard]] Result<JsonPlace> json_list(const JsonPlace& in,
                                          std::initializer_list<const char*> keys);
/// Calls `read(element)` for each element of that list; returns the first error.
template <class Read>
[[nodiscard]] Result<void> read_list(const JsonPlace& in, const char* key, const Read& read) {
  const auto list = json_list(in, {key});
  if (!list) return tl::unexpected(list.error());
  for (std::size_t i = 0; i < list->value.size(); ++i)
    if (Result<void> done = read(list->at(i)); !done) return done;
  return {};
}

[[nodiscard]] Result<std::string> json_text(const JsonPlace& in,
                                            std::initializer_list<const char*> keys);
[[nodiscard]] Result<PlanBuffer> json_buffer(const JsonPlace& in,
                                             std::initializer_list<const char*> keys);

/// Kinds of channel: memory (NVLink, xGMI), port (RDMA; formerly "proxy"), or a switch that reduces
/// and multicasts.
enum class ChannelKind : std::uint8_t { memory, port, in_switch, none };
[[nodiscard]] Result<ChannelKind> json_channel_kind(const JsonPlace& in,
                                                    std::initializer_list<const char*> keys);

/// A rank's end of a connection.
struct ChannelEnd {
  std::uint32_t peer = 0;
  std::uint32_t ordinal = 0;  ///< index among the connections of this kind between the two ranks
};
/// Ranks whose buffers a switch treats as one.
struct SwitchGroup {
  PlanBuffer buffer = PlanBuffer::input;
  std::vector<std::uint32_t> ranks;
};

/// A plan under construction, with its counters by key, and checks of limits.
class MscclppPlan {
 public:
  MscclppPlan(Plan& made, Findings& notes) : plan(made), findings(notes) {}

  /// The counter for signals from `from` to `to`.
  [[nodiscard]] std::uint32_t signals(std::uint32_t from, std::uint32_t to, ChannelKind kind,
                                      std::uint32_t ordinal);
  [[nodiscard]] std::uint32_t semaphore(std::uint32_t rank, std::uint32_t number);
  /// The next level of the counter for which a step waits.
  [[nodiscard]] std::uint32_t next_level(std::uint32_t counter) { return ++levels_[counter]; }
  /// Adds a step, and checks the limits.
  [[nodiscard]] Result<void> add(const StepPosition& at, PlanStep step, const std::string& where);

  Plan& plan;
  Findings& findings;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::uint32_t counter(const Key& key, std::uint32_t rank, std::string what);

  std::map<Key, std::uint32_t> counters_;
  std::vector<std::uint32_t> levels_;
  std::uint64_t steps_ = 0, moves_ = 0;
};

/// The objects of a rank to which its operations refer.
struct MscclppRank {
  std::uint32_t rank = 0;
  std::array<std::vector<ChannelEnd>, 3> ends;  ///< by kind
  std::vector<SwitchGroup> groups;
  std::vector<std::pair<std::uint32_t, PlanBuffer>> remote;  ///< buffers of other ranks
  std::vector<std::int64_t> semaphores;                      ///< initial values
};

/// The objects of a thread block, as indices into the lists of its rank.
struct MscclppBlock {
  StepPosition at;
  std::array<std::vector<std::uint32_t>, 4> channels;  ///< by kind
  std::array<std::vector<std::uint32_t>, 4> remote;    ///< by the kind of channel that reaches them
};

/// Reads an operation of the current layout.
[[nodiscard]] Result<void> read_operation(const JsonPlace& op, const MscclppRank& rank,
                                          MscclppBlock& block, MscclppPlan& made);
/// Reads the thread blocks of a gpu in the layout of the first releases.
[[nodiscard]] Result<void> read_legacy_layout(const JsonPlace& gpu, std::uint32_t rank,
                                              MscclppPlan& made);
/// Sets the packet flags of a step from its type.
void set_packets(PlanStep& step);
/// Whether steps of this type add what they read.
[[nodiscard]] bool adds(StepType type);

/// The steps of the same rank for which the operation waits (`deps`).
[[nodiscard]] Result<std::vector<StepPosition>> json_dependencies(const JsonPlace& op,
                                                                  std::uint32_t rank);

/// The number of a rank below `ranks`, other than `self`.
[[nodiscard]] Result<std::uint32_t> json_peer(const JsonPlace& in, std::size_t ranks,
                                              std::optional<std::uint32_t> self);

}  // namespace orrery::synthesis
