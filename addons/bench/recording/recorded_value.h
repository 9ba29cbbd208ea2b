// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of an operator, as an execution trace contains them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/recording/tensor.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// An argument, or an item of a list.
struct RecordedValue {
  enum class Kind : std::uint8_t {
    none,
    tensor,
    integer,
    real,
    truth,
    text,
    device,
    list,
    other  ///< a stream, storage or object, or an invalid value
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< also for booleans
  double real = 0;
  std::string text;  ///< for texts and devices
  RecordedTensor tensor;
  std::vector<RecordedValue> items;

  [[nodiscard]] static RecordedValue of(std::int64_t number);
  [[nodiscard]] static RecordedValue of(double number);
  [[nodiscard]] static RecordedValue of(bool truth);
  [[nodiscard]] static RecordedValue of(RecordedTensor tensor);
  [[nodiscard]] static RecordedValue of(std::vector<RecordedValue> items);
};

/// Four parallel lists as JSON texts; `strides` may be empty.
struct ValueColumns {
  std::string_view values, shapes, types, strides;
};

/// The arguments in order. Inconsistent values (a tensor without sizes, an unknown type) become
/// Kind::other, as do values nested deeper than limits::kJsonDepth. Terminates for any text.
[[nodiscard]] std::vector<RecordedValue> read_recorded_values(const ValueColumns& side);

/// Those of a node.
[[nodiscard]] std::vector<RecordedValue> recorded_arguments(const profile::Profile& profile,
                                                            profile::EventId event);
[[nodiscard]] std::vector<RecordedValue> recorded_results(const profile::Profile& profile,
                                                          profile::EventId event);

/// Calls `fn(RecordedTensor&)` (or const) for each tensor in `values`, including tensors in lists.
template <class Values, class Fn>
void for_each_recorded_tensor(Values& values, Fn&& fn) {
  for (auto& value : values) {
    if (value.kind == RecordedValue::Kind::tensor) fn(value.tensor);
    if (value.kind == RecordedValue::Kind::list) for_each_recorded_tensor(value.items, fn);
  }
}

}  // namespace orrery::bench
