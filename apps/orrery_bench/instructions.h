// SPDX-License-Identifier: Apache-2.0
//
// Steps of a program made ready to be called. Includes PyTorch: only for executor.cc,
// device.cc and instructions.cc.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "program.h"

namespace orrery::replay {

/// A result's place, and how it is made where the operator does not make it.
struct Result {
  std::uint32_t place = 0;
  std::int32_t item = -1;
  Slot slot = 0;
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
  at::ScalarType dtype = at::kFloat;
};

struct TensorArgument {
  std::uint32_t argument = 0;
  Slot slot = 0;
  bool written = false;
};

constexpr Slot kNothing = ~Slot{0};

/// A list argument with tensors in it; kNothing = None.
struct ListArgument {
  std::uint32_t argument = 0;
  bool optional = false;
  std::vector<Slot> slots;
  bool written = false;
};

struct Instruction {
  Step::Kind kind = Step::Kind::call;
  std::optional<c10::OperatorHandle> handle;
  std::vector<c10::IValue> arguments;  ///< tensors are put in
  std::vector<TensorArgument> tensors;
  std::vector<ListArgument> lists;
  std::vector<Result> results;
  std::vector<Slot> last;
  double flops = 0;
  std::int64_t gap_ns = 0;
  std::uint32_t exchange = 0;  ///< communicate, wait
  std::uint32_t stream = 0;
  bool broken = false;    ///< did not work: only makes its results
  bool reshaped = false;  ///< results are made anew with the recorded sizes
};

[[nodiscard]] at::ScalarType scalar_type(std::string_view dtype);

/// One for each step, for that device. Throws std::runtime_error for operators that are not there.
[[nodiscard]] std::vector<Instruction> instructions_of(const Program& program, at::Device device);

}  // namespace orrery::replay
