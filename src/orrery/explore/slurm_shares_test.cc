// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/slurm_shares.h"

#include "orrery/explore/exploration_testing.h"

namespace orrery::explore {
namespace {

TEST(Shares, KnowWhatIsOpen) {
  const Folder folder;
  const auto space = space_of(small_space("constraints: [tp <= 2]\n"));
  ExploreOptions options;
  options.answers.file = folder.path + "/points.jsonl";
  const auto open = [&](std::uint32_t parts) {
    const auto shares = search_shares_of(space, options, parts);
    EXPECT_TRUE(shares);
    std::vector<std::uint64_t> numbers;
    std::uint64_t points = 0;
    for (const SearchShare& share : *shares) {
      numbers.push_back(share.open);
      points += share.points;
    }
    EXPECT_EQ(points, 144u);
    return numbers;
  };
  EXPECT_EQ(open(5), (std::vector<std::uint64_t>{29, 29, 29, 29, 28}));
  EXPECT_EQ(open(1000).size(), 144u);
  ExploreOptions third = options;
  third.answers.part = 3;
  third.answers.parts = 5;
  (void)explored(space, third);
  EXPECT_EQ(open(5), (std::vector<std::uint64_t>{29, 29, 0, 29, 28}));
  // What was kept for other shares counts, and so does what only estimates know.
  (void)explored(space, options);
  EXPECT_EQ(open(7), (std::vector<std::uint64_t>(7, 0)));
  options.evaluation = Evaluation::simulate;
  EXPECT_GT(open(1)[0], 50u);
  EXPECT_EQ(
      search_shares_of(space_of(small_space("sample: {how: evolve}\n")), options, 2).error().code,
      Errc::usage);
}

TEST(Shares, AreAnArrayOfJobs) {
  std::vector<SearchShare> shares;
  for (const std::uint64_t open : {4, 0, 4, 3, 1, 0, 2})
    shares.push_back({static_cast<std::uint32_t>(shares.size() + 1), 4, open});
  ShareScript how;
  how.folder = "/home/me/it's 5% here";
  how.logs = how.folder + "/points.slurm";
  how.command = {"orrery", "search", "my space.yaml"};
  how.name = "points";
  how.threads = 2;
  how.options = {"account=me", "exclusive"};
  const auto text = share_script(how, shares);
  ASSERT_TRUE(text) << to_string(text.error());
  for (const char* line :
       {"#SBATCH --array=1,3-5,7\n",
        "#SBATCH --output=\"/home/me/it's 5%% here/points.slurm/share-%a.log\"\n",
        "#SBATCH --cpus-per-task=2\n", "#SBATCH --account=\"me\"\n", "#SBATCH --exclusive\n",
        "cd '/home/me/it'\\''s 5% here' || exit\n",
        "exec orrery search 'my space.yaml' --part \"$share/7\" "})
    EXPECT_NE(text->find(line), std::string::npos) << line << *text;
  for (const char* wrong : {"array=1-3", "output=x", "", "=x", "--account=me", "time=1\n#SBATCH x",
                            "comment=\"", "Account=me"}) {
    how.options = {wrong};
    EXPECT_EQ(share_script(how, shares).error().code, Errc::usage) << wrong;
  }
  how.options.clear();
  how.folder = "a\nb";
  EXPECT_FALSE(share_script(how, shares));
}

TEST(Shares, StandInATable) {
  EXPECT_EQ(share_manifest({{1, 5, 0}, {2, 4, 4}}, "points.jsonl"),
            "share\tpoints\topen\tfile\n1\t5\t0\tpoints.jsonl.part-1-of-2\n2\t4\t4\tpoints.jsonl."
            "part-2-of-2\n");
}

}  // namespace
}  // namespace orrery::explore
