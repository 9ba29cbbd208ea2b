// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <ATen/Context.h>
#include <c10/core/Event.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "stand_in.h"

namespace orrery::replay {
namespace {

constexpr std::int64_t kSquare = 1024;  // rows and columns of what calculate multiplies

std::size_t streams_in(const Program& program) {
  std::uint32_t most = 0;
  for (const Step& step : program.steps) most = std::max(most, step.stream);
  return std::size_t{most} + 1;
}

const void* memory_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl()
                                                  : nullptr;
}

/// `fn(tensor, written)` for each that a step is given.
template <class Fn>
void for_each_input(const Instruction& step, const std::vector<at::Tensor>& slots, Fn&& fn) {
  for (const TensorArgument& argument : step.tensors) fn(slots[argument.slot], argument.written);
  for (const ListArgument& list : step.lists)
    for (const Slot slot : list.slots)
      if (slot != kNothing) fn(slots[slot], list.written);
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
  while (queues_.size() < streams_in(program))
    queues_.push_back(guard_->getStreamFromGlobalPool(place_));
  if (queues_.size() > 1) order_.emplace(queues_.size());
}

Device::~Device() {
  if (first_) guard_->exchangeStream(*first_);
}

at::TensorOptions Device::options(at::ScalarType dtype) const {
  return at::TensorOptions().dtype(dtype).device(place_);
}

at::Tensor Device::here(at::Tensor tensor) const {
  return is_host() ? std::move(tensor) : tensor.to(place_);
}

void Device::settle() {
  for (const c10::Stream& queue : queues_) guard_->synchronizeStream(queue);
  if (order_) order_->clear();
}

void Device::before(const Instruction& step, const std::vector<at::Tensor>& slots) {
  if (!order_) return;
  const c10::Stream& queue = queues_[step.stream];
  std::vector<Use> uses;
  used_.clear();
  for_each_input(step, slots, [&](const at::Tensor& tensor, bool written) {
    const void* const memory = memory_of(tensor);
    if (memory == nullptr) return;
    uses.push_back({memory, written});
    used_.push_back(memory);
    // Freed on the host, its memory is not given away before this stream has come so far.
    guard_->recordDataPtrOnStream(tensor.storage().data_ptr(), queue);
  });
  for (const std::uint32_t other : order_->step(step.stream, uses)) {
    c10::Event event(place_.type());
    event.record(queues_[other]);
    event.block(queue);
  }
  guard_->exchangeStream(queue);
}

void Device::after(const Instruction& step, const std::vector<at::Tensor>& slots) {
  if (!order_) return;
  for (const Result& result : step.results) {
    const void* const memory = memory_of(slots[result.slot]);
    const bool old = std::find(used_.begin(), used_.end(), memory) != used_.end();
    if (memory != nullptr && !old) order_->made(memory);
  }
}

void Device::let_go(const at::Tensor& tensor) {
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
  if (is_host()) return replay::calculate(flops);
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

}  // namespace orrery::replay
