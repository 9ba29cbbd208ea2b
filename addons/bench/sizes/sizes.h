// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a plan's tensors, and plans with changed sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "addons/bench/plan/replay_plan.h"

namespace orrery::bench {

/// Maps old sizes to new ones.
using SizeChanges = std::map<std::int64_t, std::int64_t>;

/// Relations between the sizes of a plan. Views that merge and split dimensions show which sizes
/// are products of others; splits and concatenations show which are multiples.
class Sizes {
 public:
  /// O(plan).
  explicit Sizes(const ReplayPlan& plan);

  /// Sizes that are not products of others and can therefore be changed. Ascending.
  [[nodiscard]] std::vector<std::int64_t> free_sizes() const;
  /// All sizes of the plan. Ascending.
  [[nodiscard]] const std::vector<std::int64_t>& all() const { return all_; }
  /// The factorizations of a size into other sizes; empty if it is free.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> products_of(std::int64_t size) const;

  /// A plan with all sizes, integer arguments, strides, storages and index ranges adapted to the
  /// changed free sizes. A value changes at all its places. Empty if a product would need two
  /// values, or a view does not exist in the new sizes. Does not check that operators accept the
  /// sizes. O(plan).
  [[nodiscard]] std::optional<ReplayPlan> resized(const SizeChanges& changes) const;

 private:
  using Factors = std::vector<std::int64_t>;
  void relate(const ReplayStep& step);
  void relate_view(const TensorSpec& from, const TensorSpec& to);
  void relate_parts(const TensorSpec& one, const TensorSpec& other);
  void add_product(std::int64_t value, Factors factors);
  /// False if a product would have two values.
  [[nodiscard]] bool add_products(SizeChanges& changes) const;

  const ReplayPlan& plan_;
  std::vector<std::int64_t> all_;
  std::map<std::int64_t, std::vector<Factors>> products_;
};

}  // namespace orrery::bench
