// SPDX-License-Identifier: Apache-2.0
//
// "Recordings and changes" (docs/what-if.md): each change is asked of recordings in each way,
// and is answered, or refused with the option that is missing; none is left out in silence.
// benchmarks/whatif_answers.py asks all changes of all recordings that it is given.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

const fs::path kTableSource = core_testing::kSourceFolder;
const fs::path kTableTraces = kTableSource / ".." / "shared" / "data" / "traces";

/// How a recording is asked: the columns of the table.
enum AskedWay { played, on_cluster, replicated, with_plan, kAskedWays };
constexpr const char* kAskedNames[] = {"played", "--cluster", "--replicate", "plan"};

struct TableFamily {
  std::vector<std::string> traces;
  std::string device;  ///< for the cluster
  std::uint32_t ranks = 1;
  std::string made_on;    ///< what the recording does not say
  std::string model;      ///< of the plan beside it
  bool layers = false;    ///< alike, one after another
  bool replicas = false;  ///< several, which do the same
};

/// Those that are there.
std::vector<TableFamily> table_families() {
  const fs::path demo = kTableSource / "data" / "demo";
  std::vector<TableFamily> all = {
      {{(demo / "ddp_transformer" / "*.kineto.json.gz").string()},
       "h100-sxm",
       2,
       "a100-80gb",
       "gpt2",
       false,
       true},
      {{(demo / "transformer" / "layers8_microbatches1.json.gz").string()},
       "h100-sxm",
       1,
       "a100-80gb",
       "gpt2",
       true},
      {{(kTableTraces / "tracelens" / "h100~gaunernst_bert-small-uncased__1016001.json.gz")
            .string()},
       "h100-sxm",
       1,
       "",
       "bert-base",
       true},
      {{(kTableTraces / "hta" / "trace_diff_test.v100_2rank.rank1.json.gz").string()},
       "v100-sxm2",
       1,
       "",
       "resnet-50"},
  };
  std::erase_if(all, [](const TableFamily& one) {
    return one.traces.front().find('*') == std::string::npos && !fs::exists(one.traces.front());
  });
  return all;
}

Result<WhatIf> ask_family(const TableFamily& family, AskedWay way, const std::string& change) {
  WhatIfQuestion question;
  question.base.recorded.traces = family.traces;
  question.changes = {change};
  if (way != with_plan) question.device = family.made_on;
  if (way == on_cluster) question.base.cluster = family.device + ":" + std::to_string(family.ranks);
  if (way == replicated || way == with_plan) question.base.cluster = family.device + ":8";
  question.base.replicate = way == replicated;
  if (way == with_plan) question.base.job.model = family.model;
  Watch watch;
  return what_if(question, watch);
}

/// Where a change is refused, its error names one of these; none: it is answered.
using Missing = std::vector<std::string>;

/// A row of the table: what is missing, by way.
struct TableRow {
  std::string change;
  Missing missing[kAskedWays];
};

const Missing kMissingCluster = {"--cluster"};
const Missing kMissingPlan = {"--model", "--spec"};

std::vector<TableRow> table_rows(const TableFamily& family) {
  std::vector<TableRow> all;
  for (const char* change :
       {"kernels=0.5", "communication=0.5", "copies=0.5", "host=0.5", "launch=0.5", "gaps=0.5",
        "waits=0.5", "overlap=none", "syncs=none", "fusion=elementwise", "stragglers=none",
        "variability=0.1", "gemm=0.5", "group:0=0.5", "rank:0=1.5", "gpu=b200"})
    all.push_back({change, {{}, {}, {}, {}}});
  for (const char* change : {"bandwidth=2", "latency=2", "algorithm=ring"})
    all.push_back({change, {kMissingCluster, {}, {}, {}}});
  all.push_back(
      {"dp=16", {{"--replicate"}, family.replicas ? Missing{} : Missing{"--replicate"}, {}, {}}});
  const Missing repeat = family.layers ? Missing{} : Missing{"trace info --structure"};
  // A plan of a picture's model has its layers from its blocks.
  if (family.model != "resnet-50") all.push_back({"layers=4", {repeat, repeat, repeat, {}}});
  for (const char* change : {"recompute=full", "sharding=zero1", "precision.products=fp8",
                             "global_batch=64", "schedule=gpipe", "optimizer.kind=sgd"})
    all.push_back({change, {kMissingPlan, kMissingPlan, kMissingPlan, {}}});
  if (family.model != "resnet-50")
    for (const char* change : {"tp=2", "pp=2", "cp=2"})
      all.push_back({change, {kMissingPlan, kMissingPlan, kMissingPlan, {}}});
  return all;
}

void hold_row(const TableFamily& family, AskedWay way, const TableRow& row) {
  const std::string what = family.traces.front() + " " + kAskedNames[way] + " " + row.change + ": ";
  const auto predicted = ask_family(family, way, row.change);
  const Missing& missing = row.missing[way];
  if (!missing.empty()) {
    ASSERT_FALSE(predicted.has_value()) << what << "is answered";
    const std::string error = to_string(predicted.error());
    bool named = false;
    for (const std::string& option : missing) named |= error.find(option) != std::string::npos;
    EXPECT_TRUE(named) << what << error;
    return;
  }
  ASSERT_TRUE(predicted.has_value()) << what << to_string(predicted.error());
  ASSERT_TRUE(predicted->changed.has_value()) << what;
  if (predicted->changed->whole == predicted->base.whole &&
      predicted->changed->memory == predicted->base.memory &&
      predicted->changed->time_by_provenance == predicted->base.time_by_provenance) {
    EXPECT_GT(predicted->findings.count(FindingCode::key_without_effect), 0u)
        << what << "changes nothing, in silence";
  }
}

TEST(WhatIfTable, EachChangeIsAnsweredOrSaysWhatIsMissing) {
  // Each change in some way, of each family.
  const std::size_t step = core_testing::case_count(1, 5);
  std::size_t number = 0;
  for (const TableFamily& family : table_families())
    for (const TableRow& row : table_rows(family))
      for (const AskedWay way : {played, on_cluster, replicated, with_plan})
        if (number++ % step == 0) hold_row(family, way, row);
}

}  // namespace
}  // namespace orrery::study
