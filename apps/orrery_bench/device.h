// SPDX-License-Identifier: Apache-2.0
//
// The device on which a program runs: the host, or a device with queues. Uses only PyTorch
// functions that exist for all kinds of devices, so that it builds without CUDA. Includes PyTorch.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instructions.h"
#include "stream_order.h"

namespace orrery::bench {

/// "cpu", "cuda", "cuda:1"; or "meta", which has neither memory nor values, for trials. Throws
/// std::runtime_error if there is no such device.
[[nodiscard]] at::Device device_of(const std::string& name);

/// The device during a replay. On CUDA, steps run on as many streams as the program has; on other
/// devices, one after another.
class Device {
 public:
  /// Throws as device_of.
  Device(const std::string& name, const Program& program);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] at::Device place() const { return place_; }
  [[nodiscard]] bool is_host() const { return place_.is_cpu(); }
  [[nodiscard]] at::TensorOptions options(at::ScalarType dtype) const;
  /// `tensor` itself, or a copy of this host tensor on the device.
  [[nodiscard]] at::Tensor to_device(at::Tensor tensor) const;

  /// Waits until all work on the device has ended.
  void synchronize();
  /// Makes the step's stream current, and makes it wait for the work on other streams that the step
  /// needs.
  void before(const Instruction& instruction, const std::vector<at::Tensor>& slots);
  /// Registers the results of the step with its stream.
  void after(const Instruction& instruction, const std::vector<at::Tensor>& slots);
  /// Call it before a slot is released.
  void release(const at::Tensor& tensor);

  /// Reads the memory of a tensor once.
  void read(const at::Tensor& tensor) const;
  /// Executes `flops` multiplications and additions in total.
  void calculate(double flops);

 private:
  at::Device place_;
  std::optional<c10::impl::VirtualGuardImpl> guard_;  // for CUDA
  std::optional<c10::Stream> first_;                  // the stream of this thread before the replay
  std::vector<c10::Stream> queues_;                   // by number; empty: no streams
  std::optional<StreamOrder> order_;                  // only with several streams
  std::vector<const void*> used_;                     // by the current step
  at::Tensor square_;                                 // input of calculate()
};

/// The bytes of tensors, if none shared memory.
[[nodiscard]] std::int64_t bytes_of(const std::vector<at::Tensor>& tensors);

}  // namespace orrery::bench
