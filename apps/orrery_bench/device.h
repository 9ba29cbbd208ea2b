// SPDX-License-Identifier: Apache-2.0
//
// What a program is played on: the host, or a device with queues of its own. Only what PyTorch has
// for all kinds of devices is used, so that this builds without CUDA, too. Includes PyTorch.
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
#include "streams.h"

namespace orrery::replay {

/// "cpu", "cuda", "cuda:1"; or "meta", which has neither memory nor values, for trying things out.
/// Throws std::runtime_error where there is none of that name here.
[[nodiscard]] at::Device device_of(const std::string& name);

/// A program's device while it is played. On CUDA its steps run on as many streams as the program
/// has; elsewhere one after another.
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
  /// `tensor` of the host's, or a copy of it on the device.
  [[nodiscard]] at::Tensor here(at::Tensor tensor) const;

  /// Everything on the device has ended.
  void settle();
  /// The step's stream is the current one, and waits for what it needs of others.
  void before(const Instruction& step, const std::vector<at::Tensor>& slots);
  /// Its results are that stream's.
  void after(const Instruction& step, const std::vector<at::Tensor>& slots);
  /// A slot is about to be emptied.
  void let_go(const at::Tensor& tensor);

  /// Reads a tensor once.
  void read(const at::Tensor& tensor) const;
  /// Multiplies and adds, `flops` times in all.
  void calculate(double flops);

 private:
  at::Device place_;
  std::optional<c10::impl::VirtualGuardImpl> guard_;  // of CUDA
  std::optional<c10::Stream> first_;                  // the thread's own before
  std::vector<c10::Stream> queues_;                   // by number; empty: no streams
  std::optional<Streams> order_;                      // where there are several
  std::vector<const void*> used_;                     // by the step that runs
  at::Tensor square_;                                 // for calculate
};

/// Bytes that tensors would take if each had memory of its own.
[[nodiscard]] std::int64_t bytes_of(const std::vector<at::Tensor>& tensors);

}  // namespace orrery::replay
