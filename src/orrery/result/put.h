// SPDX-License-Identifier: Apache-2.0
//
// Values of a run as columns of a row.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/result/database_writer.h"
#include "orrery/result/run.h"

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

inline void put(Rows& rows, const std::optional<Off>& off) {
  put(rows, off ? std::optional(off->least) : std::nullopt);
  put(rows, off ? std::optional(off->most) : std::nullopt);
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

/// `number`, counted from `base`; kNone is NULL.
inline void put_reference(Rows& rows, std::uint32_t number, std::uint64_t base = 0) {
  number == kNone ? rows.null() : rows.integer(signed_bits(base + number));
}

}  // namespace orrery::result
