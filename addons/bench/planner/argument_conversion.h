// SPDX-License-Identifier: Apache-2.0
//
// Converts recorded arguments to the types of a schema.
#pragma once

#include <utility>
#include <vector>

#include "addons/bench/operators/operator_schema.h"
#include "addons/bench/plan/replay_plan.h"
#include "addons/bench/planner/slots.h"
#include "addons/bench/recording/recorded_value.h"
#include "orrery/core/error.h"

namespace orrery::bench {

class Arguments {
 public:
  explicit Arguments(Slots& slots) : slots_(slots) {}

  /// Requires fits(value, type). Appends the slots of tensors to `inputs`. Errc: input_range.
  [[nodiscard]] Result<Value> convert(const RecordedValue& value, const ParameterType& type,
                                      std::vector<Slot>& inputs);
  /// The slots of tensors that operators wrote since the last call.
  [[nodiscard]] std::vector<Slot> take_written() { return std::exchange(written_, {}); }

 private:
  Result<Value> convert_list(const RecordedValue& value, const ParameterType& type,
                             std::vector<Slot>& inputs);

  Slots& slots_;
  std::vector<Slot> written_;
};

}  // namespace orrery::bench
