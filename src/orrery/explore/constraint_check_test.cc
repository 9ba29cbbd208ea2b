// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/constraint_check.h"

#include "orrery/explore/exploration_testing.h"

namespace orrery::explore {
namespace {

SpaceCheck checked_of(const std::string& more) {
  const auto made = space_check(space_of(small_space(more)));
  EXPECT_TRUE(made) << to_string(made.error());
  return made ? *made : SpaceCheck{};
}

TEST(SpaceCheck, SaysWhatEachConstraintTakes) {
  const auto made = checked_of("constraints: [tp >= 2, memory < 1 GB, tp * pp <= 8, tp != 4]\n");
  EXPECT_TRUE(made.all);
  EXPECT_EQ(made.examined, 288u);  // 4 tp, 4 pp, 18 others
  ASSERT_EQ(made.constraints.size(), 4u);
  EXPECT_EQ(made.constraints[0].removed, 72u);  // tp 1
  EXPECT_EQ(made.constraints[0].left, 216u);
  EXPECT_FALSE(made.constraints[1].axes_only);
  EXPECT_EQ(made.constraints[1].left, 216u);
  EXPECT_EQ(made.constraints[2].removed, 18u * 5);  // 4 x 3, 4 x 4, 8 x 2, 3, 4
  EXPECT_EQ(made.constraints[3].removed, 18u * 2);
  EXPECT_EQ(made.left, 90u);
  EXPECT_FALSE(made.impossible);
}

TEST(SpaceCheck, NamesTheFirstConstraintThatLeavesNothing) {
  const auto together = checked_of("constraints: [tp > 4, pp > 3, tp * pp < 32, tp == 1]\n");
  ASSERT_TRUE(together.impossible);
  EXPECT_EQ(*together.impossible, 2u);
  EXPECT_FALSE(together.alone);
  EXPECT_EQ(together.left, 0u);
  const auto alone = checked_of("constraints: [tp > 1, tp * pp > 100]\n");
  ASSERT_TRUE(alone.impossible);
  EXPECT_EQ(*alone.impossible, 1u);
  EXPECT_TRUE(alone.alone);
}

TEST(SpaceCheck, IsToldBeforeAnythingIsFoundOut) {
  const Folder folder;
  ExploreOptions options;
  options.answers.file = folder.path + "/points.jsonl";
  bool predicted = false;
  options.space_check = [&](const SpaceCheck& made) {
    predicted = true;
    EXPECT_EQ(made.left, 0u);
    EXPECT_EQ(bytes_of(options.answers.file), "");
  };
  const auto found = explored(space_of(small_space("constraints: [tp > 8]\n")), options);
  EXPECT_TRUE(predicted);
  EXPECT_TRUE(found.points.empty());
  EXPECT_EQ(found.space_check.impossible, 0u);
  EXPECT_EQ(bytes_of(options.answers.file), "");
}

// 10^7 combinations: a share of one in four is found within 1 % (four standard deviations of
// 100,000 draws are 0.6 %), and the same one every time.
TEST(SpaceCheck, DrawsFromLargeSpaces) {
  const std::string more =
      "  - {name: x, from: 1, to: 400, points: 400}\n  - {name: y, from: 1, to: 100, points: "
      "100}\nconstraints: [x <= 100, y > 1000]\n";
  const auto made = checked_of(more);
  EXPECT_FALSE(made.all);
  EXPECT_DOUBLE_EQ(made.combinations, 288.0 * 400 * 100);
  EXPECT_EQ(made.examined, limits::kChecked);
  EXPECT_NEAR(static_cast<double>(made.constraints[0].left) / limits::kChecked, 0.25, 0.01);
  EXPECT_EQ(made.impossible, 1u);
  EXPECT_EQ(checked_of(more).constraints[0].left, made.constraints[0].left);
}

TEST(SpaceCheck, SaysWhatConstraintsCannotBeAsked) {
  const auto made = space_check(space_of(small_space("constraints: [tp / (pp - 1) < 2]\n")));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::explore
