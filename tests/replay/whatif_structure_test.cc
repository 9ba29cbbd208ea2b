// SPDX-License-Identifier: Apache-2.0
//
// Traces of a job, changed into traces of another one, are those.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <tuple>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/graph/structure/spine.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

/// Keys of a specification, "model.layers=8".
using Keys = std::vector<std::string>;

/// What a rank has of each kind of node, by kind, name without numbers, and bytes or kernel.
using Inventory = std::map<std::tuple<graph::NodeKind, std::string, std::string>, std::size_t>;

Inventory inventory(const graph::Graph& graph) {
  Inventory made;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    std::string name;
    for (const char c : graph.name(n))
      if (c < '0' || c > '9') name += c;
    std::string size;
    if (graph.kernel(n) != graph::kNoKernel && !graph::passes_of(graph, n).optimizer)
      size = to_text((*graph.kernels())[graph.kernel(n)]);
    if (name.starts_with("gradients.norm")) size.clear();  // as long as the optimizer's
    ++made[{graph.kind(n), name, size}];
  }
  return made;
}

/// Nodes that one has more of, "name: 8 for 9".
std::string differences(const Inventory& made, const Inventory& real) {
  std::string text;
  const auto count = [](const Inventory& in, const Inventory::key_type& key) {
    const auto found = in.find(key);
    return found == in.end() ? std::size_t{0} : found->second;
  };
  Inventory both = made;
  both.insert(real.begin(), real.end());
  for (const auto& [key, ignored] : both)
    if (count(made, key) != count(real, key))
      text += fmt::format("{} {}: {} for {}\n", std::get<1>(key), std::get<2>(key),
                          count(made, key), count(real, key));
  return text;
}

class WhatIfStructure : public testing::Test {
 protected:
  WhatIfStructure()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WhatIfStructure() override { fs::remove_all(folder_); }

  /// Empty where there is no such job.
  std::string traces(const std::string& name, const std::string& model, const Keys& keys) const {
    Question question;
    question.job.model = model;
    question.job.set = keys;
    question.cluster = kCluster;
    const auto answer = simulate(question);
    if (!answer) return "";
    const std::string prefix = (folder_ / name).string();
    EXPECT_TRUE(write_chakra(*answer->outcome().inputs.load->program,
                             {.prefix = prefix, .overwrite = true}));
    return prefix;
  }

  static Result<WhatIf> ask(const std::string& prefix, const std::string& change) {
    WhatIfQuestion question;
    question.base.workload = prefix;
    question.base.cluster = kCluster;
    if (!change.empty()) question.changes = {change};
    Watch watch;
    return what_if(question, watch);
  }

  /// How far the changed traces are from those of the other job, as a share of the step. Empty:
  /// there is no such job, or the change is refused.
  std::optional<double> off(const std::string& model, const Keys& same, const std::string& a,
                            const std::string& b, const std::string& change) const {
    Keys first = same, second = same;
    first.push_back(a);
    second.push_back(b);
    const std::string from = traces("a", model, first), to = traces("b", model, second);
    if (from.empty() || to.empty()) return std::nullopt;
    const std::string what = fmt::format("{} {} {}", model, fmt::join(first, " "), change);
    const auto predicted = ask(from, change), other = ask(to, "");
    EXPECT_TRUE(other.has_value()) << what;
    if (!predicted) {
      refused_.push_back(what + ": " + to_string(predicted.error()));
      return std::nullopt;
    }
    EXPECT_EQ(predicted->findings.count(FindingCode::edges_dropped), 0u) << what;
    const graph::Workload& made = predicted->answer->outcome().workload();
    const graph::Workload& real = other->answer->outcome().workload();
    for (std::uint32_t rank = 0; rank < real.rank_count(); ++rank)
      EXPECT_EQ(differences(inventory(made.graph(rank)), inventory(real.graph(rank))), "")
          << what << " " << rank;
    for (std::uint32_t rank = 0; rank < real.rank_count(); ++rank)
      EXPECT_EQ(made.graph(rank).edge_count(), real.graph(rank).edge_count()) << what << rank;
    const double x = static_cast<double>(predicted->changed->whole.count());
    const double y = static_cast<double>(other->base.whole.count());
    const double share = (x - y) / y;
    EXPECT_LT(std::abs(share), 0.01) << what;
    return share;
  }

  static constexpr const char* kCluster = "h100-sxm:8";
  static constexpr const char* kModel = "llama-3.1-8b";
  fs::path folder_;
  mutable std::vector<std::string> refused_;
};

TEST_F(WhatIfStructure, LayersOfEveryPlan) {
  const std::vector<Keys> plans = {
      {"parallel.tp=2", "parallel.pp=2", "batch.global=8"},
      {"parallel.tp=8", "batch.global=4"},
      {"parallel.tp=4", "parallel.sp=true", "recompute.kind=selective", "batch.global=8"},
      {"parallel.tp=4", "recompute.kind=full", "batch.global=8"},
      {"parallel.sharding=zero1", "batch.global=32"},
      {"parallel.sharding=zero2", "batch.global=32"},
      {"parallel.sharding=zero3", "batch.global=32"},
      {"parallel.cp=2", "parallel.tp=2", "batch.global=8"},
      {"parallel.pp=4", "schedule.kind=gpipe", "batch.global=16"},
      {"parallel.pp=4", "schedule.kind=1f1b", "batch.global=16"},
      {"parallel.pp=4", "schedule.kind=zb_h1", "batch.global=16"},
  };
  for (Keys plan : plans) {
    plan.insert(plan.end(), {"batch.seq=2048", "batch.micro=1"});
    EXPECT_TRUE(off(kModel, plan, "model.layers=16", "model.layers=24", "layers=24"));
    EXPECT_TRUE(off(kModel, plan, "model.layers=24", "model.layers=16", "layers=16"));
  }
  EXPECT_TRUE(off("mixtral-8x7b", {"parallel.ep=4", "batch.global=16", "batch.seq=1024"},
                  "model.layers=8", "model.layers=12", "layers=12"));
  // The first stage and the last add up gradients of one table, however many layers there are
  for (const std::string plan : {"parallel.pp=2", "parallel.pp=4"})
    EXPECT_TRUE(off("gpt2", {plan, "parallel.tp=2", "batch.global=16", "parallel.bucket=10 GB"},
                    "model.layers=12", "model.layers=24", "layers=24"));
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(WhatIfStructure, MicrobatchesOfEverySchedule) {
  const std::vector<Keys> plans = {
      {"parallel.tp=4", "parallel.dp=2"},
      {"parallel.sharding=zero1", "parallel.tp=4", "parallel.dp=2"},
      {"parallel.sharding=zero3", "parallel.tp=4", "parallel.dp=2"},
      {"parallel.pp=4", "parallel.dp=2", "schedule.kind=gpipe"},
      {"parallel.pp=4", "parallel.dp=2", "schedule.kind=1f1b"},
      {"parallel.pp=4", "parallel.dp=2", "schedule.kind=zb_h1"},
  };
  for (Keys plan : plans) {
    plan.insert(plan.end(), {"batch.seq=2048", "batch.micro=1", "model.layers=8"});
    EXPECT_TRUE(off(kModel, plan, "batch.global=16", "batch.global=24", "microbatches=12"));
    EXPECT_TRUE(off(kModel, plan, "batch.global=24", "batch.global=16", "microbatches=8"));
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

const fs::path kRecorded = fs::path(core_testing::kSourceFolder) / "data" / "demo" / "transformer";

/// A recording of that many layers and microbatches, with something changed.
Time recorded_step(int layers, int microbatches, const std::string& change = "") {
  WhatIfQuestion question;
  question.base.recorded.traces = {
      (kRecorded / fmt::format("layers{}_microbatches{}.json.gz", layers, microbatches)).string()};
  if (!change.empty()) question.changes = {change};
  Watch watch;
  const auto predicted = what_if(question, watch);
  EXPECT_TRUE(predicted.has_value()) << (predicted ? "" : to_string(predicted.error()));
  if (!predicted) return {};
  EXPECT_EQ(predicted->findings.count(FindingCode::edges_dropped), 0u);
  return change.empty() ? predicted->base.whole : predicted->changed->whole;
}

// The same size recorded three times differs by up to 9 % (docs/what-if.md).
TEST_F(WhatIfStructure, RecordingsOfOtherSizesAreTold) {
  const auto off = [](Time predicted, Time truth) {
    return std::abs(static_cast<double>((predicted - truth).count())) /
           static_cast<double>(truth.count());
  };
  EXPECT_LT(off(recorded_step(4, 1, "layers=8"), recorded_step(8, 1)), 0.09);
  EXPECT_LT(off(recorded_step(8, 1, "layers=4"), recorded_step(4, 1)), 0.09);
  EXPECT_LT(off(recorded_step(6, 4, "microbatches=2"), recorded_step(6, 2)), 0.09);
  // Back again, but for the optimizer's place
  EXPECT_LT(off(recorded_step(4, 1, "layers=4"), recorded_step(4, 1)), 1e-9);
}

// Two microbatches repeat too seldom to be found by what they do; names of layers tell them.
TEST_F(WhatIfStructure, LayersThatARecordingNames) {
  const auto asked = [](int layers, const std::string& change) {
    WhatIfQuestion question;
    question.base.recorded.traces = {
        (kRecorded / fmt::format("named{}_microbatches2.json.gz", layers)).string()};
    question.changes = {change};
    Watch watch;
    auto predicted = what_if(question, watch);
    EXPECT_TRUE(predicted.has_value()) << (predicted ? "" : to_string(predicted.error()));
    return predicted;
  };
  for (const auto& [from, to] : {std::pair(3, 5), std::pair(5, 3)}) {
    const auto made = asked(from, fmt::format("layers={}", to));
    const auto real = asked(to, fmt::format("layers={}", to));
    ASSERT_TRUE(made && real);
    EXPECT_EQ(made->found->layers, static_cast<std::uint32_t>(from));
    EXPECT_EQ(made->found->microbatches, 2u);
    EXPECT_EQ(made->findings.count(FindingCode::edges_dropped), 0u);
    const graph::Graph& graph = made->answer->outcome().workload().graph(0);
    const graph::Graph& other = real->answer->outcome().workload().graph(0);
    EXPECT_EQ(differences(inventory(graph), inventory(other)), "");
    EXPECT_EQ(graph.edge_count(), other.edge_count());
  }
}

TEST_F(WhatIfStructure, ThreeLayersAreFew) {
  const std::string three = traces("three", kModel, {"model.layers=3", "batch.seq=512"});
  const auto predicted = ask(three, "layers=6");
  ASSERT_TRUE(predicted.has_value());
  EXPECT_GT(predicted->findings.count(FindingCode::repetitions_few), 0u);
}

TEST_F(WhatIfStructure, WhatCannotBeChangedIsRefused) {
  const auto error = [](int layers, int microbatches, const std::string& change) {
    WhatIfQuestion question;
    question.base.recorded.traces = {
        (kRecorded / fmt::format("layers{}_microbatches{}.json.gz", layers, microbatches))
            .string()};
    question.changes = {change};
    Watch watch;
    const auto predicted = what_if(question, watch);
    EXPECT_FALSE(predicted.has_value()) << change;
    return predicted ? Errc::output_failed : predicted.error().code;
  };
  EXPECT_EQ(error(4, 1, "layers=0"), Errc::usage);
  EXPECT_EQ(error(4, 1, "layers=2.5"), Errc::usage);
  EXPECT_EQ(error(4, 1, "layers=many"), Errc::usage);
  EXPECT_EQ(error(4, 1, "layers=1000000"), Errc::usage);
  EXPECT_EQ(error(4, 1, "microbatches=2"), Errc::input_unsupported);
  EXPECT_EQ(error(6, 4, "microbatches=1"), Errc::usage);  // the first is like no other
  EXPECT_EQ(error(4, 1, "tp=2"), Errc::config_conflict);
}

// Known numbers count instead of those that are found.
TEST_F(WhatIfStructure, WhatIsKnownCounts) {
  WhatIfQuestion question;
  question.base.recorded.traces = {(kRecorded / "layers4_microbatches1.json.gz").string()};
  question.base.structure.layers = 5;
  question.changes = {"layers=6"};
  Watch watch;
  const auto predicted = what_if(question, watch);
  ASSERT_TRUE(predicted.has_value());
  EXPECT_EQ(predicted->changed->whole, recorded_step(4, 1, "layers=5"));
}

// What repeats is found by what was recorded, not by what changes made of it.
TEST_F(WhatIfStructure, WhatRepeatsComesFirst) {
  const auto step = [](const std::vector<std::string>& changes) {
    WhatIfQuestion question;
    question.base.recorded.traces = {(kRecorded / "layers6_microbatches4.json.gz").string()};
    question.changes = changes;
    Watch watch;
    const auto predicted = what_if(question, watch);
    EXPECT_TRUE(predicted.has_value()) << fmt::format("{}", fmt::join(changes, " "));
    return predicted ? predicted->changed->whole : Time{};
  };
  for (const std::string other : {"kernels=0", "named:aten::t=3", "overlap=none", "gaps=0.5",
                                  "fusion=elementwise", "variability=0.2"}) {
    EXPECT_EQ(step({"layers=8", other}), step({other, "layers=8"})) << other;
    EXPECT_EQ(step({"microbatches=6", other}), step({other, "microbatches=6"})) << other;
  }
  EXPECT_EQ(step({"layers=8", "microbatches=6"}), step({"microbatches=6", "layers=8"}));
}

TEST_F(WhatIfStructure, RandomPairsOfJobs) {
  std::mt19937 random(1);
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  const int pairs = core_testing::case_count(200, 50);
  int tried = 0;
  for (int i = 0; i < pairs; ++i) {
    const std::string pp = one_of({"1", "1", "2", "4"});
    const Keys plan = {"parallel.pp=" + pp,
                       "parallel.tp=" + one_of(pp == "4" ? Keys{"1", "2"} : Keys{"1", "2", "4"}),
                       "parallel.sharding=" + one_of({"none", "zero1"}),
                       "schedule.kind=" + one_of({"1f1b", "gpipe", "zb_h1"}),
                       "recompute.kind=" + one_of({"none", "none", "selective", "full"}),
                       "batch.seq=" + one_of({"512", "1024"}),
                       "batch.micro=" + one_of({"1", "2"})};
    const std::string model = one_of({"llama-3.1-8b", "gpt3-6.7b", "mixtral-8x7b"});
    if (random() % 2 == 0) {
      const std::string from = one_of({"12", "16", "24"}), to = one_of({"12", "16", "24", "32"});
      Keys more = plan;
      more.push_back("batch.global=32");
      tried += off(model, more, "model.layers=" + from, "model.layers=" + to, "layers=" + to)
                   .has_value();
    } else {
      const int from = 6 + static_cast<int>(random() % 4), to = 6 + static_cast<int>(random() % 8);
      Keys more = plan;
      const std::string dp = std::to_string(8 / std::stoi(pp) / std::stoi(plan[1].substr(12)));
      const int each = std::stoi(dp) * std::stoi(plan[6].substr(12));
      more.insert(more.end(), {"model.layers=12", "parallel.dp=" + dp});
      tried += off(model, more, fmt::format("batch.global={}", from * each),
                   fmt::format("batch.global={}", to * each), fmt::format("microbatches={}", to))
                   .has_value();
    }
  }
  EXPECT_GE(tried, pairs * 9 / 10) << fmt::format("{}", fmt::join(refused_, "\n"));
}

}  // namespace
}  // namespace orrery::study
