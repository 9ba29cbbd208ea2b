// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace orrery::model {
namespace {

constexpr char kFirstDigit = '!';  // 90 digits, '!' to 'z'
constexpr std::int32_t kBase = 90;
constexpr std::int32_t kLeafDigits = kFeatures;  // minimum first digit of leaves
constexpr int kCutDigits = 5;                    // digits of base 90 for 32 bits
constexpr std::size_t kTogetherWalked = 8;
static_assert(2 * Forest::kMaxLeafSteps < (kBase - kLeafDigits) * kBase);

/// The value of a digit; -1: it is not a digit.
int digit_of(char c) { return c >= kFirstDigit && c < kFirstDigit + kBase ? c - kFirstDigit : -1; }

}  // namespace

bool Forest::set_cuts(std::size_t feature, std::vector<float> cuts) {
  if (feature >= kFeatures || cuts.size() > kMaxCuts) return false;
  for (std::size_t i = 0; i < cuts.size(); ++i)
    if (!std::isfinite(cuts[i]) || (i > 0 && !(cuts[i - 1] < cuts[i]))) return false;
  cuts_[feature] = std::move(cuts);
  return true;
}

bool Forest::add(std::string_view text) {
  std::vector<Node> tree;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> open;  // node without right child, depth
  std::size_t depth = 0, deepest = 0;
  for (;;) {
    if (text.size() < 2 || tree.size() >= kMaxTreeNodes) return false;
    const auto self = static_cast<std::uint16_t>(tree.size());
    const int first = digit_of(text[0]), second = digit_of(text[1]);
    if (first < 0 || second < 0) return false;
    text.remove_prefix(2);
    if (first >= kLeafDigits) {
      const std::int32_t steps = (first - kLeafDigits) * kBase + second - kMaxLeafSteps;
      if (steps > kMaxLeafSteps) return false;
      tree.push_back({0, 255, self, self, static_cast<std::int16_t>(steps)});
      if (open.empty()) break;
      tree[open.back().first].right = static_cast<std::uint16_t>(tree.size());
      depth = open.back().second;
      open.pop_back();
    } else {
      const auto feature = static_cast<std::size_t>(first);
      if (static_cast<std::size_t>(second) >= cuts_[feature].size()) return false;
      ++depth;
      deepest = std::max(deepest, depth);
      open.emplace_back(self, static_cast<std::uint16_t>(depth));
      tree.push_back({static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second),
                      static_cast<std::uint16_t>(self + 1), 0, 0});
    }
  }
  if (!text.empty()) return false;
  roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  depths_.push_back(static_cast<std::uint16_t>(deepest));
  nodes_.insert(nodes_.end(), tree.begin(), tree.end());
  return true;
}

Bins Forest::bins_of(const std::array<float, kFeatures>& values) const {
  Bins bins{};
  for (std::size_t i = 0; i < kFeatures; ++i) {
    const auto& cuts = cuts_[i];
    bins[i] = static_cast<std::uint8_t>(std::upper_bound(cuts.begin(), cuts.end(), values[i]) -
                                        cuts.begin());
  }
  return bins;
}

void Forest::sum(std::span<const Bins> bins, std::span<std::int64_t> sums) const {
  std::fill(sums.begin(), sums.end(), 0);
  for (std::size_t t = 0; t < roots_.size(); ++t) {
    const Node* const tree = &nodes_[roots_[t]];
    const std::size_t depth = depths_[t];
    std::size_t i = 0;
    // Walks several rows at once, so that their cache misses overlap.
    for (; i + kTogetherWalked <= bins.size(); i += kTogetherWalked) {
      std::array<std::uint16_t, kTogetherWalked> at{};
      for (std::size_t level = 0; level < depth; ++level)
        for (std::size_t j = 0; j < kTogetherWalked; ++j) {
          const Node& node = tree[at[j]];
          at[j] = bins[i + j][node.feature] <= node.cut ? node.left : node.right;
        }
      for (std::size_t j = 0; j < kTogetherWalked; ++j) sums[i + j] += tree[at[j]].steps;
    }
    for (; i < bins.size(); ++i) {
      std::uint16_t at = 0;
      for (std::size_t level = 0; level < depth; ++level) {
        const Node& node = tree[at];
        at = bins[i][node.feature] <= node.cut ? node.left : node.right;
      }
      sums[i] += tree[at].steps;
    }
  }
}

void append_split(std::string& text, std::size_t feature, std::size_t cut) {
  text += static_cast<char>(kFirstDigit + static_cast<int>(feature));
  text += static_cast<char>(kFirstDigit + static_cast<int>(cut));
}

void append_leaf(std::string& text, std::int32_t steps) {
  const std::int32_t value =
      std::clamp(steps, -Forest::kMaxLeafSteps, Forest::kMaxLeafSteps) + Forest::kMaxLeafSteps;
  text += static_cast<char>(kFirstDigit + kLeafDigits + value / kBase);
  text += static_cast<char>(kFirstDigit + value % kBase);
}

void append_cuts(std::string& text, std::span<const float> cuts) {
  for (const float cut : cuts) {
    auto bits = std::bit_cast<std::uint32_t>(cut);
    for (int digit = 0; digit < kCutDigits; ++digit) {
      text += static_cast<char>(kFirstDigit + static_cast<int>(bits % kBase));
      bits /= kBase;
    }
  }
}

std::optional<std::vector<float>> cuts_of(std::string_view text) {
  if (text.size() % kCutDigits != 0) return std::nullopt;
  std::vector<float> cuts;
  for (; !text.empty(); text.remove_prefix(kCutDigits)) {
    std::uint64_t bits = 0;
    for (int digit = kCutDigits - 1; digit >= 0; --digit) {
      const int value = digit_of(text[static_cast<std::size_t>(digit)]);
      if (value < 0) return std::nullopt;
      bits = bits * kBase + static_cast<std::uint64_t>(value);
    }
    if (bits > 0xffffffffu) return std::nullopt;
    cuts.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return cuts;
}

}  // namespace orrery::model
