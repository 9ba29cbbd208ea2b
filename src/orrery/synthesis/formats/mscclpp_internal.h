// SPDX-License-Identifier: Apache-2.0
//
// What the readers of MSCCL++'s layouts share. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

using config::Json;

/// A value and where it stands: "plan.json:/gpus/0/id".
struct JsonPlace {
  const Json& value;
  std::string where;

  [[nodiscard]] bool has(const char* key) const { return value.is_object() && value.contains(key); }
  /// What is under a key that is there.
  [[nodiscard]] JsonPlace at(const char* key) const { return {value[key], where + "/" + key}; }
  [[nodiscard]] JsonPlace at(std::size_t i) const {
    return {value[i], where + "/" + std::to_string(i)};
  }
};

/// A whole number under the first of these keys that is there.
[[nodiscard]] Result<std::int64_t> json_number(const JsonPlace& in,
                                               std::initializer_list<const char*> keys,
                                               std::int64_t least, std::int64_t most);
[[nodiscard]] Result<std::int64_t> json_number_or(const JsonPlace& in,
                                                  std::initializer_list<const char*> keys,
                                                  std::int64_t missing, std::int64_t least,
                                                  std::int64_t most);
/// A list under the first of these keys that is there, or an empty one. Errc: input_corrupt.
[[nodiscard]] Result<JsonPlace> json_list(const JsonPlace& in,
                                          std::initializer_list<const char*> keys);
[[nodiscard]] Result<std::string> json_text(const JsonPlace& in,
                                            std::initializer_list<const char*> keys);
[[nodiscard]] Result<PlanBuffer> json_buffer(const JsonPlace& in,
                                             std::initializer_list<const char*> keys);

/// The kinds of channel: through memory (NVLink, xGMI), through a port (RDMA; "proxy" once),
/// through a switch that adds and multiplies.
enum class ChannelKind : std::uint8_t { memory, port, in_switch, none };
[[nodiscard]] Result<ChannelKind> json_channel_kind(const JsonPlace& in,
                                                    std::initializer_list<const char*> keys);

/// A rank's end of a connection.
struct ChannelEnd {
  std::uint32_t peer = 0;
  std::uint32_t ordinal = 0;  ///< the k-th of its kind between the two
};
/// Ranks whose buffers a switch treats as one.
struct SwitchGroup {
  PlanBuffer buffer = PlanBuffer::input;
  std::vector<std::uint32_t> ranks;
};

/// A plan that is being read: counters by what they count, limits, and the plan itself.
class MscclppPlan {
 public:
  MscclppPlan(Plan& made, Findings& notes) : plan(made), findings(notes) {}

  /// What `from` signals to `to`.
  [[nodiscard]] std::uint32_t signals(std::uint32_t from, std::uint32_t to, ChannelKind kind,
                                      std::uint32_t ordinal);
  [[nodiscard]] std::uint32_t semaphore(std::uint32_t rank, std::uint32_t number);
  /// The next level that somebody waits for.
  [[nodiscard]] std::uint32_t next_level(std::uint32_t counter) { return ++levels_[counter]; }
  /// Counts it against the limits.
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

/// What a rank has that its operations refer to.
struct MscclppRank {
  std::uint32_t rank = 0;
  std::array<std::vector<ChannelEnd>, 3> ends;  ///< by kind
  std::vector<SwitchGroup> groups;
  std::vector<std::pair<std::uint32_t, PlanBuffer>> remote;  ///< other ranks' buffers
  std::vector<std::int64_t> semaphores;                      ///< what they begin with
};

/// What a thread block has: numbers in those lists.
struct MscclppBlock {
  StepPosition at;
  std::array<std::vector<std::uint32_t>, 4> channels;  ///< by kind
  std::array<std::vector<std::uint32_t>, 4> remote;    ///< by the kind of channel that reaches them
};

/// An operation of today's layout.
[[nodiscard]] Result<void> read_operation(const JsonPlace& op, const MscclppRank& rank,
                                          MscclppBlock& block, MscclppPlan& made);
/// The thread blocks of a gpu in the layout of the first releases.
[[nodiscard]] Result<void> read_legacy_layout(const JsonPlace& gpu, std::uint32_t rank,
                                              MscclppPlan& made);
/// What a type of step says of packets.
void set_packets(PlanStep& step);
/// Whether it adds what it reads.
[[nodiscard]] bool adds(StepType type);

}  // namespace orrery::synthesis
