// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// Messages of phases that arrived before their receiver expects them. They match by the rules of
/// Policy.
class EarlyMessages {
 public:
  explicit EarlyMessages(const Policy& policy) : by_size_(policy.match_by_size) {}

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  /// Adds a message of phase `spec` from member `from`, numbered as the receiver sees its sender.
  void put(Stream& receiver, const model::PhaseSpec& spec, std::uint32_t from, std::uint32_t key) {
    receiver.early = true;
    ++waiting_[key_of(receiver, spec, from, key)];
  }
  /// Removes a message for the receiver's current phase; false if there is none.
  [[nodiscard]] bool take(const Stream& receiver, std::uint32_t from, std::uint32_t key) {
    const auto found = waiting_.find(key_of(receiver, *receiver.spec, from, key));
    if (found == waiting_.end()) return false;
    if (--found->second == 0) waiting_.erase(found);
    return true;
  }

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [by_size, waiting] = self;
    return std::tie(waiting);
  }
  /// Continues from the state of `other`.
  void resume(const EarlyMessages& other) { fields(*this) = fields(other); }

 private:
  [[nodiscard]] MessageKey key_of(const Stream& receiver, const model::PhaseSpec& spec,
                                  std::uint32_t from, std::uint32_t key) const {
    if (by_size_) return {receiver.id.block, from, receiver.member, spec.step_of(key).bytes};
    return {receiver.id.block | std::uint64_t{spec.id} << 32, from, receiver.member, key};
  }

  bool by_size_;
  std::unordered_map<MessageKey, std::int32_t, MessageKeyHash> waiting_;
};

}  // namespace orrery::sim
