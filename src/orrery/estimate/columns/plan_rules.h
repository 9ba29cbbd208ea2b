// SPDX-License-Identifier: Apache-2.0
//
// Finds the rules that plans violate, without building the specification of each plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/estimate/columns/key_table.h"
#include "orrery/estimate/columns/plan_columns.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// workload::check_spec for plans of one job. A rule depends on tensor, data and expert
/// parallelism, on stages and their schedule, or on the size of a microbatch. Each of the three is
/// checked once per combination of its values, with neutral values for the others.
class PlanRules {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  /// `base`: specification of the job; plans differ from it only in PlanColumns.
  explicit PlanRules(workload::Spec base);

  /// Checks combinations of values that are new.
  void add(const PlanColumns& plans, std::size_t row);
  /// The index of the first rule (workload::rules) that a plan violates; kNone: none. Requires
  /// add() for this plan.
  [[nodiscard]] std::uint16_t violated_rule(const PlanColumns& plans, std::size_t row) const;

 private:
  [[nodiscard]] std::uint16_t first_violated(const workload::Spec& spec) const;
  [[nodiscard]] static TableKey sharding_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] static TableKey stages_key(const PlanColumns& plans, std::size_t row);
  [[nodiscard]] static TableKey size_key(const PlanColumns& plans, std::size_t row);

  workload::Spec base_;
  std::vector<workload::Rule> rules_;
  std::uint16_t global_batch_ = kNone;
  KeyedTable<std::uint16_t> shardings_, stages_, sizes_;  // violated rules
};

}  // namespace orrery::estimate
