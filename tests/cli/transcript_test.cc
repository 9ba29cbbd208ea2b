// SPDX-License-Identifier: Apache-2.0
#include "transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Transcript, IsReadStepByStep) {
  std::vector<std::string> bad;
  const auto steps =
      parse_transcript("# c\n$ orrery a\n> x\n>\n> y\n! e\n? 3\n\n$$ orrery b\n", bad);
  EXPECT_THAT(bad, IsEmpty());
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].command, "orrery a");
  EXPECT_EQ(steps[0].line, 2u);
  EXPECT_THAT(steps[0].out, ElementsAre("x", "", "y"));
  EXPECT_THAT(steps[0].err, ElementsAre("e"));
  EXPECT_EQ(steps[0].exit_code, 3);
  EXPECT_EQ(steps[1].command, "orrery b");
  EXPECT_EQ(steps[1].exit_code, 0);
  EXPECT_FALSE(steps[0].full);
  EXPECT_TRUE(steps[1].full);
}

TEST(Transcript, OtherLinesAreReported) {
  std::vector<std::string> bad;
  (void)parse_transcript("> early\n$ orrery a\n? x\noutput\n", bad);
  EXPECT_THAT(bad, ElementsAre("1: > early", "3: ? x", "4: output"));
}

TEST(Page, ConsoleBlocksAreCommands) {
  const auto steps = parse_page(
      "$ orrery outside\n```console\n$ ./check\nfine\n$ ./orrery demo\nstep\n\nend\n"
      "$ for A in 1 2; do orrery $A; done\nboth\n```\n"
      "```console exit=3\n$ orrery a \\\n    --b\n```\n```console no-run\n$ orrery "
      "c\n```\n```sh\n$ orrery d\n```\n");
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_EQ(steps[0].command, "./orrery demo");
  EXPECT_THAT(steps[0].out, ElementsAre("step", "", "end"));
  EXPECT_EQ(steps[1].command, "for A in 1 2; do orrery $A; done");
  EXPECT_THAT(steps[1].out, ElementsAre("both"));
  EXPECT_EQ(steps[2].command, "orrery a --b");
  EXPECT_EQ(steps[2].exit_code, 3);
}

TEST(Page, OutputsCanBeBroughtUpToDate) {
  const char* page =
      "a\n```console\n$ orrery x \\\n  y\nold\nold\n$ orrery silent\n$ orrery gap\n...\n```\n";
  EXPECT_EQ(with_outputs(page, parse_page(page), {"new\n", "no\n", "no\n"}),
            "a\n```console\n$ orrery x \\\n  y\nnew\n$ orrery silent\n$ orrery gap\n...\n```\n");
}

TEST(Matches, ExactlyOrWithGaps) {
  EXPECT_TRUE(matches({}, "anything"));
  EXPECT_TRUE(matches({"(nothing)"}, ""));
  EXPECT_FALSE(matches({"(nothing)"}, "x\n"));
  EXPECT_TRUE(matches({"a", "b"}, "a\nb\n"));
  EXPECT_FALSE(matches({"a"}, "a\nb\n"));
  EXPECT_FALSE(matches({"a", "b", "c"}, "a\nb\n"));
  EXPECT_TRUE(matches({"a", "..."}, "a\nb\nc\n"));
  EXPECT_TRUE(matches({"...", "c"}, "a\nb\nc\n"));
  EXPECT_TRUE(matches({"...", "c"}, "c\n"));
  EXPECT_FALSE(matches({"...", "c"}, "c\nd\n"));
  EXPECT_TRUE(matches({"time ... ns, ... end"}, "time 12 ns, x end\n"));
  EXPECT_FALSE(matches({"time ... ns"}, "time 12 us\n"));
  EXPECT_FALSE(matches({"ab...ba"}, "aba\n")) << "the two ends may not overlap";
}

TEST(Run, ReportsBothStreamsAndTheExitCode) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "orrery_transcript_run";
  std::filesystem::create_directories(folder);
  const Outcome outcome = run("orrery two words; echo e >&2; exit 3", folder, "/bin/echo");
  EXPECT_EQ(outcome.out, "two words\n");
  EXPECT_EQ(outcome.err, "e\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(as_transcript({.command = "x"}, outcome), HasSubstr("> two words\n! e\n? 3\n"));
  std::filesystem::remove_all(folder.string() + ".talk");
}

}  // namespace
}  // namespace orrery::cli_test
