// SPDX-License-Identifier: Apache-2.0
//
// Rules that plans break, without writing out each plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/estimate/columns/key_table.h"
#include "orrery/estimate/columns/plan_columns.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// `workload::legal` of plans of one job. Rules look at tensor, data and expert parallelism, at
/// stages and their schedule, or at the size of a microbatch: each of the three is asked about
/// once, with nothing of the others.
class PlanRules {
 public:
  static constexpr std::uint16_t kNone = 0xffff;

  /// A job whose plans differ in nothing else.
  explicit PlanRules(workload::Spec base);

  /// Asks about what is new.
  void learn(const PlanColumns& plans, std::size_t place);
  /// The number of the first rule (workload::rules) that a plan breaks; kNone: none. It has been
  /// learnt.
  [[nodiscard]] std::uint16_t broken(const PlanColumns& plans, std::size_t place) const;

 private:
  struct Table {
    KeyTable keys;
    std::vector<std::uint16_t> rules;
  };
  void ask(Table& table, TableKey key, const workload::Spec& spec) const;
  [[nodiscard]] static TableKey cut_key(const PlanColumns& plans, std::size_t place);
  [[nodiscard]] static TableKey stages_key(const PlanColumns& plans, std::size_t place);
  [[nodiscard]] static TableKey size_key(const PlanColumns& plans, std::size_t place);

  workload::Spec base_;
  std::vector<workload::Rule> rules_;
  std::uint16_t global_batch_ = kNone;
  Table cuts_, stages_, sizes_;
};

}  // namespace orrery::estimate
