// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/rank_agreement.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/exchanges_testing.h"

namespace orrery::bench {
namespace {

using profile::CommKind;
using ::testing::HasSubstr;

Error disagreement(const ReplayPlan& a, const ReplayPlan& b) {
  const auto agree = check_agreement({{0, &a}, {1, &b}});
  return agree ? Error{Errc::usage, "", "they agree"} : agree.error();
}

TEST(Agreement, IsOfKindsInTheirOrder) {
  const ReplayPlan a =
      plan_with({exchange_of(CommKind::all_reduce, 8), exchange_of(CommKind::send, 8, 1)});
  const ReplayPlan b =
      plan_with({exchange_of(CommKind::recv, 8, 0), exchange_of(CommKind::all_reduce, 8)}, {0, 1});
  EXPECT_EQ(disagreement(a, b).what, "they agree");
  const ReplayPlan other = plan_with({exchange_of(CommKind::broadcast, 8, 0)});
  EXPECT_THAT(
      disagreement(plan_with({exchange_of(CommKind::all_reduce, 8)}), other).what,
      HasSubstr("its collective 1 with 2 ranks is a broadcast, but rank 0's is a all_reduce"));
  EXPECT_THAT(disagreement(other, plan_with({exchange_of(CommKind::broadcast, 8, 1)})).what,
              HasSubstr("has root 1, but rank 0's has root 0"));
  EXPECT_THAT(disagreement(plan_with({exchange_of(CommKind::all_reduce, 8)}),
                           plan_with({exchange_of(CommKind::all_reduce, 16)}))
                  .what,
              HasSubstr("is a all_reduce of 16 B, but rank 0's is of 8 B"));
  EXPECT_EQ(disagreement(plan_with({exchange_of(CommKind::gather, 8)}),
                         plan_with({exchange_of(CommKind::gather, 16)}))
                .what,
            "they agree");
  EXPECT_THAT(disagreement(a, plan_with({exchange_of(CommKind::all_reduce, 8)})).what,
              HasSubstr("receives 0 messages from rank 0, which sends 1"));
  EXPECT_THAT(disagreement(plan_with({exchange_of(CommKind::all_reduce, 8)}), b).what,
              HasSubstr("which sends none"));
  EXPECT_THAT(disagreement(other, plan_with({exchange_of(CommKind::broadcast, 8, 0),
                                             exchange_of(CommKind::broadcast, 8, 0)}))
                  .what,
              HasSubstr("has 2 collectives"));
  EXPECT_THAT(disagreement(other, plan_with({})).what, HasSubstr("but only 1 of them do"));
}

TEST(Agreement, GroupsHaveWhoIsPlayed) {
  const ReplayPlan both = plan_with({exchange_of(CommKind::all_reduce, 8)});
  const ReplayPlan absent = plan_with({exchange_of(CommKind::all_reduce, 8)}, {1, 5});
  EXPECT_EQ(disagreement(both, absent).code, Errc::input_group);
  EXPECT_THAT(disagreement(both, absent).what, HasSubstr("rank 5"));
  EXPECT_THAT(disagreement(both, plan_with({}, {0})).what, HasSubstr("does not contain that rank"));
  ReplayPlan split = plan_with({exchange_of(CommKind::all_to_all, 8)});
  split.exchanges[0].in_split = {1, 1, 1};
  EXPECT_THAT(disagreement(split, both).what, HasSubstr("among 3 ranks"));
  ReplayPlan larger = both;
  larger.groups[0].size = 8;
  EXPECT_THAT(disagreement(larger, both).what, HasSubstr("has 8 ranks"));
}

}  // namespace
}  // namespace orrery::bench
