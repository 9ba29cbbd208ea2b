// SPDX-License-Identifier: Apache-2.0
//
// Recorded arguments as schemas want them.
#pragma once

#include <utility>
#include <vector>

#include "orrery/bench/plan.h"
#include "orrery/bench/recorded.h"
#include "orrery/bench/schema.h"
#include "orrery/bench/slots.h"
#include "orrery/core/error.h"

namespace orrery::bench {

class Arguments {
 public:
  explicit Arguments(Slots& slots) : slots_(slots) {}

  /// `fits` has held. Slots of tensors are appended to `inputs`. Errc: input_range.
  [[nodiscard]] Result<Value> convert(const Recorded& value, const Type& type,
                                      std::vector<Slot>& inputs);
  /// Slots of what operators have written since the last call.
  [[nodiscard]] std::vector<Slot> take_written() { return std::exchange(written_, {}); }

 private:
  Result<Value> convert_list(const Recorded& value, const Type& type, std::vector<Slot>& inputs);

  Slots& slots_;
  std::vector<Slot> written_;
};

}  // namespace orrery::bench
