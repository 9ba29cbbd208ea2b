// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/pass_writer.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/workload/operators/tape.h"

namespace orrery::workload {

using graph::NodeKind;

namespace {

bool is_forward(TaskKind kind) { return kind == TaskKind::forward; }
/// Whether the pass reads stored activations.
bool uses_kept(TaskKind kind) { return kind == TaskKind::backward || kind == TaskKind::input_grad; }

const char* name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::forward:
      return "forward";
    case TaskKind::backward:
      return "backward";
    case TaskKind::input_grad:
      return "input_grad";
    case TaskKind::weight_grad:
      return "weight_grad";
    case TaskKind::step:
      break;
  }
  return "step";
}

Phase phase_of(TaskKind kind) {
  if (kind == TaskKind::forward) return Phase::forward;
  return kind == TaskKind::weight_grad ? Phase::weight_grad : Phase::input_grad;
}

Op copy_op(Stream to, Stream from) {
  Op op;
  op.name = "remember";
  op.op_class = OpClass::copy;
  op.stream = to;
  op.waits[0] = from;
  return op;
}

/// `marks`: the register that remembers it.
Op load_op(std::int64_t bytes, Stream marks) {
  Op op = transfer_op("activations.load", Phase::input_grad, NodeKind::mem_load, bytes);
  op.waits[1] = stream::store;
  op.marks = marks;
  return op;
}

Stream held(std::size_t i) { return static_cast<Stream>(stream::gather_register + i); }
Stream loading_activations(std::size_t i) {
  return static_cast<Stream>(stream::loading_activations + i);
}
Stream storing_activations(std::size_t i) {
  return static_cast<Stream>(stream::storing_activations + i);
}

/// Weight halves only: starts a gather that a register remembers one computation earlier, so that
/// they overlap. Not if that computation waits for the same register.
void gather_ahead(std::vector<Op>& ops) {
  for (std::size_t i = 1; i < ops.size(); ++i) {
    const Op& before = ops[i - 1];
    if (ops[i].kind != NodeKind::coll || before.kind != NodeKind::comp) continue;
    const auto& waits = before.waits;
    if (std::find(waits.begin(), waits.end(), ops[i].marks) == waits.end())
      std::swap(ops[i - 1], ops[i]);
  }
}

}  // namespace

void wait_for(Op& op, Stream stream) {
  if (stream == stream::none || stream == op.stream) return;
  // An op need not wait for its own stream: it runs in order there.
  const auto free = std::find_if(op.waits.begin(), op.waits.end(), [&](Stream wait) {
    return wait == stream || wait == stream::none || wait == op.stream;
  });
  ORRERY_CHECK(free != op.waits.end());
  *free = stream;
}

Op message_op(const char* name, Phase phase, NodeKind kind, const Message& message) {
  Op op = message_op(name, phase, kind, Axis::pp, message.peer_offset, message.stream,
                     Amount(message.size));
  op.message_id = message.message_id;
  return op;
}

/// Gathers the shares of a received message, on the stream of other tp collectives. Ops that wait
/// for the gather thus also wait for the message.
Op gather_op(const char* name, Phase phase, const Message& message) {
  Op op = collective_op(name, phase, graph::CollectiveType::all_gather, Axis::tp, stream::tp,
                        Amount(message.size));
  wait_for(op, message.stream);
  op.format = message.format;
  return op;
}

bool PassWriter::PartExecution::same(const PartExecution& other) const {
  return std::tie(part, gather, gathers_in_flight, message, weights, awaited_store, load,
                  loads_pending, reduce) ==
         std::tie(other.part, other.gather, other.gathers_in_flight, other.message, other.weights,
                  other.awaited_store, other.load, other.loads_pending, other.reduce);
}

std::vector<Op> PassWriter::ops_of(std::uint32_t part, TaskKind kind) const {
  const LoweredPart& from = parts_[part];
  if (is_forward(kind)) return from.forward;
  std::vector<Op> ops;
  for (const Op& op : from.backward) {
    const bool weight_half = op.phase == Phase::weight_grad;
    if (kind == TaskKind::backward || weight_half == (kind == TaskKind::weight_grad))
      ops.push_back(op);
  }
  if (kind == TaskKind::weight_grad) gather_ahead(ops);
  return ops;
}

std::vector<PassWriter::PartExecution> PassWriter::executions(const Chunk& chunk,
                                                              const PassKind& kind) const {
  std::vector<PartExecution> out;
  for (const PartRun& run : chunk.parts) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      PartExecution turn;
      turn.part = run.part;
      if (run.layer >= 0) turn.layer = run.layer + static_cast<std::int32_t>(i);
      out.push_back(turn);
    }
  }
  if (!is_forward(kind.kind)) std::reverse(out.begin(), out.end());
  return out;
}

void PassWriter::add_gathers(Elements whole, Phase phase, std::size_t at,
                             std::vector<Op>& before) const {
  for (Op& op : data_.gather(whole, phase)) {
    op.marks = held(at);
    before.push_back(op);
  }
}

void PassWriter::plan_gathering(std::vector<PartExecution>& executions, TaskKind kind,
                                std::vector<Op>& before) const {
  const auto prefetch =
      static_cast<std::size_t>(is_forward(kind) ? prefetch_ : data_.policy().prefetch_backward);
  const auto weights = [&](std::size_t i) {
    return elements_of(parts_[executions[i].part].part.weights);
  };
  for (std::size_t i = 0; i < std::min(prefetch, executions.size()); ++i)
    add_gathers(weights(i), phase_of(kind), i, before);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    if (i + prefetch < executions.size()) executions[i].gather = weights(i + prefetch);
    executions[i].gathers_in_flight = prefetch;
    executions[i].weights = prefetch > 0 ? held(0) : stream::gather;
  }
}

/// By turn: the weights of the bucket that begins with it; empty if no bucket begins. Buckets are
/// those of the gradients, which become ready from the last turn on.
std::vector<Elements> PassWriter::buckets_from(const std::vector<PartExecution>& executions,
                                               bool has_one_bucket) const {
  std::vector<Elements> out(executions.size());
  Buckets buckets(data_, has_one_bucket);
  Elements whole;
  for (std::size_t i = executions.size(); i-- > 0;) {
    const Elements own = elements_of(parts_[executions[i].part].part.trained());
    whole = whole + own;
    if (!buckets.add(own).none() || i == 0) out[i] = std::exchange(whole, {});
  }
  return out;
}

void PassWriter::plan_buckets(std::vector<PartExecution>& executions, const Chunk& chunk,
                              const PassKind& kind, std::vector<Op>& before) const {
  std::vector<Elements> all = buckets_from(executions, chunk.has_one_bucket);
  if (!kind.is_first_bucket_gathered && !all.empty())
    add_gathers(all.front(), phase_of(kind.kind), 0, before);
  PartExecution* current = nullptr;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    if (all[i].none()) continue;
    if (current != nullptr) current->gather = all[i];
    current = &executions[i];
    current->gathers_in_flight = 1;
    current->weights = held(0);
  }
  if (current == nullptr || kind.next == nullptr) return;
  const std::vector<PartExecution> next = this->executions(*kind.next, kind);
  if (!next.empty()) current->gather = buckets_from(next, kind.next->has_one_bucket).front();
}

/// Sets which turns wait for stores of activations, and which load activations for later turns.
void PassWriter::plan_offload(std::vector<PartExecution>& executions, TaskKind kind,
                              std::vector<Op>& before) const {
  const auto offloaded = [&](std::size_t i) { return parts_[executions[i].part].part.offloaded; };
  for (std::size_t i = 0; i < executions.size(); ++i) {
    if (is_forward(kind)) {
      const bool follows = i > 0 && offloaded(i - 1) > 0;
      if (offloaded(i) > 0 || follows) executions[i].awaited_store = storing_activations(0);
    } else if (uses_kept(kind)) {
      if (i + window_ < executions.size()) executions[i].load = offloaded(i + window_);
      for (std::size_t k = i; k < std::min(i + window_ + 1, executions.size()); ++k)
        executions[i].loads_pending = executions[i].loads_pending || offloaded(k) > 0;
    }
  }
  for (std::size_t i = 0; uses_kept(kind) && i < std::min(window_, executions.size()); ++i)
    if (offloaded(i) > 0) before.push_back(load_op(offloaded(i), loading_activations(i)));
}

/// Each product of the weight gradients makes a share of the part's gradients ready, in proportion
/// to its FLOPs. The gradients of other weights (norms, biases, tables) are ready at the end.
std::vector<PassWriter::ReductionPoint> PassWriter::ready(std::uint32_t part, TaskKind kind) const {
  const Elements whole = elements_of(parts_[part].part.trained());
  if (!data_.splits_layers()) return {{kEnd, whole}};
  const std::vector<Op> ops = ops_of(part, kind);
  const auto makes = [](const Op& op) { return op.phase == Phase::weight_grad && op.matmul > 0; };
  const auto of_experts = [](const Op& op) {
    return std::string_view(op.name).rfind("experts.", 0) == 0;
  };
  double dense = 0, expert = 0;
  for (const Op& op : ops) {
    if (makes(op)) (of_experts(op) ? expert : dense) += static_cast<double>(op.matmul);
  }
  std::vector<ReductionPoint> out;
  Elements rest = whole;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (!makes(ops[i])) continue;
    const bool routed = of_experts(ops[i]);
    const double share = static_cast<double>(ops[i].matmul) / (routed ? expert : dense);
    const auto part_of = [share](Amount all, Amount left) {
      return std::min<Amount>(left,
                              static_cast<std::int64_t>(share * static_cast<double>(all.value())));
    };
    ReductionPoint due{i, {}};
    if (routed)
      due.sum.expert = part_of(whole.expert, rest.expert);
    else
      due.sum.dense = part_of(whole.dense, rest.dense);
    rest = {rest.dense - due.sum.dense, rest.expert - due.sum.expert};
    out.push_back(due);
  }
  if (!out.empty()) {  // the gradients of the last product are ready with the rest
    rest = rest + out.back().sum;
    out.pop_back();
  }
  out.push_back({kEnd, rest});
  return out;
}

void PassWriter::plan_reduction(std::vector<PartExecution>& executions, TaskKind kind,
                                bool has_one_bucket) const {
  Buckets buckets(data_, has_one_bucket);
  for (PartExecution& turn : executions) {
    for (const ReductionPoint& due : ready(turn.part, kind)) {
      const Elements full = buckets.add(due.sum);
      if (!full.none()) turn.reduce.push_back({due.after, full});
    }
  }
  if (executions.empty()) return;
  const Elements left = buckets.flush();
  std::vector<ReductionPoint>& last = executions.back().reduce;
  if (left.none()) return;
  if (last.empty() || last.back().after != kEnd)
    last.push_back({kEnd, left});
  else
    last.back().sum = last.back().sum + left;
}

std::uint32_t PassWriter::body_of(const PartExecution& turn, TaskKind kind) {
  const std::int64_t offloaded = parts_[turn.part].part.offloaded;
  std::vector<Op> ops = data_.gather(turn.gather, phase_of(kind));
  if (turn.loads_pending) {
    ops.push_back(copy_op(stream::loaded_activations, loading_activations(0)));
    for (std::size_t i = 0; i + 1 < window_; ++i)
      ops.push_back(copy_op(loading_activations(i), loading_activations(i + 1)));
  }
  if (turn.load > 0) ops.push_back(load_op(turn.load, loading_activations(window_ - 1)));
  std::vector<Op> own = ops_of(turn.part, kind);
  const auto first_of = [&own](auto matches) {
    return std::find_if(own.begin(), own.end(),
                        [&](const Op& op) { return op.op_class != OpClass::copy && matches(op); });
  };
  const auto first = first_of([](const Op&) { return true; });
  if (first != own.end()) {
    wait_for(*first, turn.message);
    wait_for(*first, turn.awaited_store);
  }
  const auto computes = first_of([](const Op& op) { return op.kind == NodeKind::comp; });
  if (computes != own.end()) {
    wait_for(*computes, turn.weights);
    if (offloaded > 0 && uses_kept(kind)) wait_for(*computes, stream::loaded_activations);
  }
  const auto send_off = [&](std::size_t after) {
    for (const ReductionPoint& due : turn.reduce) {
      if (due.after != after) continue;
      for (const Op& op : data_.reduce(due.sum, Phase::weight_grad)) ops.push_back(op);
    }
  };
  for (std::size_t i = 0; i < own.size(); ++i) {
    ops.push_back(own[i]);
    send_off(i);
  }
  if (turn.weights != stream::none && turn.gathers_in_flight > 0) {
    for (std::size_t i = 0; i + 1 < turn.gathers_in_flight; ++i)
      ops.push_back(copy_op(held(i), held(i + 1)));
    ops.push_back(copy_op(held(turn.gathers_in_flight - 1), stream::gather));
  }
  if (offloaded > 0 && is_forward(kind)) {
    for (std::size_t i = 0; i + 1 < window_; ++i)
      ops.push_back(copy_op(storing_activations(i), storing_activations(i + 1)));
    ops.push_back(copy_op(storing_activations(window_ - 1), stream::store));
    ops.push_back(transfer_op("activations.store", Phase::forward, NodeKind::mem_store, offloaded));
  }
  send_off(kEnd);
  return bodies_.add(parts_[turn.part].part.name + "." + name_of(kind), std::move(ops));
}

std::vector<Segment> PassWriter::pass(const Chunk& chunk, const PassKind& kind) {
  std::vector<PartExecution> own = executions(chunk, kind);
  const bool forward = is_forward(kind.kind), weights_only = kind.kind == TaskKind::weight_grad;
  const Message from = forward ? chunk.receive_activations : chunk.receive_gradients;
  const Message to = forward ? chunk.send_activations : chunk.send_gradients;
  const bool receives = from.size > 0 && !weights_only, sends = to.size > 0 && !weights_only;

  std::vector<Op> before, after;
  if (receives) {
    before.push_back(message_op(forward ? "receive.activations" : "receive.gradients",
                                phase_of(kind.kind), NodeKind::recv, from));
    if (from.is_scattered)
      before.push_back(gather_op(forward ? "activations.gather" : "gradients.gather",
                                 phase_of(kind.kind), from));
  }
  if (kind.gather && data_.gathers_in_next_step())
    plan_buckets(own, chunk, kind, before);
  else if (kind.gather)
    plan_gathering(own, kind.kind, before);
  plan_offload(own, kind.kind, before);
  if (kind.reduce) plan_reduction(own, kind.kind, chunk.has_one_bucket);
  const Stream comes = from.is_scattered ? stream::tp : from.stream;
  if (receives && !own.empty()) own.front().message = comes;
  if (sends) {
    Op send = message_op(forward ? "send.activations" : "send.gradients", phase_of(kind.kind),
                         NodeKind::send, to);
    wait_for(send, stream::compute);
    if (own.empty()) wait_for(send, comes);
    after.push_back(send);
    if (!own.empty() && !own.back().reduce.empty() && own.back().reduce.back().after == kEnd) {
      // first the message to the next stage, then the reduction
      for (Op& op : data_.reduce(own.back().reduce.back().sum, Phase::weight_grad))
        after.push_back(op);
      own.back().reduce.pop_back();
    }
  }

  std::vector<Segment> segments;
  const std::string suffix = std::string(".") + name_of(kind.kind);
  if (!before.empty()) segments.push_back({bodies_.add("begin" + suffix, std::move(before))});
  const std::int32_t step = forward ? 1 : -1;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool follows =
        i > 0 && own[i].same(own[i - 1]) &&
        (own[i].layer < 0 ? own[i - 1].layer < 0 : own[i].layer == own[i - 1].layer + step);
    if (follows) {
      ++segments.back().count;
    } else {
      segments.push_back({.body = body_of(own[i], kind.kind),
                          .count = 1,
                          .layer = own[i].layer,
                          .layer_step = step});
    }
  }
  if (!after.empty()) segments.push_back({bodies_.add("end" + suffix, std::move(after))});
  return segments;
}

std::vector<Elements> buckets_of(const std::vector<LoweredPart>& parts,
                                 const std::vector<Chunk>& chunks, const DataParallel& data) {
  std::vector<Elements> out;
  Buckets buckets(data);
  const auto keep = [&out](Elements due) {
    if (!due.none()) out.push_back(due);
  };
  for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk) {
    for (auto run = chunk->parts.rbegin(); run != chunk->parts.rend(); ++run) {
      for (std::uint32_t i = 0; i < run->count; ++i)
        keep(buckets.add(elements_of(parts[run->part].part.trained())));
    }
  }
  keep(buckets.flush());
  return out;
}

}  // namespace orrery::workload
