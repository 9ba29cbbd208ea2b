// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/noc_matcher.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace orrery::noc {
namespace {

using platform::NocAllocator;

struct Pointers {
  std::vector<std::uint32_t> in, out;
  Pointers(std::uint32_t ins, std::uint32_t outs) : in(ins), out(outs) {}
  TurnPointers turns() {
    return {in, out, static_cast<std::uint32_t>(in.size()), static_cast<std::uint32_t>(out.size())};
  }
};

std::vector<std::uint32_t> match_once(NocAllocator kind, Pointers& pointers,
                                      const std::vector<MatchRequest>& requests,
                                      std::int64_t iterations = 1, std::int64_t cycle = 0) {
  Matcher matcher;
  matcher.resize(static_cast<std::uint32_t>(pointers.in.size()),
                 static_cast<std::uint32_t>(pointers.out.size()));
  matcher.match(kind, iterations, requests, pointers.turns(), cycle);
  return {matcher.granted().begin(), matcher.granted().end()};
}

// McKeown 1999, figure 4: pointers at 0; input 0 requests outputs 0 and 1, input 2 requests 0
// and 1.
TEST(Matcher, IslipMovesPointersPastAcceptedGrants) {
  Pointers pointers(4, 4);
  const std::vector<MatchRequest> requests = {{0, 0, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
  EXPECT_EQ(match_once(NocAllocator::islip, pointers, requests), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(pointers.in, (std::vector<std::uint32_t>{1, 0, 0, 0}));
  EXPECT_EQ(pointers.out, (std::vector<std::uint32_t>{1, 0, 0, 0}));  // output 1 was not accepted
  // Now output 0 grants input 2, and both are matched.
  EXPECT_EQ(match_once(NocAllocator::islip, pointers, requests).size(), 2u);
}

TEST(Matcher, MoreIterationsMatchMore) {
  Pointers pointers(4, 4);
  const std::vector<MatchRequest> requests = {{0, 0, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
  EXPECT_EQ(match_once(NocAllocator::islip, pointers, requests, 2).size(), 2u);
}

// Costs 0.1 s.
TEST(Matcher, MatchesEachPortOnceAndOnlyRequests) {
  std::mt19937 random(7);
  for (const NocAllocator kind :
       {NocAllocator::islip, NocAllocator::separable, NocAllocator::wavefront}) {
    const std::uint32_t ins = 6, outs = 5;
    Pointers pointers(ins, outs);
    Matcher matcher;
    matcher.resize(ins, outs);
    for (int round = 0; round < 2000; ++round) {
      std::vector<MatchRequest> requests;
      for (std::uint32_t in = 0; in < ins; ++in) {
        for (std::uint32_t out = 0; out < outs; ++out) {
          if (random() % 3 == 0) requests.push_back({in, out, 0});
        }
      }
      matcher.match(kind, 1, requests, pointers.turns(), round);
      std::set<std::uint32_t> used_in, used_out;
      for (const std::uint32_t number : matcher.granted()) {
        EXPECT_TRUE(used_in.insert(requests[number].in).second);
        EXPECT_TRUE(used_out.insert(requests[number].out).second);
      }
      EXPECT_EQ(matcher.granted().empty(), requests.empty());
      if (kind == NocAllocator::wavefront) {  // a maximal matching
        for (const MatchRequest& one : requests)
          EXPECT_TRUE(used_in.contains(one.in) || used_out.contains(one.out));
      }
      matcher.clear();
    }
  }
}

// Every input that keeps requesting is served within a number of rounds.
TEST(Matcher, ServesEveryInputInTurn) {
  for (const NocAllocator kind :
       {NocAllocator::islip, NocAllocator::separable, NocAllocator::wavefront}) {
    Pointers pointers(4, 4);
    std::vector<int> served(4);
    for (int round = 0; round < 40; ++round) {
      const std::vector<MatchRequest> requests = {{0, 2, 0}, {1, 2, 0}, {2, 2, 0}, {3, 2, 0}};
      for (const std::uint32_t number : match_once(kind, pointers, requests, 1, round))
        ++served[requests[number].in];
    }
    EXPECT_EQ(served, (std::vector<int>{10, 10, 10, 10}));
  }
}

}  // namespace
}  // namespace orrery::noc
