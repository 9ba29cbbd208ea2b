// SPDX-License-Identifier: Apache-2.0
//
// What memory holds before the first step. The same bytes on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "program.h"

namespace orrery::replay {

/// Bytes per element of a type's word; 0 for one that is not known.
[[nodiscard]] std::int64_t width_of(std::string_view dtype);

/// Fills `storage.bytes` bytes at `memory`. `seed` tells storages apart; `reuse` is
/// Program::reuse.
void fill(void* memory, const Storage& storage, std::uint64_t seed,
          const std::vector<double>& reuse);

/// `count` rows below `rows`, so that of the rows that occur the share shares[j] occurs more than
/// 2^(j-1) and at most 2^j times. Without shares, evenly drawn.
/// Source: the reuse factors of embedding lookups of Lin et al. (TPDS 2024).
[[nodiscard]] std::vector<std::int64_t> reused_rows(std::int64_t count, std::int64_t rows,
                                                    const std::vector<double>& shares,
                                                    std::uint64_t seed);

}  // namespace orrery::replay
