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
#include "ran.h"

namespace orrery::replay {
namespace {

std::string first_line(const char* text) {
  const std::string all = text;
  return all.substr(0, std::min(all.find('\n'), std::size_t{200}));
}

at::Tensor strided(const at::Tensor& base, const Spec& spec) {
  std::vector<std::int64_t> strides = spec.strides;
  if (strides.size() != spec.sizes.size()) {
    strides.assign(spec.sizes.size(), 1);
    for (std::size_t d = spec.sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * std::max<std::int64_t>(spec.sizes[d], 1);
  }
  return base.as_strided(spec.sizes, strides, spec.offset);
}

class Player {
 public:
  Player(const Program& program, const PlayOptions& options)
      : program_(program), options_(options), device_(options.device, program) {}
  Played run();

 private:
  void allocate();
  [[nodiscard]] at::Tensor filled(std::size_t storage) const;
  void restore();
  void keep(std::size_t step);
  void iterate(std::optional<unsigned> counted);
  void think(std::int64_t until) const;
  void step(std::size_t index);
  void call(Instruction& instruction, std::size_t index);
  void take_results(Instruction& instruction, std::size_t index);
  void view(const Instruction& instruction);
  void stand_in(const Instruction& instruction);
  void communicate(const Instruction& instruction);
  void wait_for(std::size_t exchange);
  void make_results(const Instruction& instruction);
  void fail(Instruction& instruction, std::size_t index, const char* why);

  const Program& program_;
  const PlayOptions& options_;
  Device device_;
  std::vector<Instruction> instructions_;
  std::vector<at::Tensor> storages_, copies_;
  std::vector<std::vector<const External*>> kept_;  // by step: what comes into being with it
  std::vector<at::Tensor> slots_;
  std::vector<c10::IValue> stack_;
  std::unique_ptr<Communicator> delays_;
  Communicator* communicator_ = nullptr;
  std::vector<bool> under_way_;            // by exchange
  std::vector<Busy> busy_;                 // by exchange
  std::vector<std::int64_t> away_before_;  // by exchange: away_wall_ when it began
  bool trying_ = true;      // the first iteration: results are compared with what was recorded
  std::optional<Ran> ran_;  // only in the iteration that is looked at
  std::int64_t away_wall_ = 0, away_cpu_ = 0;  // of this iteration: what is none of it
  Played played_;
};

at::Tensor Player::filled(std::size_t s) const {
  const Storage& storage = program_.storages[s];
  const std::int64_t width = width_of(storage.dtype);
  if (width == 0) throw std::runtime_error("unknown type of elements in a storage");
  at::Tensor memory = at::empty({(storage.bytes + width - 1) / width},
                                at::TensorOptions().dtype(scalar_type(storage.dtype)));
  fill(memory.data_ptr(), storage, s << 32, program_.reuse);
  return device_.here(std::move(memory));
}

void Player::allocate() {
  const auto& all = program_.storages;
  for (std::size_t s = 0; s < all.size(); ++s)
    storages_.push_back(all[s].after < 0 ? filled(s) : at::Tensor());
  played_.external_bytes = device_.is_host() ? memory_now() : bytes_of(storages_);
  for (std::size_t s = 0; s < all.size(); ++s)
    copies_.push_back(all[s].written && all[s].after < 0 ? storages_[s].clone() : at::Tensor());
  kept_.resize(instructions_.size());
  for (const External& external : program_.externals)
    if (const std::int64_t step = all[external.storage].after; step >= 0)
      kept_[static_cast<std::size_t>(step)].push_back(&external);
  played_.copies_bytes =
      device_.is_host() ? memory_now() - played_.external_bytes : bytes_of(copies_);
}

/// Everything as it was before the first step.
void Player::restore() {
  for (std::size_t s = 0; s < storages_.size(); ++s) {
    if (copies_[s].defined()) storages_[s].copy_(copies_[s]);
  }
  for (at::Tensor& slot : slots_) slot = at::Tensor();
  for (const External& external : program_.externals) {
    const at::Tensor& memory = storages_[external.storage];
    if (memory.defined()) slots_[external.slot] = strided(memory, external.spec);
  }
}

/// What the recorded operator has made and kept is made again, with values that later ones can work
/// with. The step has done so too and thrown it away: this is none of the iteration's time.
void Player::keep(std::size_t step) {
  if (kept_[step].empty()) return;
  const std::int64_t wall = wall_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  std::map<std::uint32_t, at::Tensor> memory;
  for (const External* external : kept_[step]) {
    at::Tensor& storage = memory[external->storage];
    if (!storage.defined()) storage = filled(external->storage);
    slots_[external->slot] = strided(storage, external->spec);
  }
  away_wall_ += wall_ns() - wall;
  away_cpu_ += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

void Player::think(std::int64_t until) const {
  if (!options_.think) return;
  while (wall_ns() < until) {
  }
}

void Player::make_results(const Instruction& instruction) {
  for (const Result& result : instruction.results) {
    const auto options = device_.options(result.dtype);
    at::Tensor made = result.strides.size() == result.sizes.size()
                          ? at::empty_strided(result.sizes, result.strides, options)
                          : at::empty(result.sizes, options);
    slots_[result.slot] = made.zero_();
  }
}

void Player::fail(Instruction& instruction, std::size_t index, const char* why) {
  instruction.broken = true;
  if (played_.reasons[index].empty()) played_.reasons[index] = first_line(why);
  try {
    make_results(instruction);
  } catch (const std::exception& error) {
    throw std::runtime_error("step " + std::to_string(index + 1) +
                             ": its results cannot be made either: " + first_line(error.what()));
  }
}

void Player::view(const Instruction& instruction) {
  const Result& result = instruction.results.front();
  const Spec spec{{}, result.sizes, result.strides, result.offset};
  slots_[result.slot] = strided(slots_[instruction.tensors.front().slot], spec);
}

void Player::stand_in(const Instruction& instruction) {
  for (const ListArgument& list : instruction.lists) {
    const bool written = list.argument == 1;
    for (const Slot slot : list.slots) {
      at::Tensor& tensor = slots_[slot];
      if (written) {
        tensor.zero_();
      } else if (tensor.defined() && tensor.is_non_overlapping_and_dense()) {
        device_.read(tensor);
      }
    }
  }
  device_.calculate(instruction.flops);
  make_results(instruction);
}

void Player::communicate(const Instruction& instruction) {
  make_results(instruction);
  std::vector<at::Tensor> sent, received;
  for (const ListArgument& list : instruction.lists) {
    for (const Slot slot : list.slots) {
      if (slot != kNothing && slots_[slot].defined())
        (list.argument == 0 ? sent : received).push_back(slots_[slot]);
    }
  }
  for (const Result& result : instruction.results) received.push_back(slots_[result.slot]);
  if (under_way_[instruction.exchange]) wait_for(instruction.exchange);
  under_way_[instruction.exchange] = true;
  away_before_[instruction.exchange] = away_wall_;
  communicator_->begin(instruction.exchange, sent, received);
}

void Player::wait_for(std::size_t exchange) {
  if (!under_way_[exchange]) return;
  under_way_[exchange] = false;
  busy_[exchange] = communicator_->wait(exchange);
}

/// In the first iteration results of other sizes are told: their values decide, and differ here.
void Player::take_results(Instruction& instruction, std::size_t index) {
  for (const Result& result : instruction.results) {
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
    if (trying_ && (!slot.defined() || slot.sizes() != c10::IntArrayRef(result.sizes))) {
      instruction.reshaped = true;
      played_.reshaped[index] = 1;
    }
  }
  if (instruction.reshaped) make_results(instruction);
}

void Player::call(Instruction& instruction, std::size_t index) {
  stack_.clear();
  stack_.insert(stack_.end(), instruction.arguments.begin(), instruction.arguments.end());
  for (const TensorArgument& tensor : instruction.tensors)
    stack_[tensor.argument] = slots_[tensor.slot];
  for (const ListArgument& list : instruction.lists) {
    if (list.optional) {
      c10::List<c10::optional<at::Tensor>> items;
      for (const Slot slot : list.slots)
        items.push_back(slot == kNothing ? c10::nullopt : c10::optional<at::Tensor>(slots_[slot]));
      stack_[list.argument] = std::move(items);
    } else {
      c10::List<at::Tensor> items;
      items.reserve(list.slots.size());
      for (const Slot slot : list.slots)
        items.push_back(slot == kNothing ? at::Tensor() : slots_[slot]);
      stack_[list.argument] = std::move(items);
    }
  }
  if (options_.called != nullptr)
    options_.called->push_back(c10::toString(instruction.handle->operator_name()));
  if (ran_) ran_->count(true);
  instruction.handle->callBoxed(&stack_);
  if (ran_) ran_->count(false);
  take_results(instruction, index);
  stack_.clear();
}

void Player::step(std::size_t index) {
  Instruction& instruction = instructions_[index];
  if (instruction.kind == Step::Kind::communicate) return communicate(instruction);
  if (instruction.kind == Step::Kind::wait) return wait_for(instruction.exchange);
  if (instruction.broken) {
    ++played_.failures[index];
    make_results(instruction);
    return;
  }
  if (options_.called != nullptr && instruction.kind != Step::Kind::call)
    options_.called->push_back(program_.name(program_.steps[index]));
  try {
    switch (instruction.kind) {
      case Step::Kind::call:
        return call(instruction, index);
      case Step::Kind::view:
        return view(instruction);
      case Step::Kind::stand_in:
        return stand_in(instruction);
      case Step::Kind::absent:
        return make_results(instruction);
      case Step::Kind::communicate:
      case Step::Kind::wait:
        return;
    }
  } catch (const std::exception& error) {
    if (ran_) ran_->count(false);
    ++played_.failures[index];
    fail(instruction, index, error.what());
  }
}

/// One of those that count, by number, or another one.
void Player::iterate(std::optional<unsigned> counted) {
  restore();
  communicator_->meet();
  device_.settle();
  const std::size_t first = std::size_t{counted.value_or(0)} * instructions_.size();
  away_wall_ = away_cpu_ = 0;
  const bool measured = ran_ && device_.is_host();  // memory
  const std::int64_t begin = wall_ns(), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  std::int64_t end = begin;  // of the operator before
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    // Memory was given back between operators when that was recorded, too: it is not added.
    if (instructions_[i].gap_ns > 0) think(end + instructions_[i].gap_ns);
    if (measured) restart_peak();
    const std::int64_t from = wall_ns();
    device_.before(instructions_[i], slots_);
    step(i);
    device_.after(instructions_[i], slots_);
    if (options_.synchronise) device_.settle();
    end = wall_ns();
    if (counted) {
      played_.begin_ns[first + i] = from - begin - away_wall_;
      played_.length_ns[first + i] = end - from;
    }
    const std::int64_t away = away_wall_;
    keep(i);
    end += away_wall_ - away;
    if (measured) played_.most_bytes.push_back(memory_peak() - played_.copies_bytes);
    for (const Slot slot : instructions_[i].last) {
      device_.let_go(slots_[slot]);
      slots_[slot].reset();
    }
    if (measured) played_.held_bytes.push_back(memory_now() - played_.copies_bytes);
  }
  for (std::size_t e = 0; e < under_way_.size(); ++e) wait_for(e);
  device_.settle();
  if (!counted) return;
  for (std::size_t e = 0; e < busy_.size(); ++e) {
    played_.exchange_begin_ns.push_back(busy_[e].begin_ns - begin - away_before_[e]);
    played_.exchange_length_ns.push_back(busy_[e].end_ns - busy_[e].begin_ns);
  }
  played_.cpu_ns.push_back(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu - away_cpu_);
  played_.wall_ns.push_back(wall_ns() - begin - away_wall_);
}

Played Player::run() {
  const std::int64_t begin = wall_ns();
  // An error's backtrace costs more than many an operator.
  c10::SetStackTraceFetcher([] { return std::string(); });
  at::set_num_threads(options_.threads);
  count_memory(options_.memory_limit);
  const at::NoGradGuard no_gradients;
  instructions_ = instructions_of(program_, device_.place());
  if (options_.communicator == nullptr) delays_ = delays_of(program_);
  communicator_ = delays_ ? delays_.get() : options_.communicator;
  under_way_.assign(program_.exchanges.size(), false);
  busy_.resize(program_.exchanges.size());
  away_before_.resize(program_.exchanges.size());
  slots_.resize(program_.slots);
  played_.failures.assign(instructions_.size(), 0);
  played_.reasons.assign(instructions_.size(), {});
  played_.reshaped.assign(instructions_.size(), 0);
  allocate();
  played_.prepare_ns = wall_ns() - begin;
  const unsigned warm_up = std::max(options_.warm_up, 1u);
  for (unsigned i = 0; i < warm_up; ++i) {
    if (i + 1 == warm_up) ran_.emplace();
    iterate(std::nullopt);
    trying_ = false;
  }
  played_.ran = ran_->counts();
  ran_.reset();
  std::fill(played_.failures.begin(), played_.failures.end(), 0);
  const std::size_t all = instructions_.size() * options_.iterations;
  played_.begin_ns.assign(all, 0);
  played_.length_ns.assign(all, 0);
  restore();
  restart_peak();
  Energy energy;
  energy.start();
  const std::int64_t counted_from = wall_ns();
  for (unsigned i = 0; i < options_.iterations; ++i) iterate(i);
  communicator_->meet();
  played_.energy_uj = energy.since_start();
  played_.energy_ns = wall_ns() - counted_from;
  played_.peak_bytes = device_.is_host() ? memory_peak() - played_.copies_bytes : -1;
  return std::move(played_);
}

}  // namespace

Played play(const Program& program, const PlayOptions& options) {
  return Player(program, options).run();
}

}  // namespace orrery::replay
