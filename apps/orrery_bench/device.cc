// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <ATen/Context.h>
#include <c10/core/Event.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "stand_in.h"

namespace orrery::bench {
namespace {

constexpr std::int64_t kSquare = 1024;  // rows and columns of the matrix in calculate()

const void* memory_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl()
                                                  : nullptr;
}

/// Calls `fn(tensor, written)` for each tensor argument of a step.
template <class Fn>
void for_each_input(const Instruction& instruction, const std::vector<at::Tensor>& slots, Fn&& fn) {
  for (const TensorArgument& argument : instruction.tensors)
    fn(slots[argument.slot], argument.written);
  for (const ListArgument& list : instruction.lists)
    for (const Slot slot : list.slots)
      if (slot != kNoSlot) fn(slots[slot], list.written);
}

}  // namespace

at::Device device_of(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  const std::string number = name.size() > kind.size() ? name.substr(kind.size() + 1) : "0";
  const bool digits = !number.empty() && number.size() < 3 &&
                      number.find_first_not_of("0123456789") == std::string::npos;
  const int index = digits ? std::stoi(number) : -1;
  if (name == "cpu" || name == "meta") return at::Device(name == "cpu" ? at::kCPU : at::kMeta);
  if (kind != "cuda" || index < 0) throw std::runtime_error("is none: cpu, cuda or cuda:N");
  if (!at::globalContext().hasCUDA())
    throw std::runtime_error("this PyTorch is one without CUDA, or it finds no GPU");
  at::globalContext().lazyInitCUDA();
  const int count = c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount();
  if (index >= count)
    throw std::runtime_error("there are " + std::to_string(count) + " GPUs, from 0");
  return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

Device::Device(const std::string& name, const Program& program) : place_(device_of(name)) {
  if (!place_.is_cuda()) return;
  guard_.emplace(place_.type());
  guard_->setDevice(place_);
  first_ = guard_->getStream(place_);
  queues_.push_back(guard_->getDefaultStream(place_));
  while (queues_.size() < stream_count(program))
    queues_.push_back(guard_->getStreamFromGlobalPool(place_));
  if (queues_.size() > 1) order_.emplace(queues_.size());
}

Device::~Device() {
  if (first_) guard_->exchangeStream(*first_);
}

at::TensorOptions Device::options(at::ScalarType dtype) const {
  return at::TensorOptions().dtype(dtype).device(place_);
}

at::Tensor Device::to_device(at::Tensor tensor) const {
  return is_host() ? std::move(tensor) : tensor.to(place_);
}

void Device::synchronize() {
  for (const c10::Stream& queue : queues_) guard_->synchronizeStream(queue);
  if (order_) order_->clear();
}

void Device::before(const Instruction& instruction, const std::vector<at::Tensor>& slots) {
  if (!order_) return;
  const c10::Stream& queue = queues_[instruction.step->stream];
  std::vector<MemoryUse> uses;
  used_.clear();
  for_each_input(instruction, slots, [&](const at::Tensor& tensor, bool written) {
    const void* const memory = memory_of(tensor);
    if (memory == nullptr) return;
    uses.push_back({memory, written});
    used_.push_back(memory);
    // The allocator does not reuse its memory before this stream has reached this point.
    guard_->recordDataPtrOnStream(tensor.storage().data_ptr(), queue);
  });
  for (const std::uint32_t other : order_->step(instruction.step->stream, uses)) {
    c10::Event event(place_.type());
    event.record(queues_[other]);
    event.block(queue);
  }
  guard_->exchangeStream(queue);
}

void Device::after(const Instruction& instruction, const std::vector<at::Tensor>& slots) {
  if (!order_) return;
  for (const Output& result : instruction.step->outputs) {
    const void* const memory = memory_of(slots[result.slot]);
    const bool old = std::find(used_.begin(), used_.end(), memory) != used_.end();
    if (memory != nullptr && !old) order_->made(memory);
  }
}

void Device::release(const at::Tensor& tensor) {
  if (!order_ || !tensor.defined() || !tensor.has_storage()) return;
  if (tensor.use_count() == 1 && tensor.storage().use_count() == 1)
    order_->forget(memory_of(tensor));
}

void Device::read(const at::Tensor& tensor) const {
  if (is_host()) {
    read_bytes(tensor.data_ptr(), static_cast<std::int64_t>(tensor.nbytes()));
  } else {
    (void)tensor.sum();
  }
}

void Device::calculate(double flops) {
  if (is_host()) return bench::calculate(flops);
  constexpr double kRow = 2.0 * kSquare * kSquare;
  if (!square_.defined()) square_ = at::zeros({kSquare, kSquare}, options(at::kFloat));
  for (auto rows = std::ceil(flops / kRow); rows > 0; rows -= kSquare) {
    const auto some = static_cast<std::int64_t>(std::min<double>(rows, kSquare));
    (void)at::mm(square_.narrow(0, 0, some), square_);
  }
}

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined()) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

}  // namespace orrery::bench
