// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/body_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::workload {

using graph::NodeKind;

namespace {

auto fields(const Op& op) {
  return std::tie(op.name, op.op_class, op.phase, op.kind, op.stream, op.waits, op.marks, op.matmul,
                  op.vector, op.repeated_flops, op.bytes, op.devices, op.collective, op.axis,
                  op.peer_offset, op.size, op.message_id, op.exchange, op.format);
}

bool same(const std::vector<Op>& a, const std::vector<Op>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Op& x, const Op& y) { return fields(x) == fields(y); });
}

std::uint64_t hash(const std::vector<Op>& ops) {
  std::uint64_t value = ops.size();
  const auto mix = [&value](auto number) {
    value = (value ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15ULL;
    value ^= value >> 29;
  };
  for (const Op& op : ops) {
    mix(op.matmul);
    mix(op.bytes);
    mix(op.size);
    mix(op.stream);
    mix(op.peer_offset);
    for (const Stream wait : op.waits) mix(wait);
  }
  return value;
}

/// Serializes communication and computation.
void take_turns(std::vector<Op>& ops) {
  for (Op& op : ops) {
    if (op.kind == NodeKind::recv) {
      op.waits.fill(stream::none);
    } else if (op.op_class == OpClass::communication || op.op_class == OpClass::transfer) {
      op.stream = stream::compute;
    }
  }
}

}  // namespace

std::uint32_t BodyTable::add(const std::string& name, std::vector<Op> ops) {
  if (!overlap_) take_turns(ops);
  const std::uint64_t key = hash(ops);
  const auto [first, last] = known_.equal_range(key);
  for (auto it = first; it != last; ++it) {
    if (bodies_[it->second].name == name && same(bodies_[it->second].ops, ops)) return it->second;
  }
  const auto number = static_cast<std::uint32_t>(bodies_.size());
  bodies_.push_back({name, std::move(ops)});
  known_.emplace(key, number);
  return number;
}

}  // namespace orrery::workload
