// SPDX-License-Identifier: Apache-2.0
//
// Which links a rank has for itself, so that one rank's stand for those of all that are like it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/model/network/max_min.h"
#include "orrery/model/network/ways.h"

namespace orrery::model {

/// A message that leaves by a link of its sender's and comes by one of its receiver's, or by one
/// link between both, meets only messages of these two: at n senders that are alike the same
/// happens, and at each of m receivers that are alike there are n / m such messages. Where a way
/// leads through links that others share, who is where decides, and nothing is said here.
///
/// Known of dimensions (places along one dimension: the same switch, a neighbour in a ring, a link
/// of a fully connected block) and of fabrics where all devices hang on one switch.
class FoldedPorts {
 public:
  FoldedPorts(const platform::Platform& platform, const Ways& ways);

  /// Ranks may stand for others at all.
  [[nodiscard]] bool foldable() const { return foldable_; }
  /// As Network::place() and colour() have it.
  [[nodiscard]] std::uint32_t place(EndPoint rank) const { return place_[rank]; }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const;

  [[nodiscard]] bool uniform() const;

  /// As Network::fold().
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members);
  [[nodiscard]] bool folded() const { return !class_of_.empty(); }
  /// What a message that stands for `weight` takes of links. Empty: of links that are not theirs.
  [[nodiscard]] std::optional<std::vector<MaxMin::Hop>> hops(const Send& message, const Route& way);

 private:
  std::vector<platform::Dimension> dims_;  // empty: one switch
  std::vector<std::uint32_t> place_;
  bool foldable_ = false;
  std::vector<std::uint32_t> class_of_, members_;  // empty: every rank for itself
  // The link into a class, by the dimension that it is of: the first that was seen.
  std::map<std::pair<std::uint32_t, std::uint32_t>, platform::LinkIndex> into_;
};

}  // namespace orrery::model
