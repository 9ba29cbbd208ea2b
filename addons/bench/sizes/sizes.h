// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a plan's tensors, and the same plan with others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// New values of sizes, by the old ones.
using SizeChanges = std::map<std::int64_t, std::int64_t>;

/// What a plan's sizes have to do with each other: views that merge and split dimensions say which
/// are products of others, splits and concatenations which are multiples.
class Sizes {
 public:
  /// O(plan).
  explicit Sizes(const ReplayPlan& plan);

  /// Sizes that are no products of others: those that can be chosen. Ascending.
  [[nodiscard]] std::vector<std::int64_t> free() const;
  /// All that occur. Ascending.
  [[nodiscard]] const std::vector<std::int64_t>& all() const { return all_; }
  /// Ways in which a size is a product of others; none where it is free.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> products_of(std::int64_t size) const;

  /// The plan with every size, whole-number argument, stride, storage and range of indices as it is
  /// when free sizes are changed: a value is changed wherever it stands. Nothing where products
  /// would have to be two things at once, or a view cannot be told in the new sizes. Whether
  /// operators agree is for them to say. O(plan).
  [[nodiscard]] std::optional<ReplayPlan> with(const SizeChanges& changes) const;

 private:
  using Factors = std::vector<std::int64_t>;
  void relate(const ReplayStep& step);
  void relate_view(const TensorSpec& from, const TensorSpec& to);
  void relate_parts(const TensorSpec& one, const TensorSpec& other);
  void add_product(std::int64_t value, Factors factors);
  /// False where a product would be two things.
  [[nodiscard]] bool close(SizeChanges& changes) const;

  const ReplayPlan& plan_;
  std::vector<std::int64_t> all_;
  std::map<std::int64_t, std::vector<Factors>> products_;
};

}  // namespace orrery::bench
