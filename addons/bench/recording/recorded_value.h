// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of an operator as an execution trace has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/recording/tensor.h"

namespace orrery::bench {

/// One argument, or one item of a list.
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
    other  ///< a stream, a storage, an object; or nothing that can be made out
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< and truth
  double real = 0;
  std::string text;  ///< of a text or a device
  RecordedTensor tensor;
  std::vector<RecordedValue> items;

  [[nodiscard]] static RecordedValue of(std::int64_t number);
  [[nodiscard]] static RecordedValue of(double number);
  [[nodiscard]] static RecordedValue of(bool truth);
  [[nodiscard]] static RecordedValue of(RecordedTensor tensor);
  [[nodiscard]] static RecordedValue of(std::vector<RecordedValue> items);
};

/// Four lists side by side, as JSON texts; `strides` may be empty.
struct ValueColumns {
  std::string_view values, shapes, types, strides;
};

/// The arguments in order. What does not fit together (a tensor without sizes, an unknown type)
/// becomes Kind::other. Whatever the texts, it ends; deeper than limits::kJsonDepth is other.
[[nodiscard]] std::vector<RecordedValue> read_recorded_values(const ValueColumns& side);

/// `fn(RecordedTensor&)` or of const, for each tensor in `values`, those in lists too.
template <class Values, class Fn>
void for_each_recorded_tensor(Values& values, Fn&& fn) {
  for (auto& value : values) {
    if (value.kind == RecordedValue::Kind::tensor) fn(value.tensor);
    if (value.kind == RecordedValue::Kind::list) for_each_recorded_tensor(value.items, fn);
  }
}

}  // namespace orrery::bench
