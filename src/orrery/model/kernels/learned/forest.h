// SPDX-License-Identifier: Apache-2.0
//
// Boosted trees: whole numbers added up, so that the sum is the same whatever order it is made in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/features.h"

namespace orrery::model {

/// Where a feature's values are cut: bin i holds those below the cuts i, i + 1, … and not below the
/// cuts before. Comparing bins with cuts is comparing floats with thresholds.
using Bins = std::array<std::uint8_t, kFeatures>;

/// Trees over binned features. A node goes left where its feature is below its cut; leaves hold
/// whole numbers of steps.
class Forest {
 public:
  static constexpr std::size_t kMaxCuts = 90;          ///< of one feature
  static constexpr std::size_t kMaxTreeNodes = 4096;   ///< of one tree
  static constexpr std::int32_t kMaxLeafSteps = 2600;  ///< a leaf's size, either way

  /// Strictly ascending, finite, at most kMaxCuts; false otherwise.
  [[nodiscard]] bool set_cuts(std::size_t feature, std::vector<float> cuts);
  [[nodiscard]] std::span<const float> cuts(std::size_t feature) const { return cuts_[feature]; }

  /// A tree as text: nodes in preorder, left before right, two digits of base 90 each: a feature
  /// and a cut, or a leaf, whose first digit is beyond all features. False for what append_split
  /// and append_leaf never write, or a feature or cut that is not there.
  [[nodiscard]] bool add(std::string_view text);
  [[nodiscard]] std::size_t trees() const { return roots_.size(); }

  [[nodiscard]] Bins bins_of(const std::array<float, kFeatures>& values) const;

  /// Sums of leaves, one for each of `bins`.
  void sum(std::span<const Bins> bins, std::span<std::int64_t> sums) const;

 private:
  struct Node {
    std::uint8_t feature = 0;
    std::uint8_t cut = 255;  // of a leaf: both ways lead back to it
    std::uint16_t left = 0, right = 0;
    std::int16_t steps = 0;
  };

  std::array<std::vector<float>, kFeatures> cuts_;
  std::vector<Node> nodes_;  // tree after tree; left and right count from the tree's root
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint16_t> depths_;
};

/// The text of a tree is made of these.
void append_split(std::string& text, std::size_t feature, std::size_t cut);
void append_leaf(std::string& text, std::int32_t steps);

/// Cuts as text, five digits of base 90 for the bits of each; and back.
void append_cuts(std::string& text, std::span<const float> cuts);
[[nodiscard]] std::optional<std::vector<float>> cuts_of(std::string_view text);

}  // namespace orrery::model
