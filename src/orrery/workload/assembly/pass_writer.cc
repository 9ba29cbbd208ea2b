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
/// What was kept is used.
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

/// `marks`: what remembers it.
Op load_op(std::int64_t bytes, Stream marks) {
  Op op = transfer_op("activations.load", Phase::input_grad, NodeKind::mem_load, bytes);
  op.waits[1] = stream::store;
  op.marks = marks;
  return op;
}

Stream held(std::size_t i) { return static_cast<Stream>(stream::held + i); }
Stream loading_activations(std::size_t i) {
  return static_cast<Stream>(stream::loading_activations + i);
}
Stream storing_activations(std::size_t i) {
  return static_cast<Stream>(stream::storing_activations + i);
}

/// Weight halves alone: what they gather and remember is started one computation ahead, to run
/// beside it, unless that one waits for the same register.
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
  // What runs on the compute stream waits for its turn there anyway.
  const auto free = std::find_if(op.waits.begin(), op.waits.end(), [&](Stream wait) {
    return wait == stream || wait == stream::none || wait == op.stream;
  });
  ORRERY_CHECK(free != op.waits.end());
  *free = stream;
}

Op message_op(const char* name, Phase phase, NodeKind kind, const Message& message) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase;
  op.kind = kind;
  op.stream = message.stream;
  op.axis = Axis::pp;
  op.shift = message.shift;
  op.size = message.size;
  op.edge = message.edge;
  return op;
}

/// Behind what has come, with what else ranks of tp do together: who waits for it waits for the
/// message.
Op gather_op(const char* name, Phase phase, const Message& message) {
  Op op = collective_op(name, phase, graph::CollectiveType::all_gather, Axis::tp, stream::tp,
                        Amount(message.size));
  wait_for(op, message.stream);
  op.numbers = message.numbers;
  return op;
}

bool PassWriter::Turn::same(const Turn& other) const {
  return std::tie(part, gather, ahead, message, weights, room, load, awaits, reduce) ==
         std::tie(other.part, other.gather, other.ahead, other.message, other.weights, other.room,
                  other.load, other.awaits, other.reduce);
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

std::vector<PassWriter::Turn> PassWriter::turns(const Chunk& chunk, const PassKind& kind) const {
  std::vector<Turn> out;
  for (const PartRun& run : chunk.parts) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      Turn turn;
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

void PassWriter::plan_gathering(std::vector<Turn>& turns, TaskKind kind,
                                std::vector<Op>& before) const {
  const auto prefetch =
      static_cast<std::size_t>(is_forward(kind) ? prefetch_ : data_.policy().prefetch_backward);
  const auto weights = [&](std::size_t i) {
    return elements_of(parts_[turns[i].part].part.weights);
  };
  for (std::size_t i = 0; i < std::min(prefetch, turns.size()); ++i)
    add_gathers(weights(i), phase_of(kind), i, before);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (i + prefetch < turns.size()) turns[i].gather = weights(i + prefetch);
    turns[i].ahead = prefetch;
    turns[i].weights = prefetch > 0 ? held(0) : stream::gather;
  }
}

/// By turn: what is gathered for it and those after it, up to the next bucket; nothing where no
/// bucket begins. Buckets are those of the gradients, which become ready from the last turn on.
std::vector<Elements> PassWriter::buckets_from(const std::vector<Turn>& turns,
                                               bool one_bucket) const {
  std::vector<Elements> out(turns.size());
  Buckets buckets(data_, one_bucket);
  Elements whole;
  for (std::size_t i = turns.size(); i-- > 0;) {
    const Elements own = elements_of(parts_[turns[i].part].part.trained());
    whole = whole + own;
    if (!buckets.add(own).none() || i == 0) out[i] = std::exchange(whole, {});
  }
  return out;
}

void PassWriter::plan_buckets(std::vector<Turn>& turns, const Chunk& chunk, const PassKind& kind,
                              std::vector<Op>& before) const {
  std::vector<Elements> all = buckets_from(turns, chunk.one_bucket);
  if (!kind.first_bucket_gathered && !all.empty())
    add_gathers(all.front(), phase_of(kind.kind), 0, before);
  Turn* current = nullptr;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (all[i].none()) continue;
    if (current != nullptr) current->gather = all[i];
    current = &turns[i];
    current->ahead = 1;
    current->weights = held(0);
  }
  if (current == nullptr || kind.next == nullptr) return;
  const std::vector<Turn> next = this->turns(*kind.next, kind);
  if (!next.empty()) current->gather = buckets_from(next, kind.next->one_bucket).front();
}

/// Who waits for activations that leave, and brings those of the turn after it.
void PassWriter::plan_offload(std::vector<Turn>& turns, TaskKind kind,
                              std::vector<Op>& before) const {
  const auto offloaded = [&](std::size_t i) { return parts_[turns[i].part].part.offloaded; };
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (is_forward(kind)) {
      const bool follows = i > 0 && offloaded(i - 1) > 0;
      if (offloaded(i) > 0 || follows) turns[i].room = storing_activations(0);
    } else if (uses_kept(kind)) {
      if (i + window_ < turns.size()) turns[i].load = offloaded(i + window_);
      for (std::size_t k = i; k < std::min(i + window_ + 1, turns.size()); ++k)
        turns[i].awaits = turns[i].awaits || offloaded(k) > 0;
    }
  }
  for (std::size_t i = 0; uses_kept(kind) && i < std::min(window_, turns.size()); ++i)
    if (offloaded(i) > 0) before.push_back(load_op(offloaded(i), loading_activations(i)));
}

/// Products make the gradients of a part, as many as they have FLOPs among those of their kind;
/// what has no product (norms, biases, tables) is ready at the end.
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
  if (!out.empty()) {  // the last ones come with the rest
    rest = rest + out.back().sum;
    out.pop_back();
  }
  out.push_back({kEnd, rest});
  return out;
}

void PassWriter::plan_reduction(std::vector<Turn>& turns, TaskKind kind, bool one_bucket) const {
  Buckets buckets(data_, one_bucket);
  for (Turn& turn : turns) {
    for (const ReductionPoint& due : ready(turn.part, kind)) {
      const Elements full = buckets.add(due.sum);
      if (!full.none()) turn.reduce.push_back({due.after, full});
    }
  }
  if (turns.empty()) return;
  const Elements left = buckets.flush();
  std::vector<ReductionPoint>& last = turns.back().reduce;
  if (left.none()) return;
  if (last.empty() || last.back().after != kEnd)
    last.push_back({kEnd, left});
  else
    last.back().sum = last.back().sum + left;
}

std::uint32_t PassWriter::body_of(const Turn& turn, TaskKind kind) {
  const std::int64_t offloaded = parts_[turn.part].part.offloaded;
  std::vector<Op> ops = data_.gather(turn.gather, phase_of(kind));
  if (turn.awaits) {
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
    wait_for(*first, turn.room);
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
  if (turn.weights != stream::none && turn.ahead > 0) {
    for (std::size_t i = 0; i + 1 < turn.ahead; ++i) ops.push_back(copy_op(held(i), held(i + 1)));
    ops.push_back(copy_op(held(turn.ahead - 1), stream::gather));
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

void PassWriter::append(std::vector<Segment>& segments, const Turn& turn, TaskKind kind) {
  const std::int32_t step = is_forward(kind) ? 1 : -1;
  const std::uint32_t body = body_of(turn, kind);
  segments.push_back({.body = body, .count = 1, .layer = turn.layer, .layer_step = step});
}

std::vector<Segment> PassWriter::pass(const Chunk& chunk, const PassKind& kind) {
  std::vector<Turn> own = turns(chunk, kind);
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
  if (kind.gather && data_.gathers_ahead())
    plan_buckets(own, chunk, kind, before);
  else if (kind.gather)
    plan_gathering(own, kind.kind, before);
  plan_offload(own, kind.kind, before);
  if (kind.reduce) plan_reduction(own, kind.kind, chunk.one_bucket);
  const Stream comes = from.is_scattered ? stream::tp : from.stream;
  if (receives && !own.empty()) own.front().message = comes;
  if (sends) {
    Op send = message_op(forward ? "send.activations" : "send.gradients", phase_of(kind.kind),
                         NodeKind::send, to);
    wait_for(send, stream::compute);
    if (own.empty()) wait_for(send, comes);
    after.push_back(send);
    if (!own.empty() && !own.back().reduce.empty() && own.back().reduce.back().after == kEnd) {
      // the next stage first, then the gradients
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
      append(segments, own[i], kind.kind);
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
