// SPDX-License-Identifier: Apache-2.0
//
// Derives backward passes, recomputation and saved activations from the recorded operators.
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

/// The maximum size of an op, a tensor or the weights.
constexpr std::int64_t kMost = std::int64_t{1} << 62;

/// Streams for which the next computation must wait.
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

/// Whether `op` is fused with the op before it.
bool fuses(const Fusion& fusion, const Op& before, const Op& op, bool residual) {
  const graph::Operation is = before.kernel.operation;
  if (op.kernel.operation == graph::Operation::cast) return fusion.casts;
  const bool joins = is == graph::Operation::elementwise || is == graph::Operation::dropout;
  return fusion.chains || (fusion.residuals && residual && joins);
}

}  // namespace

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
    op.kernel.operation = default_operation(op_class);
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
  wait(op, stream::compute);
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
  op.peer_offset = shift;
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

Tensor Tape::add_tensor(const char* name, Amount bytes, bool lasting) {
  TensorState known;
  known.name = name;
  known.bytes = known.gradient = bytes;
  known.lasting = lasting;
  const Tensor made{static_cast<std::uint32_t>(tensors_.size())};
  if (!operators_.empty()) {
    known.step = static_cast<std::uint32_t>(operators_.size() - 1);
    operators_.back().writes.push_back(made);
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
  if (!operators_.empty()) {
    const TapeOperator& last = operators_.back();
    step.instance = last.instance + (group == Group::none || group != last.group ? 1 : 0);
  }
  step.reads = reads;
  step.duplicate_ranks = scope_->duplicate_ranks();
  step.frozen = scope_->is_frozen();
  operators_.push_back(std::move(step));
}

void Tape::begin(Group group, std::initializer_list<Tensor> reads) {
  begin(group, std::vector<Tensor>(reads));
}

void Tape::set_gradient_bytes(Tensor tensor, Amount bytes) { tensors_[tensor.id].gradient = bytes; }

Tensor Tape::output(const char* name, Amount bytes) { return add_tensor(name, bytes, false); }

Tensor Tape::lasting_output(const char* name, Amount bytes) {
  return add_tensor(name, bytes, true);
}

void Tape::save(Tensor tensor) {
  tensors_[tensor.id].saved = true;
  operators_.back().saves.push_back(tensor);
}

void Tape::save(const char* name, Amount bytes, bool lasting) {
  const Tensor made = add_tensor(name, bytes, lasting);
  tensors_[made.id].has_gradient = false;
  save(made);
}

void Tape::save_for_weights(Tensor tensor) {
  if (!operators_.back().frozen) save(tensor);
}

void Tape::mark_trained() { operators_.back().frozen = false; }

void Tape::end_gradients() {
  for (TapeOperator& step : operators_) {
    step.saves.clear();
    step.backward.clear();
  }
  for (TensorState& known : tensors_) known.saved = known.has_gradient = false;
}

void Tape::add_scratch(Amount bytes) { operators_.back().scratch += bytes; }

void Tape::set_products(std::vector<Product> products) {
  operators_.back().products = std::move(products);
}

void Tape::set_duplicate_ranks(std::int64_t ranks) { operators_.back().duplicate_ranks = ranks; }

void Tape::put(std::vector<Entry>& entries, const TapeOperator& step, Op op, Amount saves,
               bool residual) const {
  if (op.kind == graph::NodeKind::coll && op.format == graph::Format::unsaid)
    op.format = format_of(scope_->spec->precision.activations);
  op.repeated_flops +=
      (op.matmul - op.repeated_flops) - (op.matmul - op.repeated_flops) / step.duplicate_ranks;
  entries.push_back({op, saves.value(), stream::none, residual});
}

void Tape::forward(const Op& op, Amount saves, bool residual) {
  put(operators_.back().forward, operators_.back(), op, saves, residual);
}

void Tape::backward(const Op& op, Amount saves) {
  if (operators_.back().frozen && op.phase == Phase::weight_grad) return;
  put(operators_.back().backward, operators_.back(), op, saves);
}

void Tape::join_forward(Stream stream) {
  operators_.back().forward.push_back({Op{}, -1, stream, false});
}

void Tape::join_backward(Stream stream) {
  operators_.back().backward.push_back({Op{}, -1, stream, false});
}

/// Sets the waits of ops, and merges ops that are one kernel.
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
    // The last communication is a part of the result: later computation waits for this op.
    Op end = compute_op("join", OpClass::vector, ops.back().phase, 0, 0, 0);
    pending.apply(end);
    ops.push_back(end);
  }
  return ops;
}

Result<void> Tape::check(const LoweredPart& lowered) const {
  const auto refuse = [this](const std::string& what) {
    return tl::unexpected(Error{Errc::config_range, "workload",
                                what + " of the part \"" + name_ + "\" exceeds 2^62",
                                "use a smaller batch, sequence or model"});
  };
  for (const std::vector<Op>* ops : {&lowered.forward, &lowered.backward}) {
    for (const Op& op : *ops)
      if (std::max({op.matmul, op.vector, op.repeated_flops, op.bytes, op.size}) > kMost)
        return refuse(std::string("the op \"") + op.name + '"');
  }
  const Part& part = lowered.part;
  for (const std::vector<RetainedTensor>* items :
       {&part.retained, &part.split_backward_tensors, &part.working_tensors}) {
    for (const RetainedTensor& item : *items)
      if (item.bytes > kMost) return refuse(std::string("the tensor \"") + item.name + '"');
  }
  const Weights& weights = lowered.part.weights;
  const Amount total = Amount(weights.dense) + weights.replicated + weights.expert;
  if (std::max({total.value(), weights.matrices, lowered.part.boundary}) > kMost)
    return refuse("the size");
  return {};
}

void Tape::add_weights(WeightKind kind, Amount elements, bool matrices, bool adapter) {
  const auto add = [&](std::int64_t Weights::*field) {
    weights_.*field = (elements + weights_.*field).value();
    if (scope_->is_frozen() && !adapter) frozen_.*field = (elements + frozen_.*field).value();
  };
  switch (kind) {
    case WeightKind::dense:
      add(&Weights::dense);
      break;
    case WeightKind::replicated:
      add(&Weights::replicated);
      break;
    case WeightKind::expert:
      add(&Weights::expert);
      break;
    case WeightKind::tied:
      return;
  }
  if (matrices) add(&Weights::matrices);
}

Result<LoweredPart> Tape::finish(std::initializer_list<Tensor> results) {
  LoweredPart lowered;
  if (selects_results()) choose_stored_results();
  std::vector<Entry> forward;
  for (const TapeOperator& step : operators_)
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
  account_split_backward(part);
  if (auto checked = check(lowered); !checked) return tl::unexpected(checked.error());
  return lowered;
}

// Memory of a part: saved activations and working memory.

void Tape::save_for_weights(Tensor tensor, Amount bytes) {
  if (!operators_.back().frozen) save(tensors_[tensor.id].name, bytes);
}

/// Whether the forward pass stores it for the backward pass.
bool Tape::retained(Tensor tensor) const {
  const TensorState& known = tensors_[tensor.id];
  if (!known.saved) return false;
  if (known.step == Tensor::none) return true;
  if (recomputes_all()) return known.stored == known.bytes;
  return known.lasting || !is_recomputed(operators_[known.step].group);
}

/// Bytes alive only while an operator runs. Forward: inputs and outputs that are not saved.
/// Backward: their gradients.
Amount Tape::working(const TapeOperator& step) const {
  Amount forward, backward;
  for (const auto* tensors : {&step.reads, &step.writes}) {
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
    if (selects_results() && known.step != Tensor::none) {
      if ((known.saved || !prunes_unused() || used_[id]) && !(known.stored == Amount(0)))
        part.retained.push_back({known.name, known.stored.value()});
      if (known.saved && known.stored < known.bytes)
        part.working_tensors.push_back({known.name, (known.bytes - known.stored).value()});
      continue;
    }
    if (!known.saved || known.borrowed) continue;
    if (known.shared) {
      part.shared = {known.name, known.bytes.value()};
    } else if (retained({id})) {
      part.retained.push_back({known.name, known.bytes.value()});
    } else {
      part.working_tensors.push_back({known.name, known.bytes.value()});
    }
  }
  if (!prunes_unused() && !(summed_results_ == Amount(0)))
    part.retained.push_back({"summands", summed_results_.value()});
  Amount maximum;
  for (const TapeOperator& step : operators_) maximum = std::max(maximum, working(step));
  if (!(maximum == Amount(0))) part.working_tensors.push_back({"working", maximum.value()});
}

/// Tensors between the halves of a split backward pass (Qi et al., ICLR 2024: M_W): for operators
/// with weight gradients, their saved inputs and the gradients of their outputs.
void Tape::account_split_backward(Part& part) const {
  std::vector<bool> inputs(tensors_.size(), false), outputs(tensors_.size(), false);
  for (const TapeOperator& step : operators_) {
    const bool weighs = std::any_of(step.backward.begin(), step.backward.end(), [](const Entry& e) {
      return e.join == stream::none && e.op.phase == Phase::weight_grad;
    });
    if (!weighs) continue;
    for (const Tensor saved : step.saves) {
      const bool read = std::any_of(step.reads.begin(), step.reads.end(),
                                    [saved](Tensor each) { return each.id == saved.id; });
      inputs[saved.id] = inputs[saved.id] || read || !tensors_[saved.id].has_gradient;
    }
    for (const Tensor made : step.writes)
      outputs[made.id] = outputs[made.id] || tensors_[made.id].has_gradient;
  }
  for (std::uint32_t id = 0; id < tensors_.size(); ++id) {
    const TensorState& known = tensors_[id];
    if (inputs[id] && !known.borrowed && !known.shared)
      part.split_backward_tensors.push_back({known.name, known.bytes.value()});
    if (outputs[id] && !(known.gradient == Amount(0)))
      part.split_backward_tensors.push_back({known.name, known.gradient.value()});
  }
}

// Recomputation in the backward pass, and the tensors that it needs.

bool Tape::is_recomputed(Group group) const {
  const Recompute& recompute = scope_->spec->recompute;
  if (!is_layer_ || stores_layer_ || group == Group::none) return false;
  switch (recompute.kind) {
    case RecomputeKind::selective:
      return group == Group::attention;
    case RecomputeKind::ops:
      return std::any_of(recompute.ops.begin(), recompute.ops.end(),
                         [group](const std::string& word) {
                           return (groups_of(word) >> static_cast<unsigned>(group) & 1) != 0;
                         });
    case RecomputeKind::none:
    case RecomputeKind::full:
    case RecomputeKind::torchtitan_op:
      break;
  }
  return false;
}

bool Tape::recomputes_all() const {
  return is_layer_ && !stores_layer_ &&
         (scope_->spec->recompute.kind == RecomputeKind::full || selects_results());
}

bool Tape::selects_results() const {
  return is_layer_ && !stores_layer_ &&
         scope_->spec->recompute.kind == RecomputeKind::torchtitan_op;
}

/// Whether a compiler stores and repeats only what is used.
bool Tape::prunes_unused() const {
  return scope_->spec->kernels.framework == Framework::torchtitan_compiled &&
         stops_recompute_early(*scope_->spec);
}

/// RecomputeKind::torchtitan_op: the results that the layer stores. The checkpoint repeats the
/// layer's other operators. Stored are the results of fused attention, of every second `mm` (the
/// first, the third …), of reduce-scatter and of all-to-all. Not `mm`, thus repeated and not
/// counted: the router (its shape is listed in per_op_sac_force_recompute_mm_shapes_by_fqns),
/// products with a bias (PyTorch's addmm), grouped products of experts.
/// Source: pytorch/torchtitan, torchtitan/distributed/activation_checkpoint.py (_apply_op_sac) and
/// models/llama3/infra/parallelize.py, models/deepseek_v3/infra/parallelize.py (_op_sac_save_list),
/// releases of 2025.
void Tape::choose_stored_results() {
  std::int64_t products = 0;
  for (TapeOperator& step : operators_) {
    if (step.group == Group::attention && scope_->spec->kernels.flash_attention) {
      for (Entry& entry : step.forward) entry.stored = true;
      store_outputs(step);
    } else {
      choose_products(step, products);
      choose_collectives(step);
    }
  }
}

void Tape::store_outputs(const TapeOperator& step) {
  for (const Tensor made : step.writes) tensors_[made.id].stored = tensors_[made.id].bytes;
}

/// Chooses among the operator's products. `count`: products of the layer so far.
void Tape::choose_products(TapeOperator& step, std::int64_t& count) {
  if (step.products.empty() || step.group == Group::router) return;
  std::vector<bool> chosen;
  std::size_t next = 0;
  for (Entry& entry : step.forward) {
    if (entry.join != stream::none || entry.op.op_class != OpClass::matmul) continue;
    const std::size_t product = next++ % step.products.size();  // slices follow each other
    if (product == chosen.size() && chosen.size() < step.products.size()) {
      const bool biased = (entry.op.kernel.traits & graph::kBias) != 0;
      chosen.push_back(!biased && ++count % 2 == 1);
      const Product& made = step.products[product];
      if (chosen.back() && made.output.id == Tensor::none) summed_results_ += made.bytes;
      if (chosen.back() && made.output.id != Tensor::none)
        tensors_[made.output.id].stored += made.bytes;
    }
    entry.stored = chosen[product];
  }
}

/// Stores the results of collectives that the list of operators names.
void Tape::choose_collectives(TapeOperator& step) {
  Stream stored = stream::none;
  for (Entry& entry : step.forward) {
    const Op& op = entry.op;
    if (entry.join != stream::none) {
      entry.stored = entry.stored || entry.join == stored;
    } else if (op.kind == graph::NodeKind::coll &&
               (op.collective == graph::CollectiveType::reduce_scatter ||
                op.collective == graph::CollectiveType::all_to_all)) {
      entry.stored = true;
      stored = op.stream;
    }
  }
  if (stored != stream::none) store_outputs(step);
}

/// Repeats all operators of one instance.
void Tape::recompute_operator(std::uint32_t step, std::vector<Entry>& into) {
  const std::uint32_t instance = operators_[step].instance;
  while (step > 0 && operators_[step - 1].instance == instance) --step;
  for (; step < operators_.size() && operators_[step].instance == instance; ++step) {
    if (recomputed_[step]) continue;
    for (const Tensor read : operators_[step].reads) ensure_available(read, into);
    recomputed_[step] = true;
    for (Entry entry : operators_[step].forward) {
      entry.op.phase = Phase::recompute;
      into.push_back(entry);
    }
  }
}

/// Makes a tensor available to the backward pass: saved, or recomputed by now. Saves the inputs of
/// recomputation.
void Tape::ensure_available(Tensor tensor, std::vector<Entry>& into) {
  TensorState& known = tensors_[tensor.id];
  if (known.step != Tensor::none) {
    if (recomputed_[known.step]) return;
    if (!known.lasting && is_recomputed(operators_[known.step].group)) {
      recompute_operator(known.step, into);
      return;
    }
  }
  known.saved = true;
}

/// By operator: whether the recomputation of the layer includes it. A checkpoint that stops early
/// repeats all operators up to the last one whose output some backward pass reads. A compiler
/// repeats only those whose results are used and not stored.
std::vector<bool> Tape::repeated_operators() {
  const std::size_t count = operators_.size();
  if (!stops_recompute_early(*scope_->spec)) return std::vector<bool>(count, true);
  std::vector<bool> repeated(count, false);
  used_.assign(tensors_.size(), false);
  for (const TapeOperator& step : operators_)
    for (const Tensor saved : step.saves) used_[saved.id] = true;
  const bool prunes = selects_results() && prunes_unused();
  for (std::size_t i = count; i-- > 0;) {
    const TapeOperator& step = operators_[i];
    repeated[i] = std::any_of(step.writes.begin(), step.writes.end(), [&](Tensor made) {
      const TensorState& known = tensors_[made.id];
      return used_[made.id] && !(prunes && known.stored == known.bytes);
    });
    if (!prunes && i + 1 < count && repeated[i + 1]) repeated[i] = true;
    if (prunes && repeated[i])
      for (const Tensor read : step.reads) used_[read.id] = true;
  }
  return repeated;
}

std::vector<Tape::Entry> Tape::backward_entries() {
  std::vector<Entry> entries;
  recomputed_.assign(operators_.size(), false);
  if (recomputes_all()) {
    for (TensorState& known : tensors_)
      if (known.step == Tensor::none) known.saved = true;
    recomputed_.assign(operators_.size(), true);
    const std::vector<bool> repeated = repeated_operators();
    for (std::size_t step = 0; step < operators_.size(); ++step) {
      if (!repeated[step]) continue;
      for (Entry entry : operators_[step].forward) {
        if (entry.stored) continue;
        entry.op.phase = Phase::recompute;
        entries.push_back(entry);
      }
    }
  }
  for (auto step = operators_.rbegin(); step != operators_.rend(); ++step) {
    for (const Tensor tensor : step->saves) ensure_available(tensor, entries);
    entries.insert(entries.end(), step->backward.begin(), step->backward.end());
  }
  return entries;
}

}  // namespace orrery::workload
