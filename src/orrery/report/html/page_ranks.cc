// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a page: the figures of each class of ranks that have the same ones, and which rank
// has which class and groups.
#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

namespace {

using result::Run;

/// What ranks of one class have in common.
struct RankFigures {
  std::uint32_t timeline = 0;
  std::uint32_t groups = 0;  ///< how many
  std::optional<Time> finish;
  analysis::Shares shares;
  std::uint64_t sent_bytes = 0;
  Time waited{};

  [[nodiscard]] auto key() const {
    return std::tuple(timeline, groups, finish, shares.exposed_compute, shares.overlapped,
                      shares.exposed_comm, shares.exposed_memory, shares.idle, sent_bytes, waited);
  }
  friend bool operator<(const RankFigures& a, const RankFigures& b) { return a.key() < b.key(); }
};

/// The classes in the order of their first ranks, and the class of each rank.
struct RankClasses {
  std::vector<RankFigures> classes;
  std::vector<std::uint32_t> of_rank;
};

RankClasses classes_of(const RunPageData& facts) {
  const Run& run = facts.run;
  std::vector<Time> waited(run.ranks.size());
  for (const analysis::Straggler& one : facts.stragglers.ranks) waited[one.rank] = one.waited;
  RankClasses found;
  std::map<RankFigures, std::uint32_t> numbers;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const result::Rank& rank = run.ranks[r];
    const RankFigures figures{rank.timeline,   static_cast<std::uint32_t>(rank.groups.size()),
                              rank.finish,     analysis::rank_time_shares(run, r),
                              rank.sent_bytes, waited[r]};
    const auto [known, added] =
        numbers.try_emplace(figures, static_cast<std::uint32_t>(numbers.size()));
    if (added) found.classes.push_back(figures);
    found.of_rank.push_back(known->second);
  }
  return found;
}

/// Appends a column of small numbers as RankData has them: each as its difference from the one
/// before, d as 2d or -2d - 1. Ranks repeat a pattern, so that the differences compress well.
template <class NumberOf>
void add_differences(std::string& out, std::size_t count, const NumberOf& number_of) {
  std::int64_t before = 0;
  add_packed(out, count, [&](std::size_t i) {
    const auto number = static_cast<std::int64_t>(number_of(i));
    const std::int64_t difference = number - before;
    before = number;
    return difference >= 0 ? 2 * difference : -2 * difference - 1;
  });
}

/// One column per group number; a rank without that number repeats the one before.
std::string packed_groups(const Run& run) {
  std::size_t most = 0;
  for (const result::Rank& rank : run.ranks) most = std::max(most, rank.groups.size());
  std::string out;
  for (std::size_t number = 0; number < most; ++number) {
    std::uint32_t before = 0;
    add_differences(out, run.ranks.size(), [&](std::size_t rank) {
      const std::vector<std::uint32_t>& groups = run.ranks[rank].groups;
      if (number < groups.size()) before = groups[number];
      return before;
    });
  }
  return out;
}

}  // namespace

void write_ranks(JsonWriter& json, const RunPageData& facts) {
  const RankClasses found = classes_of(facts);
  const std::vector<RankFigures>& classes = found.classes;
  const auto all = [&](std::string_view key, const auto& value_of) {
    column(json, key, classes.size(), [&](std::size_t i) { json.value(value_of(classes[i])); });
  };
  const auto share = [&](std::string_view key, Time analysis::Shares::*part) {
    all(key, [&](const RankFigures& one) { return (one.shares.*part).count(); });
  };
  std::string packed;
  add_differences(packed, found.of_rank.size(), [&](std::size_t i) { return found.of_rank[i]; });
  json.key("rank").begin_object().field("classOf", packed);
  all("timeline", [](const RankFigures& one) { return one.timeline; });
  all("groupCount", [](const RankFigures& one) { return one.groups; });
  column(json, "finish", classes.size(), [&](std::size_t i) {
    classes[i].finish ? json.value(classes[i].finish->count()) : json.null();
  });
  share("exposedCompute", &analysis::Shares::exposed_compute);
  share("overlapped", &analysis::Shares::overlapped);
  share("exposedComm", &analysis::Shares::exposed_comm);
  share("exposedMemory", &analysis::Shares::exposed_memory);
  share("idle", &analysis::Shares::idle);
  all("sentBytes", [](const RankFigures& one) { return one.sent_bytes; });
  all("waited", [](const RankFigures& one) { return one.waited.count(); });
  json.field("groups", packed_groups(facts.run)).end_object();
}

}  // namespace orrery::report::html
