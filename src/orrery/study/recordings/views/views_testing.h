// SPDX-License-Identifier: Apache-2.0
//
// Views of profiles by hand, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/profile/profile_testing.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::study {

/// The profile as rank 0, linked and attached.
inline intake::RankTrace rank_of(profile::Profile profile) {
  intake::RankTrace rank;
  rank.profile = std::move(profile);
  rank.attach = profile::attach(rank.profile, rank.findings);
  return rank;
}

/// The view of one rank.
inline View view_of(const std::string& name, const intake::RankTrace& rank) {
  auto builders = view_builders(std::vector<std::string>{name});
  builders.front()->add(rank);
  Findings findings;
  return builders.front()->view({}, findings);
}

inline const ViewTable& table_of(const View& view, std::string_view key) {
  for (const ViewTable& table : view.tables)
    if (table.key == key) return table;
  ADD_FAILURE() << "no table " << key;
  return view.tables.front();
}

/// What people read in a column of a row.
inline std::string cell(const ViewTable& table, std::size_t row, std::string_view key) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].key == key) return table.rows.at(row).at(c).text();
  ADD_FAILURE() << "no column " << key;
  return "";
}

inline std::string fact(const View& view, std::string_view key) {
  for (const ViewFact& fact : view.facts)
    if (fact.key == key) return fact.value.text();
  ADD_FAILURE() << "no fact " << key;
  return "";
}

/// A product of m×k by k×n in bf16 on thread `main`, with one kernel of `length` us.
struct RecordedProducts {
  profile::Maker make;
  std::uint32_t main = make.thread(1), stream = make.stream(7);
  std::uint64_t correlation = 0;

  RecordedProducts() { make.profile.devices.push_back({0, "NVIDIA H100 80GB HBM3", 0, 132}); }

  profile::EventId op(std::string_view name, std::int64_t start, std::int64_t duration,
                      std::string_view dims, std::string_view types) {
    const profile::EventId e = make.op(main, name, start, duration);
    make.op_of(e).dims = make.text(dims);
    make.op_of(e).types = make.text(types);
    return e;
  }
  profile::EventId launch(std::string_view kernel, std::int64_t called, std::int64_t start,
                          std::int64_t length, profile::Kind kind = profile::Kind::kernel) {
    make.call(main, "cudaLaunchKernel", called, 1, ++correlation);
    return make.kernel(stream, kernel, start, length, correlation, profile::kNoId, kind);
  }
};

inline constexpr std::string_view kBf16Pair = R"(["c10::BFloat16","c10::BFloat16"])";

}  // namespace orrery::study
