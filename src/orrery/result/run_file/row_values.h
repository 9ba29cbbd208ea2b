// SPDX-License-Identifier: Apache-2.0
//
// Values of a run as columns of a row.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/result/run.h"
#include "orrery/result/run_file/database_writer.h"

namespace orrery::result {

using Rows = TableBuilder;

inline std::int64_t signed_bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }

template <class Unit>
void put(Rows& rows, Quantity<Unit, std::int64_t> value) {
  rows.integer(value.count());
}

inline void put(Rows& rows, const std::optional<Time>& value) {
  value ? rows.integer(value->count()) : rows.null();
}

inline void put(Rows& rows, const std::optional<ErrorInterval>& off) {
  put(rows, off ? std::optional(off->lower) : std::nullopt);
  put(rows, off ? std::optional(off->upper) : std::nullopt);
}

/// `number`, counted from `base`; kNone is NULL.
inline void put_reference(Rows& rows, std::uint32_t number, std::uint64_t base = 0) {
  number == kNone ? rows.null() : rows.integer(signed_bits(base + number));
}

inline void put(Rows& rows, const Dimension& dim) {
  rows.text(dim.block);
  rows.integer(dim.size);
  rows.real(dim.bandwidth.count());
  rows.real(dim.latency_ns);
}

inline void put(Rows& rows, const PredictedCollective& each) {
  rows.text(each.type);
  put(rows, each.bytes);
  rows.integer(each.ranks);
  rows.integer(each.nodes);
  put(rows, each.time);
  rows.text(each.source);
  rows.text(each.algorithm);
  put(rows, each.off);
}

inline void put(Rows& rows, const FabricNode& node) {
  rows.text(node.name);
  rows.text(node.kind);
  put_reference(rows, node.host);
  put_reference(rows, node.rank);
}

inline void put(Rows& rows, const Group& group) {
  rows.text(group.name);
  rows.integer(group.size);
  rows.integer(group.first);
  rows.integer(group.count);
}

/// Its curve is NULL where there are none.
inline void put(Rows& rows, const Link& link, bool curves) {
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

inline void put(Rows& rows, const MemoryLevel& level) {
  rows.text(level.name);
  rows.real(level.capacity.count());
  rows.integer(level.half_duplex ? 1 : 0);
  rows.integer(signed_bits(level.loaded));
  rows.integer(signed_bits(level.stored));
}

inline void put(Rows& rows, const FabricFault& fault) {
  rows.integer(fault.from);
  rows.integer(fault.to);
  rows.integer(fault.links);
  rows.real(fault.bandwidth);
  put(rows, fault.start);
  put(rows, fault.end);
  put(rows, fault.every);
  put(rows, fault.lasts);
}

inline void put(Rows& rows, const ErrorClass& one) {
  rows.text(one.name);
  put(rows, one.time);
  put(rows, one.off);
}

}  // namespace orrery::result
