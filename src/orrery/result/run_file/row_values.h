// SPDX-License-Identifier: Apache-2.0
//
// Writes the values of a run as columns of a row. `Rows` has the member functions of TableBuilder.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/result/run.h"

namespace orrery::result {

inline std::int64_t signed_bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }

template <class Rows, class Unit>
void put(Rows& rows, Quantity<Unit, std::int64_t> value) {
  rows.integer(value.count());
}

template <class Rows>
void put(Rows& rows, const std::optional<Time>& value) {
  value ? rows.integer(value->count()) : rows.null();
}

template <class Rows>
void put(Rows& rows, const std::optional<ErrorInterval>& off) {
  put(rows, off ? std::optional(off->lower) : std::nullopt);
  put(rows, off ? std::optional(off->upper) : std::nullopt);
}

/// `number` plus `base`; NULL for kNone.
template <class Rows>
void put_reference(Rows& rows, std::uint32_t number, std::uint64_t base = 0) {
  number == kNone ? rows.null() : rows.integer(signed_bits(base + number));
}

template <class Rows>
void put(Rows& rows, const Dimension& dim) {
  rows.text(dim.block);
  rows.integer(dim.size);
  rows.real(dim.bandwidth.count());
  rows.real(dim.latency_ns);
}

template <class Rows>
void put(Rows& rows, const PredictedCollective& each) {
  rows.text(each.type);
  put(rows, each.bytes);
  rows.integer(each.ranks);
  rows.integer(each.nodes);
  put(rows, each.time);
  rows.text(each.source);
  rows.text(each.algorithm);
  put(rows, each.off);
}

template <class Rows>
void put(Rows& rows, const FabricNode& node) {
  rows.text(node.name);
  rows.text(node.kind);
  put_reference(rows, node.host);
  put_reference(rows, node.rank);
}

/// `first_member`: row of its first rank.
template <class Rows>
void put(Rows& rows, const Group& group, std::int64_t first_member) {
  rows.text(group.name);
  rows.integer(group.size);
  rows.integer(group.first);
  rows.integer(group.count);
  rows.integer(group.stored);
  rows.integer(first_member);
}

/// Without `curves`, its curve is NULL.
template <class Rows>
void put(Rows& rows, const Link& link, bool curves) {
  rows.integer(link.dim);
  put_reference(rows, link.from);
  put_reference(rows, link.to);
  rows.integer(link.down ? 1 : 0);
  rows.real(link.capacity.count());
  rows.integer(signed_bits(link.bytes));
  curves ? rows.integer(link.use) : rows.null();
  rows.text(link.name);
  rows.text(link.kind);
}

template <class Rows>
void put(Rows& rows, const MemoryLevel& level) {
  rows.text(level.name);
  rows.real(level.capacity.count());
  rows.integer(level.half_duplex ? 1 : 0);
  rows.integer(signed_bits(level.loaded));
  rows.integer(signed_bits(level.stored));
}

template <class Rows>
void put(Rows& rows, const PacketMessageTime& message) {
  put_reference(rows, message.from);
  put_reference(rows, message.to);
  rows.integer(message.bytes);
  rows.integer(message.start);
  message.end == PacketMessageTime::kUnfinished ? rows.null() : rows.integer(message.end);
  rows.integer(message.ideal);
  rows.integer(signed_bits(message.retransmitted));
}

template <class Rows>
void put(Rows& rows, const FabricFault& fault) {
  rows.integer(fault.from);
  rows.integer(fault.to);
  rows.integer(fault.links);
  rows.real(fault.bandwidth);
  put(rows, fault.start);
  put(rows, fault.end);
  put(rows, fault.every);
  put(rows, fault.lasts);
}

template <class Rows>
void put(Rows& rows, const ErrorClass& one) {
  rows.text(one.name);
  put(rows, one.time);
  put(rows, one.off);
}

}  // namespace orrery::result
