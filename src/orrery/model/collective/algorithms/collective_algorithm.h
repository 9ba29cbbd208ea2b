// SPDX-License-Identifier: Apache-2.0
//
// What a collective algorithm is. The simulator asks objects of this class and the peers they
// state, not which algorithm it is. One file of algorithms/ each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "orrery/core/error.h"
#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

class MessageTimes;

/// Bytes of messages, and how long reducing them takes.
class MessageSizes {
 public:
  explicit MessageSizes(const platform::Platform& platform) : platform_(platform) {}

  /// One of so many equal parts; Orrery rules round up, ASTRA's down.
  [[nodiscard]] std::int64_t share(std::int64_t data, std::int64_t parts) const;
  /// A message of so many bytes to a partner `distance` positions away.
  [[nodiscard]] PhaseMessage step(std::int64_t bytes, std::uint32_t distance = 1) const;
  /// What each member sends to each other: its data in an all-gather, else a part of it.
  [[nodiscard]] PhaseMessage part(const PhaseRequest& request) const;
  [[nodiscard]] platform::Rules rules() const { return platform_.rules; }

 private:
  const platform::Platform& platform_;
};

/// One algorithm in one dimension. Objects have no state. Functions are called once for a phase, or
/// once for a member of a phase, never for a message.
///
/// Contract (tests/scale/algorithms_test.cc tries every algorithm):
/// - After its steps each member has what the collective gives it, and no member sends less than
///   any algorithm must.
/// - Closed forms are what sending every message gives, to the picosecond.
/// - Where is_rotation_invariant() all members begin, wait and end alike if their peers do.
class CollectiveAlgorithm {
 public:
  /// `is_rotation_invariant`: a turned ring is the same ring, so that ranks may be folded without
  /// looking at their places.
  constexpr CollectiveAlgorithm(Peers peers, bool is_rotation_invariant)
      : peers_(peers), turns_freely_(is_rotation_invariant) {}
  CollectiveAlgorithm(const CollectiveAlgorithm&) = delete;
  CollectiveAlgorithm& operator=(const CollectiveAlgorithm&) = delete;

  /// Whom members send to: which part of the simulator runs its phases, and what folding compares.
  [[nodiscard]] Peers peers() const { return peers_; }
  [[nodiscard]] bool is_rotation_invariant() const { return turns_freely_; }

  /// Errc: config_conflict (it cannot run the collective, or not among so many).
  [[nodiscard]] virtual Result<void> check(const PhaseRequest& request,
                                           platform::Rules rules) const;
  /// Sets all that PhaseSpec has of steps, packets and keys from its request.
  virtual void fill(PhaseSpec& spec, const MessageSizes& sizes) const = 0;
  /// Messages that the member at `position` sends.
  [[nodiscard]] virtual std::int32_t messages(const PhaseSpec& spec, std::uint32_t position) const;

  /// As the functions of closed_form.h, for phases not on a bus and of two members or more. Asked
  /// only where has_closed_form() (phase_ends) or where delays are known by key (uniform_duration).
  [[nodiscard]] virtual bool has_closed_form(const PhaseSpec& spec) const;
  [[nodiscard]] virtual std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) const;
  virtual void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                          std::span<std::int64_t> ends, const MessageTimes& times) const;

 protected:
  ~CollectiveAlgorithm() = default;

 private:
  Peers peers_;
  bool turns_freely_;
};

/// The object of an algorithm. O(1).
[[nodiscard]] const CollectiveAlgorithm& algorithm_of(platform::Algorithm algorithm);
[[nodiscard]] inline const CollectiveAlgorithm& algorithm_of(const platform::AlgorithmSpec& spec) {
  return algorithm_of(spec.algorithm);
}

/// The registered algorithms.
namespace algorithms {

[[nodiscard]] const CollectiveAlgorithm& ring();
[[nodiscard]] const CollectiveAlgorithm& direct();
[[nodiscard]] const CollectiveAlgorithm& halving_doubling();
[[nodiscard]] const CollectiveAlgorithm& double_binary_tree();
[[nodiscard]] const CollectiveAlgorithm& in_network();

/// In the order of platform::Algorithm.
inline constexpr std::array kAll{&ring, &direct, &halving_doubling, &double_binary_tree,
                                 &in_network};
static_assert(kAll.size() == platform::kAlgorithms.size());

}  // namespace algorithms

}  // namespace orrery::model
