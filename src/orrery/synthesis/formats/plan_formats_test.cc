// SPDX-License-Identifier: Apache-2.0
//
// What the readers take and what they refuse, each with its place; and what is written.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "orrery/config/document.h"
#include "orrery/core/gzip_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/synthesis/formats/chakra_plan.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/example_plans_testing.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::synthesis {
namespace {

struct Refused {
  const char* what;
  std::string text;
  Errc code;
  std::string place;    ///< begins with
  std::string message;  ///< holds
};

std::string xml(const std::string& inside, const std::string& head = "coll='allreduce'") {
  return "<algo name='a' " + head + ">\n<gpu id='0' i_chunks='2'>\n" + inside +
         "</gpu>\n<gpu id='1' i_chunks='2'/>\n</algo>";
}
std::string tb(const std::string& step,
               const std::string& head = "id='0' send='1' recv='1' chan='0'") {
  return "<tb " + head + ">\n<step " + step + "/>\n</tb>";
}
const std::string kSend = "s='0' type='s' srcbuf='i' srcoff='0' dstbuf='i' dstoff='0' cnt='1'";
std::string with(const std::string& key, const std::string& value) {
  std::string text = kSend;
  const auto at = text.find(" " + key + "='") + key.size() + 3;
  return text.replace(at, text.find('\'', at) - at, value);
}

const Refused kRefused[] = {
    {"empty", "  ", Errc::input_empty, "p", "is empty"},
    {"text", "a plan", Errc::input_unsupported, "p", "neither XML nor JSON"},
    {"other XML", "<system/>", Errc::input_unsupported, "p", "no <algo>"},
    {"broken XML", "<algo><gpu", Errc::input_corrupt, "p:1", "not XML"},
    {"sizes reversed", xml("", "minBytes='9' maxBytes='8'"), Errc::input_range, "p:1",
     "more than maxBytes, which is 8"},
    {"no gpu", "<algo name='a'/>", Errc::input_empty, "p:1", "contains no gpu"},
    {"another count", xml("", "ngpus='3'"), Errc::input_corrupt, "p:1", "there are 2 <gpu>"},
    {"no id", "<algo><gpu/></algo>", Errc::input_missing_attr, "p:1", "<gpu> without id"},
    {"two alike", "<algo><gpu id='0'/><gpu id='0'/></algo>", Errc::input_duplicate_id, "p:1",
     "a second gpu 0"},
    {"id beyond", "<algo><gpu id='4'/></algo>", Errc::input_range, "p:1", "outside 0 to 0"},
    {"endless buffer", "<algo><gpu id='0' i_chunks='99999999'/></algo>", Errc::input_range, "p:1",
     "i_chunks is 99999999"},
    {"no such type", xml(tb(with("type", "rx"))), Errc::input_unsupported, "p:4",
     "unknown step type \"rx\""},
    {"no such buffer", xml(tb(with("srcbuf", "x"))), Errc::input_corrupt, "p:4", "srcbuf is \"x\""},
    {"no number", xml(tb(with("srcoff", "one"))), Errc::input_corrupt, "p:4", "srcoff is \"one\""},
    {"no chunks", xml(tb(with("cnt", "0"))), Errc::input_range, "p:4", "too small"},
    {"another step", xml(tb(with("s", "1"))), Errc::input_range, "p:4", "s is 1, outside 0 to 0"},
    {"no peer", xml(tb(kSend, "id='0' send='-1' recv='1' chan='0'")), Errc::input_corrupt, "p:4",
     "step s sends, but its block has no peer"},
    {"itself", xml(tb(kSend, "id='0' send='0' recv='1' chan='0'")), Errc::input_corrupt, "p:3",
     "gpu 0 is its own peer"},
    {"waits for no step", xml(tb(kSend + " depid='1' deps='0'")), Errc::input_dangling_dep, "p:4",
     "waits for gpu 0, step 0, block 1, which does not exist"},
    {"waits for itself", xml(tb(kSend + " depid='0' deps='0'")), Errc::input_self_edge, "p:4",
     "waits for itself"},
    {"no JSON", "{\"gpus\": [", Errc::config_syntax, "p", ""},
    {"no gpus", "{\"a\": 1}", Errc::input_unsupported, "p", "without \"gpus\""},
    {"gpus no list", R"({"collective": "allreduce", "gpus": 1})", Errc::input_corrupt, "p:/gpus",
     "must be a list"},
    {"nothing in it", R"({"collective": "allreduce", "gpus": []})", Errc::input_empty, "p:/gpus",
     "contains no gpu"},
    {"no collective", R"({"gpus": [{"id": 0}]})", Errc::input_missing_attr, "p:", "collective"},
    {"no operation", R"({"collective": "x", "gpus": [{"id": 0, "input_chunks": 1, "threadblocks":
      [{"id": 0, "ops": [{"name": "dance"}]}]}]})",
     Errc::input_unsupported, "p:/gpus/0/threadblocks/0/ops/0", "unknown operation \"dance\""},
    {"no channel", R"({"collective": "x", "gpus": [{"id": 0, "threadblocks":
      [{"id": 0, "ops": [{"name": "wait", "channel_type": "memory", "channel_ids": [3]}]}]}]})",
     Errc::input_corrupt, "p:/gpus/0/threadblocks/0/ops/0/channel_ids/0",
     "below 0, the number of channels"},
    {"no such peer", R"({"collective": "x", "gpus": [{"id": 0, "channels":
      [{"channel_type": "memory", "connected_to": [7]}]}]})",
     Errc::input_range, "p:/gpus/0/channels/0/connected_to/0",
     "must be another gpu, with a number below 1"},
    {"two sizes", R"({"collective": "x", "gpus": [{"id": 0, "input_chunks": 4, "threadblocks":
      [{"id": 0, "ops": [{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}],
      "dst_buff": [{"type": "i", "index": 2, "size": 1}]}]}]}]})",
     Errc::input_corrupt, "p:/gpus/0/threadblocks/0/ops/0", "has spans of 2 and of 1 chunks"},
    {"a sketch", R"({"nnodes": 1, "intranode_sketch": {}})", Errc::input_unsupported, "p",
     "a TACCL sketch"},
};

TEST(PlanFormats, RefuseWithAPlaceAndAReason) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.what);
    Findings findings;
    const auto plan = read_plan(refused.text, "p", findings);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, refused.code) << to_string(plan.error());
    EXPECT_TRUE(plan.error().where.starts_with(refused.place)) << plan.error().where;
    EXPECT_NE(plan.error().what.find(refused.message), std::string::npos) << plan.error().what;
  }
}

// MSCCL's compiler writes maxBytes='0' for "any size".
TEST(PlanFormats, AMaximumOfZeroStatesNone) {
  Findings findings;
  for (const auto& [head, low, high] :
       {std::tuple{"minBytes='0' maxBytes='0'", 0, -1},
        std::tuple{"minBytes='8' maxBytes='0'", 8, -1}, std::tuple{"maxBytes='64'", -1, 64},
        std::tuple{"minBytes='8' maxBytes='8'", 8, 8}}) {
    const auto plan = read_plan(xml("", head), "p", findings);
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->min_bytes, low) << head;
    EXPECT_EQ(plan->max_bytes, high) << head;
  }
}

TEST(PlanFormats, UnknownAttributesAreFindings) {
  Findings findings;
  ASSERT_TRUE(
      read_plan(xml(tb(kSend + " color='red'"), "coll='allreduce' shape='x'"), "p", findings));
  ASSERT_EQ(findings.count(FindingCode::key_ignored), 2u);
  EXPECT_EQ(findings.list()[0].places[0], "p:1: shape");
  EXPECT_EQ(findings.list()[0].places[1], "p:4: color");
}

TEST(PlanFormats, AWaitForAnUnmarkedStepIsAFinding) {
  Findings findings;
  const std::string two = "<tb id='0' send='1' recv='1' chan='0'><step " + kSend +
                          "/><step s='1' type='nop' depid='0' deps='0'/></tb>";
  ASSERT_TRUE(read_plan(xml(two), "p", findings));
  EXPECT_EQ(findings.count(FindingCode::attr_ignored), 1u);
}

TEST(PlanFormats, OldPlansAreInPlaceOrNot) {
  Findings findings;
  for (const auto& [head, in, out] :
       {std::tuple{"inplace='1'", true, false}, std::tuple{"inplace='0'", false, true},
        std::tuple{"", false, true}, std::tuple{"inplace='1' outofplace='1'", true, true}}) {
    const auto plan = read_plan(xml("", head), "p", findings);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->in_place, in) << head;
    EXPECT_EQ(plan->out_of_place, out) << head;
  }
}

// One dependency is all that a step of MSCCL has: more are steps that wait.
TEST(PlanFormats, SeveralDependenciesBecomeWaitingSteps) {
  Plan plan = halving_doubling_all_reduce(8);
  PlanStep& last = plan.ranks[3].blocks[2].steps[3];
  last.after = {{3, 0, 3}, {3, 1, 3}, {3, 1, 0}};
  const auto text = write_msccl(plan);
  ASSERT_TRUE(text);
  Findings findings;
  const auto again = read_plan(*text, "p", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(step_count(*again), step_count(plan) + 2);
  EXPECT_TRUE(check_plan(*again).is_valid());
  EXPECT_EQ(*write_msccl(*again), *text);
}

TEST(PlanFormats, MscclHasNoStepForOtherRanksMemory) {
  Plan plan = ring_all_reduce(2);
  plan.ranks[0].blocks[0].steps[0].writes.push_back({1, PlanBuffer::input, 0, 1});
  const auto text = write_msccl(plan);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where, "gpu 0, block 0, step 0 (s)");
}

TEST(PlanFormats, BarriersOrderTheBlocksThatMeet) {
  const auto plan = [](const std::string& barrier) {
    const std::string ops0 = R"({"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 1}],
      "dst_buff": [{"type": "s", "index": 0, "size": 1}]},)" +
                             barrier;
    const std::string ops1 = barrier + R"(,{"name": "copy", "src_buff": [{"type": "s", "index": 0,
      "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]})";
    return R"({"collective": "copy", "gpus": [{"id": 0, "input_chunks": 1, "output_chunks": 1,
      "scratch_chunks": 1, "threadblocks": [{"id": 0, "ops": [)" +
           ops0 + R"(]}, {"id": 1, "ops": [)" + ops1 + "]}]}]}";
  };
  Findings findings;
  const auto met = read_plan(plan(R"({"name": "barrier", "barrier_id": 0, "num_threadblocks": 2})"),
                             "p", findings);
  ASSERT_TRUE(met) << to_string(met.error());
  EXPECT_TRUE(check_plan(*met).is_valid());
  const auto apart = read_plan(plan(R"({"name": "nop"})"), "p", findings);
  ASSERT_TRUE(apart);
  EXPECT_EQ(check_plan(*apart).errors.front().fault, PlanFault::race);
}

TEST(PlanFormats, FilesMayBeGzipped) {
  const std::string path = testing::TempDir() + "orrery-plan.xml.gz";
  const Plan plan = halving_doubling_all_reduce(4);
  std::ofstream(path, std::ios::binary) << core_testing::gzip(*write_msccl(plan));
  Findings findings;
  const auto read = read_plan_file(path, findings);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*write_msccl(*read), *write_msccl(plan));
  std::ofstream(path, std::ios::binary) << core_testing::gzip(*write_msccl(plan)).substr(0, 40);
  EXPECT_EQ(read_plan_file(path, findings).error().code, Errc::input_truncated);
  std::remove(path.c_str());
}

TEST(PlanFormats, ExamplesAreTheTextbooks) {
  const auto file = [](const std::string& name) {
    return config::read_text(std::string(core_testing::kSourceFolder) + "/examples/plans/" + name)
        .value_or("");
  };
  EXPECT_EQ(file("ring-8.xml"), *write_msccl(ring_all_reduce(8)));
  EXPECT_EQ(file("halving-doubling-8.xml"), *write_msccl(halving_doubling_all_reduce(8)));
}

TEST(PlanFormats, TracesOfAPlanAreAPlan) {
  for (const Plan& plan : {ring_all_reduce(4), halving_doubling_all_reduce(8)}) {
    const auto graphs = lower_plan(plan);
    ASSERT_TRUE(graphs) << to_string(graphs.error());
    const auto again = plan_of_graphs(*graphs, "traces");
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(again->ranks.size(), plan.ranks.size());
    EXPECT_EQ(buffer_chunks(*again), buffer_chunks(plan));
    EXPECT_EQ(chunks_sent(*again), chunks_sent(plan));
    const PlanCheck check = check_plan(*again);
    EXPECT_TRUE(check.is_valid()) << check.errors.front().what;
    EXPECT_FALSE(check.result_checked);
  }
}

}  // namespace
}  // namespace orrery::synthesis
