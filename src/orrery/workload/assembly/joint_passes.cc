// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/joint_passes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery::workload {
namespace {

using graph::NodeKind;

SlotLoop shifted(const SlotLoop& loop, std::size_t begin, std::size_t end, std::uint32_t rounds) {
  SlotLoop made{{loop.slots.begin() + static_cast<std::ptrdiff_t>(begin),
                 loop.slots.begin() + static_cast<std::ptrdiff_t>(end)},
                1,
                0};
  for (Slot& slot : made.slots) slot.microbatch += rounds * loop.stride;
  return made;
}

bool waits_for(const Op& op, Stream stream) {
  return std::find(op.waits.begin(), op.waits.end(), stream) != op.waits.end();
}

/// The pieces of a body: each begins with a computation that waits for a token exchange of the
/// piece before it.
std::vector<std::vector<Op>> pieces_of(const std::vector<Op>& ops) {
  std::vector<std::vector<Op>> pieces(1);
  bool exchanging = false;
  for (const Op& op : ops) {
    if (exchanging && op.kind == NodeKind::comp && waits_for(op, stream::ep)) {
      pieces.emplace_back();
      exchanging = false;
    }
    exchanging = exchanging || (op.kind == NodeKind::coll && op.stream == stream::ep);
    pieces.back().push_back(op);
  }
  return pieces;
}

/// Exchanges of both passes are on separate streams, since each piece waits for its own.
void use_backward_stream(std::vector<Op>& ops) {
  for (Op& op : ops) {
    if (op.stream == stream::ep) op.stream = stream::backward_exchange;
    std::replace(op.waits.begin(), op.waits.end(), stream::ep, stream::backward_exchange);
  }
}

/// One layer or other part of a pass.
std::vector<Segment> parts_of(const std::vector<Segment>& pass, std::int32_t offset) {
  std::vector<Segment> parts;
  for (const Segment& segment : pass) {
    for (std::uint32_t i = 0; i < segment.count; ++i) {
      Segment part = segment;
      part.count = 1;
      if (part.layer >= 0) part.layer += static_cast<std::int32_t>(i) * part.layer_step;
      part.microbatch_offset = offset;
      parts.push_back(part);
    }
  }
  return parts;
}

class JointPass {
 public:
  JointPass(const std::vector<Body>& bodies, BodyTable& table) : bodies_(bodies), table_(table) {}

  std::vector<Segment> make(const std::vector<Segment>& forward,
                            const std::vector<Segment>& backward) {
    const auto is_layer = [](const Segment& part) { return part.layer >= 0; };
    auto f = std::find_if(forward.begin(), forward.end(), is_layer);
    auto b = std::find_if(backward.begin(), backward.end(), is_layer);
    put(backward.begin(), b, true);
    put(forward.begin(), f, false);
    for (; f != forward.end() && b != backward.end() && is_layer(*f) && is_layer(*b); ++f, ++b)
      put_layers(*f, *b);
    put(b, backward.end(), true);
    put(f, forward.end(), false);
    return std::move(made_);
  }

 private:
  using Place = std::vector<Segment>::const_iterator;

  void put(Place from, Place to, bool backward) {
    for (; from != to; ++from) {
      for (std::vector<Op>& piece : cut(*from, backward)) add(*from, std::move(piece));
    }
  }

  void put_layers(const Segment& forward, const Segment& backward) {
    std::vector<std::vector<Op>> f = cut(forward, false), b = cut(backward, true);
    for (std::size_t i = 0; i < std::max(f.size(), b.size()); ++i) {
      if (i < b.size()) add(backward, std::move(b[i]));
      if (i < f.size()) add(forward, std::move(f[i]));
    }
  }

  [[nodiscard]] std::vector<std::vector<Op>> cut(const Segment& part, bool backward) const {
    std::vector<std::vector<Op>> pieces = pieces_of(bodies_[part.body].ops);
    if (backward) std::for_each(pieces.begin(), pieces.end(), use_backward_stream);
    return pieces;
  }

  void add(const Segment& of, std::vector<Op> ops) {
    const std::string name = bodies_[of.body].name;
    Segment piece = of;
    piece.body = table_.add(name, std::move(ops));
    made_.push_back(piece);
  }

  const std::vector<Body>& bodies_;
  BodyTable& table_;
  std::vector<Segment> made_;
};

}  // namespace

std::vector<SlotLoop> with_joint_rounds(const std::vector<SlotLoop>& loops) {
  std::vector<SlotLoop> made;
  for (const SlotLoop& loop : loops) {
    const std::size_t size = loop.slots.size();
    const bool rotates = loop.count > 1 && size > 1 && loop.slots.front().pass == Pass::forward &&
                         loop.slots.back().pass == Pass::backward;
    if (!rotates) {
      made.push_back(loop);
      continue;
    }
    made.push_back(shifted(loop, 0, 1, 0));
    SlotLoop middle = shifted(loop, 1, size, 0);
    middle.slots.push_back(shifted(loop, 0, 1, 1).slots.front());
    middle.count = loop.count - 1;
    middle.stride = loop.stride;
    made.push_back(std::move(middle));
    made.push_back(shifted(loop, 1, size, loop.count - 1));
  }
  return made;
}

bool are_joint(const std::vector<Slot>& slots, std::size_t i) {
  if (i + 1 >= slots.size()) return false;
  return slots[i].pass == Pass::backward && slots[i + 1].pass == Pass::forward;
}

std::vector<Segment> joint_pass(const std::vector<Segment>& forward,
                                const std::vector<Segment>& backward, std::int32_t offset,
                                const std::vector<Body>& bodies, BodyTable& table) {
  return JointPass(bodies, table).make(parts_of(forward, 0), parts_of(backward, offset));
}

}  // namespace orrery::workload
