// SPDX-License-Identifier: Apache-2.0
//
// Backward passes, recomputation and what is kept, from what was written down.
#include "orrery/workload/operators/tape.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/spec/recompute_policy.h"

namespace orrery::workload {

namespace {

/// The largest op, tensor or weight count that is taken.
constexpr std::int64_t kMost = std::int64_t{1} << 62;

/// Streams that the next computation has to wait for.
class Pending {
 public:
  void add(Stream stream) {
    if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end())
      streams_.push_back(stream);
  }
  void apply(Op& op) const {
    for (const Stream stream : streams_) wait(op, stream);
  }
  void clear() { streams_.clear(); }
  [[nodiscard]] bool empty() const { return streams_.empty(); }

 private:
  std::vector<Stream> streams_;
};

bool is_compute(const Op& op) { return op.stream == stream::compute; }

/// Whether `op` is done by the kernel of the op before it.
bool fuses(const Fusion& fusion, const Op& before, const Op& op, bool residual) {
  const graph::Operation is = before.kernel.operation;
  if (op.kernel.operation == graph::Operation::cast) return fusion.casts;
  const bool joins = is == graph::Operation::elementwise || is == graph::Operation::dropout;
  return fusion.chains || (fusion.residuals && residual && joins);
}

}  // namespace

Group group_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Group>, 9> names = {{
      {"norm", Group::norm},
      {"qkv", Group::qkv},
      {"attention", Group::attention},
      {"out", Group::out},
      {"mlp_up", Group::mlp_up},
      {"activation", Group::activation},
      {"mlp_down", Group::mlp_down},
      {"router", Group::router},
      {"experts", Group::experts},
  }};
  for (const auto& entry : names)
    if (entry.first == name) return entry.second;
  return Group::none;
}

Op compute_op(const char* name, OpClass op_class, Phase phase, Amount matmul, Amount vector,
              Amount bytes, const graph::Kernel& kernel) {
  Op op;
  op.name = name;
  op.op_class = op_class;
  op.phase = phase;
  op.matmul = matmul.value();
  op.vector = vector.value();
  op.bytes = bytes.value();
  op.kernel = kernel;
  if (op.kernel.operation == graph::Operation::unsaid)
    op.kernel.operation = usual_operation(op_class);
  if (op.kernel.pass != graph::Pass::backward) op.kernel.pass = pass_of(phase);
  return op;
}

Op collective_op(const char* name, Phase phase, graph::CollectiveType type, Axis axis,
                 Stream stream, Amount size) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase;
  op.kind = graph::NodeKind::coll;
  op.stream = stream;
  op.waits[0] = stream::compute;
  op.collective = type;
  op.axis = axis;
  op.size = size.value();
  return op;
}

Op message_op(const char* name, Phase phase, graph::NodeKind kind, Axis axis, std::int32_t shift,
              Stream stream, Amount size) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase;
  op.kind = kind;
  op.stream = stream;
  op.axis = axis;
  op.shift = shift;
  op.size = size.value();
  return op;
}

void wait(Op& op, Stream stream) {
  if (stream == op.stream) return;
  for (Stream& slot : op.waits) {
    if (slot == stream) return;
    if (slot == stream::none) {
      slot = stream;
      return;
    }
  }
  ORRERY_CHECK(!"an op waits for four streams at most");
}

Tape::Tape(const Scope& scope, std::string name, bool is_layer)
    : scope_(&scope), name_(std::move(name)), is_layer_(is_layer) {}

Tensor Tape::make(const char* name, Amount bytes, bool lasting) {
  TensorState known;
  known.name = name;
  known.bytes = known.gradient = bytes;
  known.lasting = lasting;
  const Tensor made{static_cast<std::uint32_t>(tensors_.size())};
  if (!steps_.empty()) {
    known.step = static_cast<std::uint32_t>(steps_.size() - 1);
    steps_.back().makes.push_back(made);
  }
  tensors_.push_back(known);
  return made;
}

Tensor Tape::input(const char* name, Amount bytes) {
  TensorState known;
  known.name = name;
  known.bytes = bytes;
  tensors_.push_back(known);
  return {static_cast<std::uint32_t>(tensors_.size() - 1)};
}

Tensor Tape::borrowed_input(const char* name, Amount bytes) {
  const Tensor tensor = input(name, bytes);
  tensors_[tensor.id].borrowed = true;
  return tensor;
}

Tensor Tape::shared_input(const char* name, Amount bytes) {
  const Tensor tensor = input(name, bytes);
  tensors_[tensor.id].shared = true;
  return tensor;
}

void Tape::begin(Group group, const std::vector<Tensor>& reads) {
  TapeOperator step;
  step.group = group;
  if (!steps_.empty()) {
    const TapeOperator& last = steps_.back();
    step.instance = last.instance + (group == Group::none || group != last.group ? 1 : 0);
  }
  step.reads = reads;
  step.repeated = scope_->duplicate_ranks();
  step.frozen = scope_->frozen();
  steps_.push_back(std::move(step));
}

void Tape::begin(Group group, std::initializer_list<Tensor> reads) {
  begin(group, std::vector<Tensor>(reads));
}

void Tape::gradient_bytes(Tensor tensor, Amount bytes) { tensors_[tensor.id].gradient = bytes; }

Tensor Tape::output(const char* name, Amount bytes) { return make(name, bytes, false); }

Tensor Tape::lasting_output(const char* name, Amount bytes) { return make(name, bytes, true); }

void Tape::save(Tensor tensor) {
  tensors_[tensor.id].saved = true;
  steps_.back().saves.push_back(tensor);
}

void Tape::save(const char* name, Amount bytes, bool lasting) {
  const Tensor made = make(name, bytes, lasting);
  tensors_[made.id].has_gradient = false;
  save(made);
}

void Tape::save_for_weights(Tensor tensor) {
  if (!steps_.back().frozen) save(tensor);
}

void Tape::trained() { steps_.back().frozen = false; }

void Tape::end_gradients() {
  for (TapeOperator& step : steps_) {
    step.saves.clear();
    step.backward.clear();
  }
  for (TensorState& known : tensors_) known.saved = known.has_gradient = false;
}

void Tape::scratch(Amount bytes) { steps_.back().scratch += bytes; }

void Tape::repeated(std::int64_t ranks) { steps_.back().repeated = ranks; }

void Tape::put(std::vector<Entry>& entries, const TapeOperator& step, Op op, Amount saves,
               bool residual) const {
  if (op.kind == graph::NodeKind::coll && op.numbers == graph::Format::unsaid)
    op.numbers = format_of(scope_->spec->precision.activations);
  op.redone += (op.matmul - op.redone) - (op.matmul - op.redone) / step.repeated;
  entries.push_back({op, saves.value(), stream::none, residual});
}

void Tape::forward(const Op& op, Amount saves, bool residual) {
  put(steps_.back().forward, steps_.back(), op, saves, residual);
}

void Tape::backward(const Op& op, Amount saves) {
  if (steps_.back().frozen && op.phase == Phase::weight_grad) return;
  put(steps_.back().backward, steps_.back(), op, saves);
}

void Tape::join_forward(Stream stream) {
  steps_.back().forward.push_back({Op{}, -1, stream, false});
}

void Tape::join_backward(Stream stream) {
  steps_.back().backward.push_back({Op{}, -1, stream, false});
}

/// Ops with their waits; neighbours that are one kernel merged.
std::vector<Op> Tape::resolve(const std::vector<Entry>& entries) const {
  const Fusion fusion = scope_->spec->kernels.fusion();
  const bool overlap = scope_->spec->schedule.overlap;
  std::vector<Op> ops;
  Pending pending;    // joins
  Pending in_flight;  // without overlap: communication since the last computation
  for (const Entry& entry : entries) {
    if (entry.join != stream::none) {
      pending.add(entry.join);
      continue;
    }
    Op op = entry.op;
    if (entry.fused_saves >= 0 && pending.empty() && in_flight.empty() && !ops.empty() &&
        is_compute(ops.back()) && ops.back().op_class == OpClass::vector &&
        ops.back().phase == op.phase && fuses(fusion, ops.back(), op, entry.residual)) {
      ops.back().vector = (Amount(ops.back().vector) + op.vector).value();
      ops.back().bytes = (Amount(ops.back().bytes) + op.bytes - entry.fused_saves).value();
      fuse(ops.back().kernel, op.kernel);
      continue;
    }
    if (op.phase != Phase::weight_grad || !is_compute(op)) pending.apply(op);
    if (is_compute(op) && op.phase != Phase::weight_grad) pending.clear();
    if (!overlap && is_compute(op)) {
      in_flight.apply(op);
      in_flight.clear();
    } else if (!overlap) {
      wait(op, stream::compute);
      in_flight.add(op.stream);
    }
    ops.push_back(op);
  }
  if (!pending.empty() && !ops.empty()) {
    // What was communicated last is the result, or part of it: computation goes on from here.
    Op end = compute_op("join", OpClass::vector, ops.back().phase, 0, 0, 0);
    pending.apply(end);
    ops.push_back(end);
  }
  return ops;
}

Result<void> Tape::check(const LoweredPart& lowered) const {
  const auto refuse = [this](const std::string& what) {
    return tl::unexpected(Error{Errc::config_range, "workload",
                                what + " of the part \"" + name_ + "\" is beyond 2^62",
                                "make the batch, the sequence or the model smaller"});
  };
  for (const std::vector<Op>* ops : {&lowered.forward, &lowered.backward}) {
    for (const Op& op : *ops)
      if (std::max({op.matmul, op.vector, op.redone, op.bytes, op.size}) > kMost)
        return refuse(std::string("the op \"") + op.name + '"');
  }
  const Part& part = lowered.part;
  for (const std::vector<RetainedTensor>* items :
       {&part.retained, &part.halfway, &part.transient}) {
    for (const RetainedTensor& item : *items)
      if (item.bytes > kMost) return refuse(std::string("the tensor \"") + item.name + '"');
  }
  const Weights& weights = lowered.part.weights;
  const Amount total = Amount(weights.dense) + weights.replicated + weights.expert;
  if (std::max({total.value(), weights.matrices, lowered.part.boundary}) > kMost)
    return refuse("the size");
  return {};
}

void Tape::add_weights(Share share, Amount elements, bool matrices, bool adapter) {
  const auto add = [&](std::int64_t Weights::*field) {
    weights_.*field = (elements + weights_.*field).value();
    if (scope_->frozen() && !adapter) frozen_.*field = (elements + frozen_.*field).value();
  };
  switch (share) {
    case Share::dense:
      add(&Weights::dense);
      break;
    case Share::replicated:
      add(&Weights::replicated);
      break;
    case Share::expert:
      add(&Weights::expert);
      break;
    case Share::other_part:
      return;
  }
  if (matrices) add(&Weights::matrices);
}

Result<LoweredPart> Tape::finish(std::initializer_list<Tensor> results) {
  LoweredPart lowered;
  std::vector<Entry> forward;
  for (const TapeOperator& step : steps_)
    forward.insert(forward.end(), step.forward.begin(), step.forward.end());
  lowered.forward = resolve(forward);
  lowered.backward = resolve(backward_entries());
  Part& part = lowered.part;
  part.name = name_;
  part.is_layer = is_layer_;
  part.weights = weights_;
  part.frozen = frozen_;
  Amount boundary;
  for (const Tensor tensor : results) boundary += tensors_[tensor.id].bytes;
  part.boundary = boundary.value();
  account(part);
  account_halfway(part);
  if (auto checked = check(lowered); !checked) return tl::unexpected(checked.error());
  return lowered;
}

// What a part keeps from its forward to its backward pass, and what it works with.

void Tape::save_for_weights(Tensor tensor, Amount bytes) {
  if (!steps_.back().frozen) save(tensors_[tensor.id].name, bytes);
}

/// Whether the forward pass leaves it for the backward pass.
bool Tape::retained(Tensor tensor) const {
  const TensorState& known = tensors_[tensor.id];
  if (!known.saved) return false;
  if (known.step == Tensor::nothing) return true;
  if (recomputes_all()) return false;
  return known.lasting || !is_recomputed(steps_[known.step].group);
}

/// What is alive only while an operator runs: forward, what it reads and makes and nobody keeps;
/// backward, the gradients of all that.
Amount Tape::working(const TapeOperator& step) const {
  Amount forward, backward;
  for (const auto* tensors : {&step.reads, &step.makes}) {
    for (const Tensor tensor : *tensors) {
      const TensorState& known = tensors_[tensor.id];
      if (!retained(tensor)) forward += known.bytes;
      if (known.has_gradient) backward += known.bytes;
    }
  }
  return step.scratch + std::max(forward, backward);
}

void Tape::account(Part& part) const {
  for (std::uint32_t id = 0; id < tensors_.size(); ++id) {
    const TensorState& known = tensors_[id];
    if (!known.saved || known.borrowed) continue;
    if (known.shared) {
      part.shared = {known.name, known.bytes.value()};
    } else if (retained({id})) {
      part.retained.push_back({known.name, known.bytes.value()});
    } else {
      part.transient.push_back({known.name, known.bytes.value()});
    }
  }
  Amount most;
  for (const TapeOperator& step : steps_) most = std::max(most, working(step));
  if (!(most == Amount(0))) part.transient.push_back({"working", most.value()});
}

/// Between the halves of a split backward pass (Qi et al., ICLR 2024: M_W): of operators
/// whose weights have gradients, what they read and saved, and the gradients of what they made.
void Tape::account_halfway(Part& part) const {
  std::vector<bool> inputs(tensors_.size(), false), outputs(tensors_.size(), false);
  for (const TapeOperator& step : steps_) {
    const bool weighs = std::any_of(step.backward.begin(), step.backward.end(), [](const Entry& e) {
      return e.join == stream::none && e.op.phase == Phase::weight_grad;
    });
    if (!weighs) continue;
    for (const Tensor saved : step.saves) {
      const bool read = std::any_of(step.reads.begin(), step.reads.end(),
                                    [saved](Tensor each) { return each.id == saved.id; });
      inputs[saved.id] = inputs[saved.id] || read || !tensors_[saved.id].has_gradient;
    }
    for (const Tensor made : step.makes)
      outputs[made.id] = outputs[made.id] || tensors_[made.id].has_gradient;
  }
  for (std::uint32_t id = 0; id < tensors_.size(); ++id) {
    const TensorState& known = tensors_[id];
    if (inputs[id] && !known.borrowed && !known.shared)
      part.halfway.push_back({known.name, known.bytes.value()});
    if (outputs[id] && !(known.gradient == Amount(0)))
      part.halfway.push_back({known.name, known.gradient.value()});
  }
}

// What a backward pass computes again, and what it keeps for that.

bool Tape::is_recomputed(Group group) const {
  const Recompute& recompute = scope_->spec->recompute;
  if (!is_layer_ || group == Group::none) return false;
  switch (recompute.kind) {
    case RecomputeKind::selective:
      return group == Group::attention;
    case RecomputeKind::ops:
      return std::any_of(recompute.ops.begin(), recompute.ops.end(),
                         [group](const std::string& name) { return group_of(name) == group; });
    case RecomputeKind::none:
    case RecomputeKind::full:
      break;
  }
  return false;
}

bool Tape::recomputes_all() const {
  return is_layer_ && scope_->spec->recompute.kind == RecomputeKind::full;
}

/// Runs the operators of one instance again, as a whole.
void Tape::recompute_operator(std::uint32_t step, std::vector<Entry>& into) {
  const std::uint32_t instance = steps_[step].instance;
  while (step > 0 && steps_[step - 1].instance == instance) --step;
  for (; step < steps_.size() && steps_[step].instance == instance; ++step) {
    if (redone_[step]) continue;
    for (const Tensor read : steps_[step].reads) ensure_available(read, into);
    redone_[step] = true;
    for (Entry entry : steps_[step].forward) {
      entry.op.phase = Phase::recompute;
      into.push_back(entry);
    }
  }
}

/// Makes sure that the backward pass has it: kept, or computed again by now. What recomputation
/// starts from is kept for it.
void Tape::ensure_available(Tensor tensor, std::vector<Entry>& into) {
  TensorState& known = tensors_[tensor.id];
  if (known.step != Tensor::nothing) {
    if (redone_[known.step]) return;
    if (!known.lasting && is_recomputed(steps_[known.step].group)) {
      recompute_operator(known.step, into);
      return;
    }
  }
  known.saved = true;
}

/// How many of the steps make what some backward pass reads.
std::size_t Tape::needed_steps() const {
  std::size_t needed = 0;
  for (const TapeOperator& step : steps_)
    for (const Tensor saved : step.saves)
      if (const std::uint32_t made = tensors_[saved.id].step; made != Tensor::nothing)
        needed = std::max<std::size_t>(needed, made + 1);
  return needed;
}

std::vector<Tape::Entry> Tape::backward_entries() {
  std::vector<Entry> entries;
  redone_.assign(steps_.size(), false);
  if (recomputes_all()) {
    for (TensorState& known : tensors_)
      if (known.step == Tensor::nothing) known.saved = true;
    redone_.assign(steps_.size(), true);
    const std::size_t needed =
        stops_recompute_early(*scope_->spec) ? needed_steps() : steps_.size();
    for (std::size_t step = 0; step < needed; ++step) {
      for (Entry entry : steps_[step].forward) {
        entry.op.phase = Phase::recompute;
        entries.push_back(entry);
      }
    }
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const Tensor tensor : step->saves) ensure_available(tensor, entries);
    entries.insert(entries.end(), step->backward.begin(), step->backward.end());
  }
  return entries;
}

}  // namespace orrery::workload
