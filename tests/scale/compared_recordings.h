// SPDX-License-Identifier: Apache-2.0
//
// Compares recordings of one run with and without shortcuts.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "orrery/core/effort_testing.h"
#include "orrery/record/recorded_bytes_testing.h"
#include "random_case.h"

namespace orrery::scale {

struct RecordingCounts {
  std::uint64_t compared = 0, folded = 0, skipping = 0;
};

/// Without and with both shortcuts, and with one of them.
inline void compare_recordings(const Case& drawn, std::uint64_t seed, const std::string& about,
                               RecordingCounts& counts) {
  const auto record = [&](bool fold, bool skip, bool query = false) {
    return record::testing::recorded_bytes(drawn.workload, drawn.platform, fold, skip, query);
  };
  const auto all = record(false, false, seed % core_testing::case_count(1u, 8u) == 0);
  const auto folded = record(true, true);
  const auto one = record(seed % 2 == 0, seed % 2 != 0);
  EXPECT_TRUE(folded.bytes == all.bytes) << "folded and skipped, " << about;
  EXPECT_TRUE(one.bytes == all.bytes) << (seed % 2 == 0 ? "folded, " : "skipped, ") << about;
  if (all.bytes.empty() || all.stalled) return;
  ++counts.compared;
  if (folded.representatives < drawn.workload.rank_count()) ++counts.folded;
  if (folded.skipped + one.skipped > 0) ++counts.skipping;
}

}  // namespace orrery::scale
