// SPDX-License-Identifier: Apache-2.0
//
// The interface of collective algorithms. The simulator uses objects of this class and the peers
// that they return, whatever the algorithm. Each algorithm has one file in algorithms/.
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

/// Sizes of messages, and the times to reduce them.
class MessageSizes {
 public:
  explicit MessageSizes(const platform::Platform& platform) : platform_(platform) {}

  /// Size of one of `parts` equal parts of `data`. Orrery rules round up, ASTRA rules down.
  [[nodiscard]] std::int64_t share(std::int64_t data, std::int64_t parts) const;
  /// A message of `bytes` to a partner `distance` positions away.
  [[nodiscard]] PhaseMessage step(std::int64_t bytes, std::uint32_t distance = 1) const;
  /// The message of each member to each other: all its data in an all-gather, otherwise one part.
  [[nodiscard]] PhaseMessage part(const PhaseRequest& request) const;
  [[nodiscard]] platform::Rules rules() const { return platform_.rules; }

 private:
  const platform::Platform& platform_;
};

/// One algorithm in one dimension. Objects have no state. The simulator calls the functions once
/// per phase or once per member of a phase, never per message.
///
/// Contract (tests/scale/algorithms_test.cc tests every algorithm):
/// - After its steps, each member has the result of the collective. No member sends fewer bytes
/// than
///   every algorithm must send.
/// - Closed forms equal a simulation of every message, to the picosecond.
/// - If is_rotation_invariant(), members whose peers behave identically behave identically.
class CollectiveAlgorithm {
 public:
  /// `is_rotation_invariant`: a rotation of the ring changes nothing, so that ranks may be folded
  /// whatever their positions are.
  constexpr CollectiveAlgorithm(Peers peers, bool is_rotation_invariant)
      : peers_(peers), is_rotation_invariant_(is_rotation_invariant) {}
  CollectiveAlgorithm(const CollectiveAlgorithm&) = delete;
  CollectiveAlgorithm& operator=(const CollectiveAlgorithm&) = delete;

  /// The peers of a member. They determine which part of the simulator runs the phases, and what
  /// folding compares.
  [[nodiscard]] Peers peers() const { return peers_; }
  [[nodiscard]] bool is_rotation_invariant() const { return is_rotation_invariant_; }

  /// Checks that the algorithm can run the collective in a ring of this size. Errc:
  /// config_conflict.
  [[nodiscard]] virtual Result<void> check(const PhaseRequest& request,
                                           platform::Rules rules) const;
  /// Sets the steps, packets and keys of `spec` from its request.
  virtual void fill(PhaseSpec& spec, const MessageSizes& sizes) const = 0;
  /// Number of messages that the member at `position` sends.
  [[nodiscard]] virtual std::int32_t messages(const PhaseSpec& spec, std::uint32_t position) const;

  /// Implement the functions of closed_form.h, for phases with at least two members and not on a
  /// bus. Callers use phase_ends() only if has_closed_form(), and uniform_duration() only if delays
  /// by key are known.
  [[nodiscard]] virtual bool has_closed_form(const PhaseSpec& spec) const;
  [[nodiscard]] virtual std::optional<std::int64_t> uniform_duration(const PhaseSpec& spec) const;
  virtual void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                          std::span<std::int64_t> ends, const MessageTimes& times) const;

 protected:
  ~CollectiveAlgorithm() = default;

 private:
  Peers peers_;
  bool is_rotation_invariant_;
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

/// All algorithms, in the order of platform::Algorithm.
inline constexpr std::array kAll{&ring, &direct, &halving_doubling, &double_binary_tree,
                                 &in_network};
static_assert(kAll.size() == platform::kAlgorithms.size());

}  // namespace algorithms

}  // namespace orrery::model
