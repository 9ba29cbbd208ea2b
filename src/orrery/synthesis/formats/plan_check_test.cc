// SPDX-License-Identifier: Apache-2.0
//
// Right plans are right, and each kind of mistake is named where it is made.
#include "orrery/synthesis/plans/plan_check.h"

#include <gtest/gtest.h>

#include "orrery/config/document.h"
#include "orrery/core/paths_testing.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/plans/example_plans_testing.h"

namespace orrery::synthesis {
namespace {

Plan read(const std::string& text) {
  Findings findings;
  auto plan = read_msccl(text, "plan.xml", findings);
  EXPECT_TRUE(plan) << (plan ? "" : to_string(plan.error()));
  return plan ? *std::move(plan) : Plan{};
}

/// Of two GPUs, in place; `zero` and `one` are their thread blocks.
std::string two(const std::string& collective, const std::string& chunks, const std::string& zero,
                const std::string& one) {
  return "<algo name='t' ngpus='2' coll='" + collective + "' inplace='1'><gpu id='0' " + chunks +
         ">" + zero + "</gpu><gpu id='1' " + chunks + ">" + one + "</gpu></algo>";
}
std::string block(const std::string& id, const std::string& peers, const std::string& steps) {
  return "<tb id='" + id + "' " + peers + " chan='0'>" + steps + "</tb>";
}
/// A step of one chunk; `more`: dependencies.
std::string step(int s, const std::string& type, const std::string& from, int first_from,
                 const std::string& to, int first_to,
                 const std::string& more = "depid='-1' deps='-1' hasdep='0'") {
  return "<step s='" + std::to_string(s) + "' type='" + type + "' srcbuf='" + from + "' srcoff='" +
         std::to_string(first_from) + "' dstbuf='" + to + "' dstoff='" + std::to_string(first_to) +
         "' cnt='1' " + more + "/>";
}

const PlanError& only(const PlanCheck& check) {
  static const PlanError kNone;
  EXPECT_EQ(check.error_count, 1u);
  for (const PlanError& error : check.errors) SCOPED_TRACE(error.what);
  return check.errors.empty() ? kNone : check.errors.front();
}

TEST(PlanCheckTest, TextbookPlansAreRight) {
  for (const std::uint32_t ranks : {2u, 3u, 4u, 5u, 8u, 16u, 33u}) {
    for (const std::uint32_t channels : {1u, 3u}) {
      const PlanCheck check = check_plan(ring_all_reduce(ranks, channels));
      EXPECT_TRUE(check.is_valid()) << ranks << ": " << check.errors.front().what;
      EXPECT_TRUE(check.result_checked);
    }
  }
  for (const std::uint32_t ranks : {2u, 4u, 8u, 16u, 64u}) {
    const PlanCheck check = check_plan(halving_doubling_all_reduce(ranks));
    EXPECT_TRUE(check.is_valid()) << ranks << ": " << check.errors.front().what;
    EXPECT_TRUE(check.result_checked);
  }
}

TEST(PlanCheckTest, ThePageNamesEachFault) {
  const auto page = config::read_text(std::string(core_testing::kSourceFolder) + "/docs/plans.md");
  ASSERT_TRUE(page);
  for (int i = 0; i <= static_cast<int>(PlanFault::wrong_buffers); ++i) {
    const std::string fault(name(static_cast<PlanFault>(i)));
    EXPECT_NE(page->find("`" + fault + "`"), std::string::npos) << fault;
  }
}

TEST(PlanCheckTest, AMessageThatNobodyReceives) {
  Plan plan = ring_all_reduce(4);
  PlanStep& dropped = plan.ranks[2].blocks[0].steps[6];
  EXPECT_EQ(name(dropped.type), "r");
  dropped = {};
  const PlanCheck check = check_plan(plan);
  const PlanError& error = only(check);
  EXPECT_EQ(error.fault, PlanFault::no_receiver);
  EXPECT_EQ(error.at, (StepPosition{1, 0, 5}));
  EXPECT_EQ(error.what,
            "gpu 1 sends to gpu 2 on channel 0 (send number 6), but gpu 2 does not receive it: 6 "
            "sends, 5 receives");
  EXPECT_EQ(check.unchecked_reason, "it cannot run");
}

TEST(PlanCheckTest, AReceiveThatNobodySendsTo) {
  Plan plan = ring_all_reduce(3);
  PlanStep& step = plan.ranks[0].blocks[0].steps.front();
  step.sends = false;
  EXPECT_EQ(check_plan(plan).errors.front().fault, PlanFault::no_sender);
  EXPECT_EQ(check_plan(plan).errors.front().at.rank, 1u);
}

// Where places are stated, it is not the last one that is said to be left over.
TEST(PlanCheckTest, StatedPlacesTellWhichMessageIsLeftOver) {
  const auto zero =
      block("0", "send='1' recv='-1'", step(0, "s", "i", 0, "i", 0) + step(1, "s", "i", 1, "i", 1));
  const auto one = block("0", "send='-1' recv='0'", step(0, "rrc", "i", 1, "i", 1));
  const PlanCheck check = check_plan(read(two("custom", "i_chunks='2'", zero, one)));
  const PlanError& error = only(check);
  EXPECT_EQ(error.fault, PlanFault::no_receiver);
  EXPECT_EQ(error.at, (StepPosition{0, 0, 0}));
}

TEST(PlanCheckTest, SizesOfAMessageDiffer) {
  Plan plan = ring_all_reduce(2, 2);
  PlanStep& step = plan.ranks[0].blocks[0].steps[0];
  step.count = step.reads[0].count = 2;
  plan.ranks[0].blocks[0].steps[0].reads[0].first = 0;
  EXPECT_EQ(only(check_plan(plan)).fault, PlanFault::sizes_differ);
}

TEST(PlanCheckTest, ASpanOutsideItsBuffer) {
  Plan plan = ring_all_reduce(4);
  plan.ranks[3].blocks[0].steps[0].reads[0].first = 4;
  const PlanCheck check = check_plan(plan);
  EXPECT_EQ(only(check).fault, PlanFault::outside_buffer);
  EXPECT_EQ(only(check).at, (StepPosition{3, 0, 0}));
  EXPECT_EQ(only(check).what, "input[4] of gpu 3: the input of gpu 3 has 4 chunks");
}

TEST(PlanCheckTest, ACircleIsTold) {
  Plan plan = halving_doubling_all_reduce(4);
  // What comes first waits for what comes last.
  plan.ranks[0].blocks[1].steps[0].after.push_back({0, 0, 3});
  const PlanCheck check = check_plan(plan);
  const PlanError& error = only(check);
  EXPECT_EQ(error.fault, PlanFault::wait_cycle);
  ASSERT_GE(error.history.size(), 2u);
  // Each line begins with whom the line before ended with, and the last ends where the first began.
  const auto waiter = [](const std::string& line) { return line.substr(0, line.find(')') + 1); };
  const auto waited = [](const std::string& line) { return line.substr(line.rfind("gpu ")); };
  for (std::size_t i = 0; i < error.history.size(); ++i)
    EXPECT_EQ(waited(error.history[i]), waiter(error.history[(i + 1) % error.history.size()]));
}

TEST(PlanCheckTest, SomethingAddedTwice) {
  Plan plan = ring_all_reduce(4);
  // The sum is added to what is there instead of put there.
  PlanStep& step = plan.ranks[2].blocks[0].steps[6];
  step.type = StepType::receive_reduce_copy;
  step.reads = step.writes;
  const PlanCheck check = check_plan(plan);
  ASSERT_FALSE(check.is_valid());
  const PlanError& error = check.errors.front();
  EXPECT_EQ(error.fault, PlanFault::added_twice);
  EXPECT_EQ(error.at, (StepPosition{2, 0, 6}));
  EXPECT_EQ(error.what,
            "adds chunk 0 summed over all 4 gpus to chunk 0 of gpu 2 in input[0] of gpu 2: both "
            "contain the data of gpu 2");
}

TEST(PlanCheckTest, DifferentChunksAdded) {
  Plan plan = ring_all_reduce(4);
  plan.ranks[1].blocks[0].steps[1].reads[0].first ^= 1;
  const PlanCheck check = check_plan(plan);
  ASSERT_FALSE(check.is_valid());
  EXPECT_EQ(check.errors.front().fault, PlanFault::different_added);
  EXPECT_EQ(check.errors.front().at, (StepPosition{1, 0, 1}));
}

TEST(PlanCheckTest, AnIncompleteSumAndWhereItCameFrom) {
  Plan plan = ring_all_reduce(3);
  // GPU 1 hands on what it gets without adding its own.
  PlanStep& step = plan.ranks[1].blocks[0].steps[1];
  EXPECT_EQ(name(step.type), "rrs");
  step.type = StepType::receive_copy_send;
  step.writes = {{1, PlanBuffer::scratch, 0, 1}};
  step.reads.clear();
  plan.ranks[1].chunks[2] = 1;
  const PlanCheck check = check_plan(plan);
  EXPECT_EQ(check.error_count, 3u);
  const PlanError& error = check.errors.front();
  EXPECT_EQ(error.fault, PlanFault::wrong_result);
  EXPECT_EQ(error.what,
            "input[0] of gpu 0 contains chunk 0 summed over 2 of 3 gpus (ranks 0, 2), but must "
            "contain chunk 0 summed over all 3 gpus: the data of gpu 1 is missing");
  EXPECT_EQ(
      error.history,
      (std::vector<std::string>{
          "gpu 0, block 0, step 3 (rcs) wrote chunk 0 summed over 2 of 3 gpus (ranks 0, 2) from a "
          "message",
          "before that gpu 2, block 0, step 2 (rrcs) wrote chunk 0 summed over 2 of 3 gpus (ranks "
          "0, 2) from input[0] of gpu 2 and a message",
          "before that gpu 1, block 0, step 1 (rcs) wrote chunk 0 of gpu 0 from a message, without "
          "its own data",
          "before that gpu 0, block 0, step 0 (s) wrote chunk 0 of gpu 0 from input[0] of gpu 0"}));
}

TEST(PlanCheckTest, AChunkThatDoesNotArrive) {
  const auto zero = block("0", "send='1' recv='-1'", step(0, "s", "o", 0, "o", 0));
  const auto one = block("0", "send='-1' recv='0'", step(0, "r", "o", 0, "o", 0));
  const PlanCheck check =
      check_plan(read(two("allgather", "i_chunks='1' o_chunks='2'", zero, one)));
  const PlanError& error = only(check);
  EXPECT_EQ(error.fault, PlanFault::wrong_result);
  EXPECT_FALSE(error.has_step);
  EXPECT_EQ(error.what,
            "output[1] of gpu 0 contains nothing, but must contain chunk 0 of gpu 1: no step "
            "writes there");
}

TEST(PlanCheckTest, AReadOfNothing) {
  const auto one = block("0", "send='-1' recv='-1'", step(0, "cpy", "s", 0, "o", 0));
  const PlanCheck check =
      check_plan(read(two("broadcast", "i_chunks='1' o_chunks='1' s_chunks='1'", "", one)));
  EXPECT_EQ(check.errors.front().fault, PlanFault::empty_place);
  EXPECT_EQ(check.errors.front().at, (StepPosition{1, 0, 0}));
}

TEST(PlanCheckTest, ARaceUnlessSomethingSaysWhoIsFirst) {
  const auto zero = [](const std::string& dependency) {
    return block("0", "send='1' recv='-1'", step(0, "s", "i", 0, "i", 0)) +
           block("1", "send='-1' recv='1'", step(0, "r", "i", 0, "i", 0, dependency));
  };
  const auto one =
      block("0", "send='0' recv='0'", step(0, "s", "i", 0, "i", 0) + step(1, "r", "i", 0, "i", 0));
  const std::string free = "depid='-1' deps='-1' hasdep='0'",
                    tied = "depid='0' deps='0' hasdep='0'";
  const PlanCheck racing = check_plan(read(two("swap", "i_chunks='1'", zero(free), one)));
  EXPECT_EQ(only(racing).fault, PlanFault::race);
  EXPECT_EQ(only(racing).at, (StepPosition{0, 1, 0}));
  EXPECT_EQ(only(racing).what,
            "writes input[0] of gpu 0, which gpu 0, block 0, step 0 (s) reads, without an order "
            "between the two");
  EXPECT_EQ(racing.unchecked_reason, "the result of \"swap\" is not defined");
  EXPECT_TRUE(check_plan(read(two("swap", "i_chunks='1'", zero(tied), one))).is_valid());
}

// The order goes through another rank: its answer comes after what was asked.
TEST(PlanCheckTest, AWayRoundThroughAnotherRankIsAnOrder) {
  const auto zero = block("0", "send='1' recv='-1'", step(0, "s", "i", 0, "i", 0)) +
                    block("1", "send='-1' recv='1'", step(0, "r", "i", 0, "i", 0));
  const auto one =
      block("0", "send='0' recv='0'", step(0, "r", "i", 0, "i", 0) + step(1, "s", "i", 0, "i", 0));
  EXPECT_TRUE(check_plan(read(two("echo", "i_chunks='1'", zero, one))).is_valid());
}

TEST(PlanCheckTest, TwoBlocksAtOneEnd) {
  const auto zero = block("0", "send='1' recv='-1'", step(0, "s", "i", 0, "i", 0)) +
                    block("1", "send='1' recv='-1'", step(0, "s", "i", 1, "i", 1));
  const auto one =
      block("0", "send='-1' recv='0'", step(0, "r", "i", 0, "i", 0) + step(1, "r", "i", 1, "i", 1));
  EXPECT_EQ(only(check_plan(read(two("custom", "i_chunks='2'", zero, one)))).fault,
            PlanFault::shared_connection);
}

TEST(PlanCheckTest, BuffersThatDoNotFit) {
  const PlanCheck check = check_plan(read(two("allgather", "i_chunks='2' o_chunks='3'", "", "")));
  EXPECT_EQ(only(check).fault, PlanFault::wrong_buffers);
  EXPECT_EQ(only(check).what,
            "2 input chunks and 3 output chunks do not match the collective of 2 gpus");
}

/// The least plan of each collective, and the same with its last step's place off by a chunk.
TEST(PlanCheckTest, EachCollectiveHasItsOwnResult) {
  const auto peers = [](int peer) {
    const std::string one = std::to_string(peer);
    return "send='" + one + "' recv='" + one + "'";
  };
  struct Case {
    std::string collective, chunks, zero, one;
  };
  const Case cases[] = {
      {"allreduce", "i_chunks='1' o_chunks='1'",
       step(0, "s", "i", 0, "s", 0) + step(1, "rrc", "i", 0, "o", 0),
       step(0, "s", "i", 0, "s", 0) + step(1, "rrc", "i", 0, "o", 0)},
      {"allgather", "i_chunks='1' o_chunks='2'",
       step(0, "cpy", "i", 0, "o", 0) + step(1, "s", "i", 0, "o", 0) + step(2, "r", "i", 0, "o", 1),
       step(0, "cpy", "i", 0, "o", 1) + step(1, "s", "i", 0, "o", 1) +
           step(2, "r", "i", 0, "o", 0)},
      {"reduce_scatter", "i_chunks='2' o_chunks='1'",
       step(0, "s", "i", 1, "i", 1) + step(1, "rrc", "i", 0, "o", 0),
       step(0, "s", "i", 0, "i", 0) + step(1, "rrc", "i", 1, "o", 0)},
      {"alltoall", "i_chunks='2' o_chunks='2'",
       step(0, "cpy", "i", 0, "o", 0) + step(1, "s", "i", 1, "o", 0) + step(2, "r", "i", 0, "o", 1),
       step(0, "cpy", "i", 1, "o", 1) + step(1, "s", "i", 0, "o", 1) +
           step(2, "r", "i", 1, "o", 0)},
      {"broadcast", "i_chunks='1' o_chunks='1'",
       step(0, "cpy", "i", 0, "o", 0) + step(1, "s", "i", 0, "o", 0), step(0, "r", "i", 0, "o", 0)},
      {"reduce", "i_chunks='1' o_chunks='1'", step(0, "rrc", "i", 0, "o", 0),
       step(0, "s", "i", 0, "o", 0)},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.collective);
    std::string text = two(one.collective, one.chunks, block("0", peers(1), one.zero),
                           block("0", peers(0), one.one));
    text.replace(text.find("inplace='1'"), 11, "inplace='0'");
    const PlanCheck check = check_plan(read(text));
    EXPECT_TRUE(check.is_valid()) << check.errors.front().what;
    EXPECT_TRUE(check.result_checked);
    // What gpu 0 writes last is what it writes to its output: somewhere else, something is missing.
    Plan off = read(text);
    off.ranks[0].chunks[2] = 1;
    for (PlanStep& last : off.ranks[0].blocks[0].steps)
      if (!last.writes.empty()) last.writes[0] = {0, PlanBuffer::scratch, 0, 1};
    const PlanCheck broken = check_plan(off);
    ASSERT_FALSE(broken.is_valid());
    EXPECT_EQ(broken.errors.front().fault, PlanFault::wrong_result);
    EXPECT_EQ(broken.errors.front().at.rank, 0u);
  }
}

// In place, one buffer is a part of the other: without copies the same is right.
TEST(PlanCheckTest, InPlaceWhatAGpuHasNeedsNoCopy) {
  const auto zero =
      block("0", "send='1' recv='1'", step(0, "s", "i", 0, "o", 0) + step(1, "r", "i", 0, "o", 1));
  const auto one =
      block("0", "send='0' recv='0'", step(0, "s", "i", 0, "o", 1) + step(1, "r", "i", 0, "o", 0));
  std::string text = two("allgather", "i_chunks='1' o_chunks='2'", zero, one);
  EXPECT_TRUE(check_plan(read(text)).is_valid());
  text.replace(text.find("inplace='1'"), 11, "inplace='1' outofplace='1'");
  const PlanCheck both = check_plan(read(text));
  EXPECT_EQ(both.error_count, 2u);
  EXPECT_TRUE(
      both.errors.front().what.starts_with("out of place: output[0] of gpu 0 contains nothing"));
}

TEST(PlanCheckTest, OutOfPlaceBothBuffersAreNeeded) {
  for (const char* collective : {"allreduce", "allgather", "reduce_scatter", "alltoall"}) {
    std::string text = two(collective, "o_chunks='4'", "", "");
    text.replace(text.find("inplace='1'"), 11, "inplace='0'");
    const PlanCheck check = check_plan(read(text));
    EXPECT_EQ(only(check).fault, PlanFault::wrong_buffers) << collective;
  }
}

// Many ranks: sums of 256 shares.
TEST(PlanCheckTest, ManyRanks) {
  EXPECT_TRUE(check_plan(ring_all_reduce(256)).is_valid());
  Plan plan = ring_all_reduce(256);
  plan.ranks[200].blocks[0].steps[100].reads[0].first += 1;
  EXPECT_EQ(check_plan(plan).errors.front().at, (StepPosition{200, 0, 100}));
}

}  // namespace
}  // namespace orrery::synthesis
