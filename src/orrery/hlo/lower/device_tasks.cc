// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/device_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/hlo/lower/costs.h"
#include "orrery/hlo/lower/purposes.h"

namespace orrery::hlo {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Who uses the value of a step.
struct Users {
  std::uint32_t group = kNone;  ///< the only one
  bool several = false;
  bool stored = false;  ///< some user reads it from memory, or the program returns it
};

class TaskMaker {
 public:
  TaskMaker(const Program& program, const FlatProgram& flat, const std::string& where,
            Findings& findings)
      : program_(program), flat_(flat), where_(where), findings_(findings) {
    const std::size_t count = flat.steps.size();
    users_.resize(count);
    root_of_.assign(count, kNone);
    costs_.resize(count);
  }

  std::vector<DeviceTask> run() {
    for (const std::uint32_t output : flat_.outputs) users_[output].stored = true;
    for (std::size_t i = flat_.steps.size(); i-- > 0;) assign(static_cast<std::uint32_t>(i));
    for (std::uint32_t i = 0; i < flat_.steps.size(); ++i) visit(i);
    set_purposes(flat_, task_of_, tasks_);
    return std::move(tasks_);
  }

 private:
  [[nodiscard]] const Instruction& op(std::uint32_t step) const {
    return *flat_.steps[step].operation;
  }
  [[nodiscard]] OpClass is(std::uint32_t step) const { return op(step).opcode->op_class; }

  /// Neither computes nor moves: its users read its inputs.
  [[nodiscard]] bool is_free(std::uint32_t step) const {
    const OpClass what = is(step);
    return what == OpClass::free || what == OpClass::constant || what == OpClass::parameter ||
           what == OpClass::tuple || what == OpClass::tuple_element ||
           (what == OpClass::custom_call && is_annotation(op(step).target));
  }
  /// So cheap that each of its users computes it again.
  [[nodiscard]] bool is_cheap(std::uint32_t step) const {
    const std::string_view name = op(step).opcode->name;
    return name == "convert" || name == "broadcast_in_dim" || name == "broadcast" ||
           name == "iota" || name == "dynamic_broadcast_in_dim";
  }
  [[nodiscard]] bool fuses(std::uint32_t step) const {
    return !program_.is_fused && op(step).opcode->fuses;
  }
  /// Whether the kernel of this step can compute its inputs itself.
  [[nodiscard]] bool takes_in(std::uint32_t step) const {
    return !program_.is_fused && (op(step).opcode->fuses || is(step) == OpClass::reduce);
  }

  /// Decides which kernel computes a step, after all its users.
  void assign(std::uint32_t step) {
    const Users users = users_[step];
    const bool used = users.stored || users.several || users.group != kNone;
    if (is_free(step) || (is_cheap(step) && fuses(step) && !users.stored)) {
      for (const std::uint32_t input : flat_.steps[step].inputs) merge(input, users);
      return;
    }
    if (!used && fuses(step)) return;  // nobody needs it
    const bool joins = fuses(step) && !users.stored && !users.several && users.group != kNone;
    const std::uint32_t root = joins ? users.group : step;
    root_of_[step] = root;
    const Users me{root, false, !takes_in(root)};
    for (const std::uint32_t input : flat_.steps[step].inputs) merge(input, me);
  }

  void merge(std::uint32_t step, const Users& more) {
    Users& users = users_[step];
    users.stored = users.stored || more.stored;
    users.several = users.several || more.several;
    if (more.group == kNone) return;
    if (users.group != kNone && users.group != more.group) users.several = true;
    users.group = more.group;
  }

  /// Adds a step to its kernel, in order; a root ends its kernel.
  void visit(std::uint32_t step) {
    const std::vector<std::uint32_t>& inputs = flat_.steps[step].inputs;
    std::vector<std::uint32_t> sources;
    for (const std::uint32_t input : inputs) {
      const auto& theirs = sources_of(input);
      sources.insert(sources.end(), theirs.begin(), theirs.end());
    }
    unique(sources);
    const std::uint32_t root = root_of_[step];
    if (root == kNone) {
      if (is(step) == OpClass::parameter) sources = {step};
      looked_through_.emplace(step, std::move(sources));
      return;
    }
    add_member(step, root, sources);
    if (root == step) finish(step);
  }

  static void unique(std::vector<std::uint32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  /// Steps from whose values in memory, or in the same kernel, a value is computed.
  [[nodiscard]] const std::vector<std::uint32_t>& sources_of(std::uint32_t step) {
    const auto found = looked_through_.find(step);
    if (found != looked_through_.end()) return found->second;
    single_ = {step};
    return single_;
  }

  struct Kernel {
    std::map<std::uint32_t, std::int64_t> reads;  ///< bytes, by the step that wrote them
    std::int64_t product_flop = 0, other_flop = 0, largest = 0;
    std::uint32_t operations = 0;
    bool computes = false;
  };

  void add_member(std::uint32_t step, std::uint32_t root, const std::vector<std::uint32_t>& from) {
    Kernel& kernel = kernels_[root];
    costs_[step] = cost_of(program_, *flat_.steps[step].computation, op(step));
    const OperationCost& cost = costs_[step];
    kernel.product_flop = saturating_sum(kernel.product_flop, cost.product_flop);
    kernel.other_flop = saturating_sum(kernel.other_flop, cost.other_flop);
    kernel.largest = std::max(kernel.largest, op(step).shape.elements());
    kernel.computes = kernel.computes || is(step) != OpClass::movement;
    ++kernel.operations;
    // Slices read no more than they return.
    const std::string_view name = op(step).opcode->name;
    const bool slices = name == "slice" || name == "dynamic_slice";
    for (const std::uint32_t source : from) {
      if (root_of_[source] == root) continue;
      const std::int64_t bytes = op(source).shape.bytes();
      std::int64_t& read = kernel.reads[source];
      read = std::max(read, slices ? std::min(bytes, op(step).shape.bytes()) : bytes);
    }
    if (!cost.known)
      findings_.add(
          FindingCode::key_without_effect,
          fmt::format("{}:{}: the FLOPs of '{}': one pass over its data is assumed", where_,
                      op(step).line, op(step).target.empty() ? op(step).word : op(step).target));
  }

  void finish(std::uint32_t step) {
    const Kernel kernel = std::move(kernels_[step]);
    kernels_.erase(step);
    DeviceTask task;
    task.operation = &op(step);
    task.blocks = flat_.steps[step].blocks;
    for (const auto& [source, bytes] : kernel.reads)
      if (const auto found = task_of_.find(source); found != task_of_.end())
        task.waits.push_back(found->second);
    unique(task.waits);
    task_of_.emplace(step, static_cast<std::uint32_t>(tasks_.size()));
    const OpClass what = is(step);
    if (what == OpClass::collective || what == OpClass::permute)
      communicate(step, task);
    else
      compute(step, kernel, task);
    tasks_.push_back(std::move(task));
  }

  void compute(std::uint32_t step, const Kernel& kernel, DeviceTask& task) const {
    const OperationCost& cost = costs_[step];
    task.operations = kernel.operations;
    task.product_flop = kernel.product_flop;
    task.other_flop = kernel.other_flop;
    task.kernel = cost.kernel;
    std::int64_t bytes = saturating_sum(cost.read, cost.written);
    if (takes_in(step)) {
      bytes = cost.written;
      for (const auto& read : kernel.reads) bytes = saturating_sum(bytes, read.second);
    }
    if (kernel.operations > 1) {
      if (is(step) != OpClass::reduce && kernel.computes)
        task.kernel.operation = graph::Operation::elementwise;
      task.kernel.sizes[0] = std::max(task.kernel.sizes[0], kernel.largest);
    }
    task.kernel.bytes = std::max<std::int64_t>(bytes, 1);
    task.kernel.flops = saturating_sum(task.product_flop, task.other_flop);
  }

  void communicate(std::uint32_t step, DeviceTask& task) const {
    const Step& flat = flat_.steps[step];
    task.kind = is(step) == OpClass::permute ? TaskKind::permute : TaskKind::collective;
    std::int64_t most = 0;
    for (const std::uint32_t number : flat.operation->operands) {
      const Shape& shape = flat.computation->operations[number].shape;
      task.bytes = saturating_sum(task.bytes, shape.bytes());
      task.elements = saturating_sum(task.elements, shape.elements());
      if (shape.bytes() <= most) continue;
      most = shape.bytes();
      task.format = format_of(shape.type);
    }
  }

  const Program& program_;
  const FlatProgram& flat_;
  const std::string& where_;
  Findings& findings_;
  std::vector<Users> users_;
  std::vector<std::uint32_t> root_of_;  // the last step of the kernel that computes a step
  std::vector<OperationCost> costs_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> looked_through_;
  std::vector<std::uint32_t> single_;
  std::map<std::uint32_t, Kernel> kernels_;  // unfinished ones, by root
  std::map<std::uint32_t, std::uint32_t> task_of_;
  std::vector<DeviceTask> tasks_;
};

}  // namespace

std::string_view name(Purpose purpose) {
  constexpr std::string_view kNames[] = {"other", "gradients",   "statistics",
                                         "state", "activations", "results"};
  return kNames[static_cast<std::size_t>(purpose)];
}

Result<std::vector<DeviceTask>> device_tasks(const Program& program, const std::string& where,
                                             Findings& findings) {
  const auto flat = flatten(program, where, findings);
  if (!flat) return tl::unexpected(flat.error());
  return TaskMaker(program, *flat, where, findings).run();
}

}  // namespace orrery::hlo
