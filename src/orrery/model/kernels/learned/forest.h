// SPDX-License-Identifier: Apache-2.0
//
// Boosted trees with integer leaves, so that the sum does not depend on the order of addition.
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

/// The bin of each feature. Bin i contains the values below cut i and not below cut i - 1. So a
/// comparison of bins with cuts is a comparison of floats with thresholds.
using Bins = std::array<std::uint8_t, kFeatures>;

/// Trees over binned features. The left child of a node applies if its feature is below its cut.
/// Leaves hold integer numbers of steps.
class Forest {
 public:
  static constexpr std::size_t kMaxCuts = 90;          ///< per feature
  static constexpr std::size_t kMaxTreeNodes = 4096;   ///< per tree
  static constexpr std::int32_t kMaxLeafSteps = 2600;  ///< maximum absolute value of a leaf

  /// Sets the cuts of a feature. False: they are not strictly ascending, not finite, or more than
  /// kMaxCuts.
  [[nodiscard]] bool set_cuts(std::size_t feature, std::vector<float> cuts);
  [[nodiscard]] std::span<const float> cuts(std::size_t feature) const { return cuts_[feature]; }

  /// Adds a tree from text: nodes in preorder, left before right, with two digits of base 90 each.
  /// The digits are a feature and a cut, or a leaf, whose first digit is larger than all features.
  /// False: the text is not from append_split and append_leaf, or has an unknown feature or cut.
  [[nodiscard]] bool add(std::string_view text);
  [[nodiscard]] std::size_t trees() const { return roots_.size(); }

  [[nodiscard]] Bins bins_of(const std::array<float, kFeatures>& values) const;

  /// Computes the sum of leaves for each of `bins`.
  void sum(std::span<const Bins> bins, std::span<std::int64_t> sums) const;

 private:
  struct Node {
    std::uint8_t feature = 0;
    std::uint8_t cut = 255;  // in a leaf: both children are the leaf itself
    std::uint16_t left = 0, right = 0;
    std::int16_t steps = 0;
  };

  std::array<std::vector<float>, kFeatures> cuts_;
  std::vector<Node> nodes_;  // of all trees; left and right are relative to the tree's root
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint16_t> depths_;
};

/// Append a node to the text of a tree.
void append_split(std::string& text, std::size_t feature, std::size_t cut);
void append_leaf(std::string& text, std::int32_t steps);

/// Convert cuts to and from text: five digits of base 90 for the bits of each.
void append_cuts(std::string& text, std::span<const float> cuts);
[[nodiscard]] std::optional<std::vector<float>> cuts_of(std::string_view text);

}  // namespace orrery::model
