// SPDX-License-Identifier: Apache-2.0
//
// Steps of a program, prepared for calls. Includes PyTorch: only for executor.cc, device.cc and
// instructions.cc.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "addons/bench/plan/program.h"

namespace orrery::bench {

struct TensorArgument {
  std::uint32_t argument = 0;
  Slot slot = 0;
  bool written = false;
};

/// A list argument that contains tensors; kNoSlot: None.
struct ListArgument {
  std::uint32_t argument = 0;
  bool optional = false;
  std::vector<Slot> slots;
  bool written = false;
};

struct Instruction {
  const ReplayStep* step = nullptr;
  std::optional<c10::OperatorHandle> handle;
  std::vector<c10::IValue> arguments;  ///< tensors are filled in before the call
  std::vector<TensorArgument> tensors;
  std::vector<ListArgument> lists;
  bool failed = false;    ///< its step failed before: only creates its results
  bool reshaped = false;  ///< results are recreated with the recorded sizes
};

[[nodiscard]] at::ScalarType scalar_type(Dtype dtype);

/// One instruction per step of `program`, which must outlive them. Throws std::runtime_error if an
/// operator does not exist.
[[nodiscard]] std::vector<Instruction> instructions_of(const Program& program, at::Device device);

}  // namespace orrery::bench
