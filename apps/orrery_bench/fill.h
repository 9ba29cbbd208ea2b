// SPDX-License-Identifier: Apache-2.0
//
// The initial content of memory before the first step. Identical bytes on all machines.
#pragma once

#include <cstdint>
#include <vector>

#include "addons/bench/plan/program.h"

namespace orrery::bench {

/// Fills `storage.bytes` bytes at `memory`. `seed` differs between storages; `reuse` is
/// Program::reuse.
void fill(void* memory, const Storage& storage, std::uint64_t seed,
          const std::vector<double>& reuse);

/// `count` rows below `rows`, such that the share shares[j] of the occurring rows is used more than
/// 2^(j-1) and at most 2^j times. Without shares, uniform. Source: the reuse factors of embedding
/// lookups of Lin et al. (TPDS 2024).
[[nodiscard]] std::vector<std::int64_t> reused_rows(std::int64_t count, std::int64_t rows,
                                                    const std::vector<double>& shares,
                                                    std::uint64_t seed);

}  // namespace orrery::bench
