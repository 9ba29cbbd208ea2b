// SPDX-License-Identifier: Apache-2.0
//
// Arguments and results of an operator as an execution trace has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/bench/tensor.h"

namespace orrery::bench {

/// One argument, or one item of a list.
struct Recorded {
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
  std::vector<Recorded> items;

  [[nodiscard]] static Recorded of(std::int64_t number);
  [[nodiscard]] static Recorded of(double number);
  [[nodiscard]] static Recorded of(bool truth);
  [[nodiscard]] static Recorded of(RecordedTensor tensor);
  [[nodiscard]] static Recorded of(std::vector<Recorded> items);
};

/// Four lists side by side, as JSON texts; `strides` may be empty.
struct Side {
  std::string_view values, shapes, types, strides;
};

/// The arguments in order. What does not fit together (a tensor without sizes, an unknown type)
/// becomes Kind::other. Whatever the texts, it ends; deeper than limits::kJsonDepth is other.
[[nodiscard]] std::vector<Recorded> read_side(const Side& side);

/// `fn(RecordedTensor&)` or of const, for each tensor in `values`, those in lists too.
template <class Values, class Fn>
void for_each_recorded(Values& values, Fn&& fn) {
  for (auto& value : values) {
    if (value.kind == Recorded::Kind::tensor) fn(value.tensor);
    if (value.kind == Recorded::Kind::list) for_each_recorded(value.items, fn);
  }
}

}  // namespace orrery::bench
