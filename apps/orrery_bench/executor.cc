// SPDX-License-Identifier: Apache-2.0
#include "executor.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/Logging.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "clock.h"
#include "device.h"
#include "energy.h"
#include "fill.h"
#include "instructions.h"
#include "memory.h"
#include "operator_counter.h"

namespace orrery::bench {
namespace {

std::string first_line(const char* text) {
  const std::string all = text;
  return all.substr(0, std::min(all.find('\n'), std::size_t{200}));
}

at::Tensor strided(const at::Tensor& base, const TensorSpec& spec) {
  std::vector<std::int64_t> strides = spec.strides;
  if (strides.size() != spec.sizes.size()) {
    strides.assign(spec.sizes.size(), 1);
    for (std::size_t d = spec.sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * std::max<std::int64_t>(spec.sizes[d], 1);
  }
  return base.as_strided(spec.sizes, strides, spec.offset);
}

class Executor {
 public:
  Executor(const Program& program, const ReplayOptions& options)
      : program_(program), options_(options), device_(options.device, program) {}
  ReplayOutcome run();

 private:
  void allocate();
  [[nodiscard]] at::Tensor filled(std::size_t storage) const;
  void restore();
  void retain(std::size_t step);
  void iterate(std::optional<unsigned> counted);
  void wait_until(std::int64_t until) const;
  void execute(std::size_t index);
  void call(Instruction& instruction, std::size_t index);
  void store_results(Instruction& instruction, std::size_t index);
  void view(const Instruction& instruction);
  void stand_in(const Instruction& instruction);
  void communicate(const Instruction& instruction);
  void wait_for(std::size_t exchange);
  void create_results(const Instruction& instruction);
  void fail(Instruction& instruction, std::size_t index, const char* why);

  const Program& program_;
  const ReplayOptions& options_;
  Device device_;
  std::vector<Instruction> instructions_;
  std::vector<at::Tensor> storages_, copies_;
  std::vector<std::vector<const External*>> retained_;  // by step: memory that appears after it
  std::vector<at::Tensor> slots_;
  std::vector<c10::IValue> stack_;
  std::unique_ptr<Communicator> delays_;
  Communicator* communicator_ = nullptr;
  std::vector<bool> pending_;                  // by exchange
  std::vector<TimeSpan> busy_;                 // by exchange
  std::vector<std::int64_t> excluded_before_;  // by exchange: excluded_wall_ at its begin
  bool first_iteration_ = true;                // compares results with the recording
  std::optional<OperatorCounter>
      counter_;  // only in the unmeasured iteration for memory and operators
  std::int64_t excluded_wall_ = 0, excluded_cpu_ = 0;  // time to exclude from this iteration
  ReplayOutcome outcome_;
};

at::Tensor Executor::filled(std::size_t s) const {
  const Storage& storage = program_.storages[s];
  const std::int64_t width = bytes_of(storage.dtype);
  at::Tensor memory = at::empty({(storage.bytes + width - 1) / width},
                                at::TensorOptions().dtype(scalar_type(storage.dtype)));
  fill(memory.data_ptr(), storage, s << 32, program_.reuse);
  return device_.to_device(std::move(memory));
}

void Executor::allocate() {
  const auto& all = program_.storages;
  for (std::size_t s = 0; s < all.size(); ++s)
    storages_.push_back(all[s].after == kNoStep ? filled(s) : at::Tensor());
  outcome_.external_bytes = device_.is_host() ? memory_now() : bytes_of(storages_);
  for (std::size_t s = 0; s < all.size(); ++s)
    copies_.push_back(all[s].written && all[s].after == kNoStep ? storages_[s].clone()
                                                                : at::Tensor());
  retained_.resize(instructions_.size());
  for (const External& external : program_.externals)
    if (const std::uint32_t step = all[external.storage].after; step != kNoStep)
      retained_[step].push_back(&external);
  outcome_.copies_bytes =
      device_.is_host() ? memory_now() - outcome_.external_bytes : bytes_of(copies_);
}

/// Restores the state before the first step.
void Executor::restore() {
  for (std::size_t s = 0; s < storages_.size(); ++s) {
    if (copies_[s].defined()) storages_[s].copy_(copies_[s]);
  }
  for (at::Tensor& slot : slots_) slot = at::Tensor();
  for (const External& external : program_.externals) {
    const at::Tensor& memory = storages_[external.storage];
    if (memory.defined()) slots_[external.slot] = strided(memory, external.spec);
  }
}

/// Creates the memory that the recorded operator retained, with valid values for later operators.
/// The step has created and released its own; the time of this function is excluded from the
/// iteration.
void Executor::retain(std::size_t step) {
  if (retained_[step].empty()) return;
  const std::int64_t wall = wall_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  std::map<std::uint32_t, at::Tensor> memory;
  for (const External* external : retained_[step]) {
    at::Tensor& storage = memory[external->storage];
    if (!storage.defined()) storage = filled(external->storage);
    slots_[external->slot] = strided(storage, external->spec);
  }
  excluded_wall_ += wall_ns() - wall;
  excluded_cpu_ += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

void Executor::wait_until(std::int64_t until) const {
  if (!options_.wait_in_gaps) return;
  while (wall_ns() < until) {
  }
}

void Executor::create_results(const Instruction& instruction) {
  for (const Output& output : instruction.step->outputs) {
    const auto& [dtype, sizes, strides, offset] = output.spec;
    const auto options = device_.options(scalar_type(dtype));
    at::Tensor made = strides.size() == sizes.size() ? at::empty_strided(sizes, strides, options)
                                                     : at::empty(sizes, options);
    slots_[output.slot] = made.zero_();
  }
}

void Executor::fail(Instruction& instruction, std::size_t index, const char* why) {
  instruction.failed = true;
  if (outcome_.reasons[index].empty()) outcome_.reasons[index] = first_line(why);
  try {
    create_results(instruction);
  } catch (const std::exception& error) {
    throw std::runtime_error("step " + std::to_string(index + 1) +
                             ": its results cannot be made either: " + first_line(error.what()));
  }
}

void Executor::view(const Instruction& instruction) {
  const Output& output = instruction.step->outputs.front();
  slots_[output.slot] = strided(slots_[instruction.tensors.front().slot], output.spec);
}

void Executor::stand_in(const Instruction& instruction) {
  for (const ListArgument& list : instruction.lists) {
    const bool written = list.argument == 1;
    for (const Slot slot : list.slots) {
      if (slot == kNoSlot) continue;
      at::Tensor& tensor = slots_[slot];
      if (written) {
        tensor.zero_();
      } else if (tensor.defined() && tensor.is_non_overlapping_and_dense()) {
        device_.read(tensor);
      }
    }
  }
  device_.calculate(instruction.step->flops);
  create_results(instruction);
}

void Executor::communicate(const Instruction& instruction) {
  create_results(instruction);
  std::vector<at::Tensor> sent, received;
  for (const ListArgument& list : instruction.lists) {
    for (const Slot slot : list.slots) {
      if (slot != kNoSlot && slots_[slot].defined())
        (list.argument == 0 ? sent : received).push_back(slots_[slot]);
    }
  }
  for (const Output& output : instruction.step->outputs) received.push_back(slots_[output.slot]);
  const std::uint32_t exchange = instruction.step->exchange;
  if (pending_[exchange]) wait_for(exchange);
  pending_[exchange] = true;
  excluded_before_[exchange] = excluded_wall_;
  communicator_->begin(exchange, sent, received);
}

void Executor::wait_for(std::size_t exchange) {
  if (!pending_[exchange]) return;
  pending_[exchange] = false;
  busy_[exchange] = communicator_->wait(exchange);
}

/// In the first iteration, marks results of unexpected sizes: these sizes depend on values, which
/// differ from the recording.
void Executor::store_results(Instruction& instruction, std::size_t index) {
  for (const Output& result : instruction.step->outputs) {
    TORCH_CHECK(result.place < stack_.size(), "fewer results than recorded");
    const c10::IValue& value = stack_[result.place];
    at::Tensor& slot = slots_[result.slot];
    if (result.item < 0) {
      slot = value.toTensor();
    } else {
      const auto items = value.toListRef();
      TORCH_CHECK(static_cast<std::size_t>(result.item) < items.size(),
                  "fewer results than recorded");
      slot = items[static_cast<std::size_t>(result.item)].toTensor();
    }
    if (first_iteration_ &&
        (!slot.defined() || slot.sizes() != c10::IntArrayRef(result.spec.sizes))) {
      instruction.reshaped = true;
      outcome_.reshaped[index] = 1;
    }
  }
  if (instruction.reshaped) create_results(instruction);
}

void Executor::call(Instruction& instruction, std::size_t index) {
  stack_.clear();
  stack_.insert(stack_.end(), instruction.arguments.begin(), instruction.arguments.end());
  for (const TensorArgument& tensor : instruction.tensors)
    stack_[tensor.argument] = slots_[tensor.slot];
  for (const ListArgument& list : instruction.lists) {
    if (list.optional) {
      c10::List<c10::optional<at::Tensor>> items;
      for (const Slot slot : list.slots)
        items.push_back(slot == kNoSlot ? c10::nullopt : c10::optional<at::Tensor>(slots_[slot]));
      stack_[list.argument] = std::move(items);
    } else {
      c10::List<at::Tensor> items;
      items.reserve(list.slots.size());
      for (const Slot slot : list.slots)
        items.push_back(slot == kNoSlot ? at::Tensor() : slots_[slot]);
      stack_[list.argument] = std::move(items);
    }
  }
  if (options_.called != nullptr)
    options_.called->push_back(c10::toString(instruction.handle->operator_name()));
  if (counter_) counter_->count(true);
  instruction.handle->callBoxed(&stack_);
  if (counter_) counter_->count(false);
  store_results(instruction, index);
  stack_.clear();
}

void Executor::execute(std::size_t index) {
  Instruction& instruction = instructions_[index];
  const ReplayStep& step = *instruction.step;
  if (step.kind == ReplayStep::Kind::communicate) return communicate(instruction);
  if (step.kind == ReplayStep::Kind::wait) return wait_for(step.exchange);
  if (instruction.failed) {
    ++outcome_.failures[index];
    create_results(instruction);
    return;
  }
  if (options_.called != nullptr && step.kind != ReplayStep::Kind::call)
    options_.called->push_back(program_.name(step));
  try {
    switch (step.kind) {
      case ReplayStep::Kind::call:
        return call(instruction, index);
      case ReplayStep::Kind::view:
        return view(instruction);
      case ReplayStep::Kind::stand_in:
        return stand_in(instruction);
      case ReplayStep::Kind::absent:
        return create_results(instruction);
      case ReplayStep::Kind::communicate:
      case ReplayStep::Kind::wait:
        return;
    }
  } catch (const std::exception& error) {
    if (counter_) counter_->count(false);
    ++outcome_.failures[index];
    fail(instruction, index, error.what());
  }
}

/// Runs one iteration: a measured one by number, or another one.
void Executor::iterate(std::optional<unsigned> counted) {
  restore();
  communicator_->barrier();
  device_.synchronize();
  const std::size_t first = std::size_t{counted.value_or(0)} * instructions_.size();
  excluded_wall_ = excluded_cpu_ = 0;
  const bool measured = counter_ && device_.is_host();  // memory
  const std::int64_t begin = wall_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  std::int64_t end = begin;  // of the previous step
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    // The recorded gap already includes the release of memory between operators, so it is not
    // added.
    const ReplayStep& step = program_.steps[i];
    if (step.gap_ns > 0) wait_until(end + step.gap_ns);
    if (measured) reset_peak();
    const std::int64_t from = wall_ns();
    device_.before(instructions_[i], slots_);
    execute(i);
    device_.after(instructions_[i], slots_);
    if (options_.synchronize) device_.synchronize();
    end = wall_ns();
    if (counted) {
      outcome_.begin_ns[first + i] = from - begin - excluded_wall_;
      outcome_.length_ns[first + i] = end - from;
    }
    const std::int64_t away = excluded_wall_;
    retain(i);
    end += excluded_wall_ - away;
    if (measured) outcome_.most_bytes.push_back(memory_peak() - outcome_.copies_bytes);
    for (const Slot slot : step.last) {
      device_.release(slots_[slot]);
      slots_[slot].reset();
    }
    if (measured) outcome_.held_bytes.push_back(memory_now() - outcome_.copies_bytes);
  }
  for (std::size_t e = 0; e < pending_.size(); ++e) wait_for(e);
  device_.synchronize();
  if (!counted) return;
  for (std::size_t e = 0; e < busy_.size(); ++e) {
    outcome_.exchange_begin_ns.push_back(busy_[e].begin_ns - begin - excluded_before_[e]);
    outcome_.exchange_length_ns.push_back(busy_[e].end_ns - busy_[e].begin_ns);
  }
  outcome_.cpu_ns.push_back(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu - excluded_cpu_);
  outcome_.wall_ns.push_back(wall_ns() - begin - excluded_wall_);
}

ReplayOutcome Executor::run() {
  const std::int64_t begin = wall_ns();
  // The backtrace of an error costs more than many operators.
  c10::SetStackTraceFetcher([] { return std::string(); });
  at::set_num_threads(options_.threads);
  count_memory(options_.memory_limit);
  const at::NoGradGuard no_gradients;
  instructions_ = instructions_of(program_, device_.place());
  if (options_.communicator == nullptr) delays_ = make_delay_communicator(program_);
  communicator_ = delays_ ? delays_.get() : options_.communicator;
  pending_.assign(program_.exchanges.size(), false);
  busy_.resize(program_.exchanges.size());
  excluded_before_.resize(program_.exchanges.size());
  slots_.resize(program_.slots);
  outcome_.failures.assign(instructions_.size(), 0);
  outcome_.reasons.assign(instructions_.size(), {});
  outcome_.reshaped.assign(instructions_.size(), 0);
  allocate();
  outcome_.prepare_ns = wall_ns() - begin;
  const unsigned warm_up = std::max(options_.warm_up, 1u);
  for (unsigned i = 0; i < warm_up; ++i) {
    if (i + 1 == warm_up) counter_.emplace();
    iterate(std::nullopt);
    first_iteration_ = false;
  }
  outcome_.operator_counts = counter_->counts();
  counter_.reset();
  std::fill(outcome_.failures.begin(), outcome_.failures.end(), 0);
  const std::size_t all = instructions_.size() * options_.iterations;
  outcome_.begin_ns.assign(all, 0);
  outcome_.length_ns.assign(all, 0);
  restore();
  reset_peak();
  Energy energy;
  energy.start();
  const std::int64_t counted_from = wall_ns();
  for (unsigned i = 0; i < options_.iterations; ++i) iterate(i);
  communicator_->barrier();
  outcome_.energy_uj = energy.since_start();
  outcome_.energy_ns = wall_ns() - counted_from;
  outcome_.peak_bytes = device_.is_host() ? memory_peak() - outcome_.copies_bytes : -1;
  return std::move(outcome_);
}

}  // namespace

ReplayOutcome replay(const Program& program, const ReplayOptions& options) {
  return Executor(program, options).run();
}

}  // namespace orrery::bench
