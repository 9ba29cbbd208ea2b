// SPDX-License-Identifier: Apache-2.0
//
// Traces of a job, made smaller, are those of the smaller job.
#include "orrery/study/scale_down.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <tuple>

#include "orrery/platform/cluster.h"
#include "orrery/study/write_chakra.h"
#include "orrery/study/write_workload.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

/// Keys of a specification, "model.layers=8".
using Keys = std::vector<std::string>;

/// What a rank has of each kind of node, by kind, name without numbers, and what it works on.
using SizedInventory = std::map<std::tuple<graph::NodeKind, std::string, std::string>, std::size_t>;

std::string size_of(const graph::Graph& graph, graph::NodeId n) {
  if (graph.kind(n) == graph::NodeKind::coll)
    return fmt::format("{} bytes", graph.collective(n).size.count());
  if (!is_work(graph.kind(n))) return fmt::format("{} bytes", graph.point_to_point(n).size.count());
  const graph::Work work = graph.work(n);
  std::string text = fmt::format("{} ops, {} bytes", work.num_ops, work.tensor_size.count());
  if (graph.kernel(n) != graph::kNoKernel)
    text += " " + to_text((*graph.kernels())[graph.kernel(n)]);
  return text;
}

SizedInventory sized_inventory(const graph::Graph& graph) {
  SizedInventory made;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    std::string name;
    for (const char c : graph.name(n))
      if (c < '0' || c > '9') name += c;
    ++made[{graph.kind(n), name, size_of(graph, n)}];
  }
  return made;
}

/// Nodes that one has more of, "name: 8 for 9".
std::string sized_differences(const SizedInventory& made, const SizedInventory& real) {
  std::string text;
  const auto count = [](const SizedInventory& in, const SizedInventory::key_type& key) {
    const auto found = in.find(key);
    return found == in.end() ? std::size_t{0} : found->second;
  };
  SizedInventory both = made;
  both.insert(real.begin(), real.end());
  for (const auto& [key, ignored] : both)
    if (count(made, key) != count(real, key))
      text += fmt::format("{} {}: {} for {}\n", std::get<1>(key), std::get<2>(key),
                          count(made, key), count(real, key));
  return text;
}

/// A job made smaller, and the smaller job.
struct Pair {
  ScaleDown made;
  graph::Workload real;
  double off = 0;  ///< of the made one's step, as a share of the real one's
};

class ScaleDownJobs : public testing::Test {
 protected:
  ScaleDownJobs()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ScaleDownJobs() override { fs::remove_all(folder_); }

  /// Empty where there is no such job.
  std::string traces(const std::string& name, const std::string& cluster, const Keys& keys) const {
    Question question;
    question.job.model = model_;
    question.job.set = keys;
    question.cluster = cluster;
    const auto answer = simulate(question);
    if (!answer) return "";
    const std::string prefix = (folder_ / name).string();
    for (const auto& file : fs::directory_iterator(folder_))
      if (file.path().filename().string().starts_with(name + ".")) fs::remove(file.path());
    EXPECT_TRUE(write_chakra(*answer->outcome().inputs.load->program, {.prefix = prefix}));
    return prefix;
  }

  /// `small`: a job of as many devices as stay.
  std::optional<Pair> pair(const Keys& same, const Keys& big, const Keys& small,
                           const std::string& cluster, ScaleDownQuestion question) const {
    Keys first = same, second = same;
    first.insert(first.end(), big.begin(), big.end());
    second.insert(second.end(), small.begin(), small.end());
    question.base.workload = traces("big", cluster, first);
    question.base.cluster = cluster;
    if (question.base.workload.empty()) return std::nullopt;
    Watch watch;
    auto made = scale_down(question, watch);
    const std::string what = fmt::format("{} to {}", fmt::join(first, " "), fmt::join(small, " "));
    if (!made) {
      refused_.push_back(what + ": " + to_string(made.error()));
      return std::nullopt;
    }
    EXPECT_EQ(made->findings.count(FindingCode::edges_not_told), 0u) << what;
    Question other;
    other.cluster = "part of " + cluster;
    other.cluster_text = platform::resolved_cluster(made->cluster_made->platform);
    other.workload = traces("small", fmt::format("h100-sxm:{}", made->is.ranks), second);
    if (other.workload.empty()) return std::nullopt;
    const auto real = simulate(other);
    EXPECT_TRUE(real.has_value()) << what << (real ? "" : to_string(real.error()));
    if (!real) return std::nullopt;
    Pair told{*std::move(made), real->outcome().workload(), 0};
    const auto step = static_cast<double>(real->outcome().result.end.count());
    told.off = static_cast<double>(told.made.is.step.count()) / step - 1;
    return told;
  }

  static void expect_equal(const std::optional<Pair>& told, const std::string& what) {
    ASSERT_TRUE(told.has_value()) << what;
    expect_same_nodes(*told, what);
    EXPECT_NEAR(told->off, 0, 1e-9) << what;
  }

  static void expect_same_nodes(const Pair& told, const std::string& what) {
    const graph::Workload& made = *told.made.workload_made;
    ASSERT_EQ(made.rank_count(), told.real.rank_count()) << what;
    for (std::uint32_t rank = 0; rank < made.rank_count(); ++rank)
      EXPECT_EQ(sized_differences(sized_inventory(made.graph(rank)),
                                  sized_inventory(told.real.graph(rank))),
                "")
          << what << ", rank " << rank;
  }

  static ScaleDownQuestion asked(const std::string& ranks, Keep keep = Keep::job) {
    ScaleDownQuestion question;
    question.ranks = ranks;
    question.keep = keep;
    return question;
  }

  std::string model_ = "llama-3.1-8b";
  fs::path folder_;
  mutable std::vector<std::string> refused_;
};

const Keys kSmall = {"batch.seq=1024", "batch.micro=1", "model.layers=8"};

Keys with(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

TEST_F(ScaleDownJobs, FewerReplicasAreTheSmallerJob) {
  for (const char* sharding : {"none", "zero1", "zero2", "zero3"}) {
    const Keys same =
        with(kSmall, {"parallel.tp=2", fmt::format("parallel.sharding={}", sharding)});
    expect_equal(pair(same, {"parallel.dp=8", "batch.global=32"},
                      {"parallel.dp=2", "batch.global=8"}, "h100-sxm:16", asked("dp=2")),
                 sharding);
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, OneReplicaHasNoGradientsToReduce) {
  const auto told = pair(with(kSmall, {"parallel.tp=2"}), {"parallel.dp=4", "batch.global=16"},
                         {"parallel.dp=1", "batch.global=4"}, "h100-sxm:8", asked("dp=1"));
  expect_equal(told, "dp=1");
  ASSERT_TRUE(told);
  EXPECT_GT(told->made.left_out.collectives, 0u);
  EXPECT_EQ(told->made.left_out.messages, 0u);
}

TEST_F(ScaleDownJobs, ReplicasOfPipelinesAreTheSmallerJob) {
  for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb_h1", "zb_v"}) {
    const bool chunks = std::string(schedule) == "interleaved" || std::string(schedule) == "zb_v";
    const Keys same =
        with(kSmall, {"parallel.pp=2", "parallel.tp=2", fmt::format("schedule.kind={}", schedule),
                      fmt::format("schedule.chunks={}", chunks ? 2 : 1)});
    expect_equal(pair(same, {"parallel.dp=4", "batch.global=32"},
                      {"parallel.dp=2", "batch.global=16"}, "h100-sxm:16", asked("dp=2")),
                 schedule);
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, LayersAndMicrobatchesGoWithRanks) {
  auto question = asked("dp=2");
  question.layers = 4;
  question.microbatches = 6;
  const Keys same = {"batch.seq=1024", "batch.micro=1", "parallel.pp=2", "schedule.kind=1f1b"};
  const auto told =
      pair(same, {"parallel.dp=8", "batch.global=96", "model.layers=16"},
           {"parallel.dp=2", "batch.global=12", "model.layers=4"}, "h100-sxm:16", question);
  ASSERT_TRUE(told) << fmt::format("{}", fmt::join(refused_, "\n"));
  EXPECT_NEAR(told->off, 0, 0.01);
  ASSERT_TRUE(told->made.by_sizes);
  EXPECT_NEAR(told->made.by_sizes->off, 0, 0.02);
}

TEST_F(ScaleDownJobs, FewerStagesAreTheSmallerJob) {
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1"}) {
    const Keys same = {"batch.seq=1024", "batch.micro=1", "parallel.tp=2",
                       fmt::format("schedule.kind={}", schedule), "batch.global=16"};
    const auto told = pair(same, {"parallel.pp=8", "model.layers=16"},
                           {"parallel.pp=2", "model.layers=4"}, "h100-sxm:16", asked("pp=2"));
    expect_equal(told, schedule);
  }
}

TEST_F(ScaleDownJobs, ASmallerBatchIsTheSmallerJob) {
  for (const Keys& plan :
       {Keys{"parallel.tp=2"}, Keys{"parallel.tp=2", "parallel.sp=true"},
        Keys{"parallel.pp=2", "parallel.dp=4"}, Keys{"parallel.dp=8", "parallel.sharding=zero1"}}) {
    auto question = asked("");
    question.batch = 0.25;
    const Keys same = with({"batch.seq=1024", "model.layers=8"}, plan);
    expect_equal(pair(same, {"batch.micro=4", "batch.global=64"},
                      {"batch.micro=1", "batch.global=16"}, "h100-sxm:8", question),
                 fmt::format("{}", fmt::join(plan, " ")));
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, ExpertsAndContextAreTheSmallerJob) {
  model_ = "mixtral-8x7b";
  const Keys experts = {"batch.seq=1024", "batch.micro=1", "model.layers=4", "parallel.ep=4"};
  expect_equal(pair(experts, {"parallel.dp=16", "batch.global=32"},
                    {"parallel.dp=8", "batch.global=16"}, "h100-sxm:16", asked("dp=2")),
               "ep=4");
  model_ = "llama-3.1-8b";
  const Keys context = {"batch.seq=2048", "batch.micro=1", "model.layers=4", "parallel.cp=2",
                        "parallel.tp=2"};
  expect_equal(pair(context, {"parallel.dp=4", "batch.global=16"},
                    {"parallel.dp=2", "batch.global=8"}, "h100-sxm:16", asked("dp=2")),
               "cp=2");
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, RandomPairsOfJobs) {
  std::mt19937 random(7);
  const auto one_of = [&](const std::vector<int>& values) {
    return values[random() % values.size()];
  };
  const auto word = [&](const Keys& words) { return words[random() % words.size()]; };
  int tried = 0;
  double worst = 0;
  for (int i = 0; i < 60; ++i) {
    const int pp = one_of({1, 1, 2, 4}), tp = one_of({1, 2}), dp = 16 / pp / tp;
    const int pp_left = pp == 4 ? one_of({2, 4}) : pp, dp_left = one_of({2, dp});
    const int each = 4 * one_of({1, 2}), layers = each * pp, left = one_of({4, each}) * pp_left;
    const int microbatches = 3 * pp + one_of({4, 6}), fewer = microbatches - one_of({0, 2});
    const int batch = one_of({1, 1, 2});
    const Keys same = {fmt::format("parallel.tp={}", tp), "batch.seq=512",
                       "schedule.kind=" + word({"1f1b", "gpipe"}),
                       "parallel.sharding=" + word({"none", "zero1"})};
    const auto job = [&](int p, int d, int l, int m, int b) {
      return Keys{fmt::format("parallel.pp={}", p), fmt::format("parallel.dp={}", d),
                  fmt::format("model.layers={}", l), fmt::format("batch.micro={}", b),
                  fmt::format("batch.global={}", m * d * b)};
    };
    std::string ranks = fmt::format("dp={}", dp_left);
    if (pp > 1) ranks += fmt::format(",pp={}", pp_left);
    auto question = asked(ranks);
    if (left != layers / pp * pp_left) question.layers = left;
    if (fewer != microbatches) question.microbatches = fewer;
    question.batch = 1.0 / batch;
    const auto told = pair(same, job(pp, dp, layers, microbatches, batch),
                           job(pp_left, dp_left, left, fewer, 1), "h100-sxm:16", question);
    if (!told) continue;
    ++tried;
    const std::string what =
        fmt::format("{} {} to {} {}", fmt::join(same, " "),
                    fmt::join(job(pp, dp, layers, microbatches, batch), " "),
                    fmt::join(job(pp_left, dp_left, left, fewer, 1), " "), ranks);
    EXPECT_NEAR(told->off, 0, 0.01) << what;
    expect_same_nodes(*told, what);
    worst = std::max(worst, std::abs(told->off));
  }
  EXPECT_GE(tried, 50) << fmt::format("{}", fmt::join(refused_, "\n"));
  RecordProperty("tried", tried);
  RecordProperty("worst", fmt::format("{:.3g}", worst));
}

// A job is asked about as its traces are.
TEST_F(ScaleDownJobs, AJobIsWhatItsTracesAre) {
  ScaleDownQuestion question = asked("dp=2,pp=2");
  question.layers = 4;
  question.base.cluster = "h100-sxm:16";
  const Keys keys = with(kSmall, {"parallel.dp=4", "parallel.pp=4", "batch.global=32"});
  Watch watch;
  question.base.job.model = model_;
  question.base.job.set = keys;
  const auto job = scale_down(question, watch);
  ASSERT_TRUE(job.has_value()) << to_string(job.error());
  question.base.job = {};
  question.base.workload = traces("big", "h100-sxm:16", keys);
  const auto read = scale_down(question, watch);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(job->was.step, read->was.step);
  EXPECT_EQ(job->is.step, read->is.step);
  EXPECT_EQ(job->choice.ranks, read->choice.ranks);
}

// What is written is what was simulated.
TEST_F(ScaleDownJobs, WrittenTracesAreWhatWasSimulated) {
  ScaleDownQuestion question = asked("dp=2,pp=2", Keep::volume);
  question.layers = 4;
  question.base.cluster = "h100-sxm:16";
  question.base.workload = traces(
      "big", "h100-sxm:16", with(kSmall, {"parallel.dp=4", "parallel.pp=4", "batch.global=32"}));
  Watch watch;
  const auto made = scale_down(question, watch);
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  const std::string prefix = (folder_ / "written").string();
  const auto written = write_workload(*made->workload_made, prefix, false);
  ASSERT_TRUE(written.has_value()) << to_string(written.error());
  EXPECT_EQ(written->ranks, 4u);
  EXPECT_FALSE(write_workload(*made->workload_made, prefix, false).has_value());
  Question again;
  again.workload = prefix;
  again.cluster = "part";
  again.cluster_text = platform::resolved_cluster(made->cluster_made->platform);
  const auto told = simulate(again);
  ASSERT_TRUE(told.has_value()) << to_string(told.error());
  EXPECT_EQ(told->outcome().result.end, made->is.step);
}

TEST_F(ScaleDownJobs, WhatIsKeptIsKept) {
  for (const Keep keep : {Keep::buffers, Keep::volume, Keep::stated, Keep::job}) {
    ScaleDownQuestion question = asked("dp=2", keep);
    question.base.cluster = "h100-sxm:16";
    question.base.workload = traces("big", "h100-sxm:16",
                                    with(kSmall, {"parallel.tp=2", "parallel.dp=8",
                                                  "parallel.sharding=zero1", "batch.global=32"}));
    Watch watch;
    const auto made = scale_down(question, watch);
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    if (keep == Keep::job) {
      EXPECT_GT(made->is.bytes, made->was.bytes);
    } else {
      EXPECT_DOUBLE_EQ(made->is.flops, made->was.flops);
      EXPECT_DOUBLE_EQ(made->is.bytes, made->was.bytes);
    }
    bool seen = false;
    for (const Carried& one : made->carried) {
      EXPECT_DOUBLE_EQ(one.is_count, one.was_count);
      if (one.axis != "dp" || one.type == "all_reduce") continue;
      seen = true;
      const bool gather = one.type == "all_gather";
      const double shrinks = (1 / 2.0) / (7 / 8.0);  // (n - 1)/n of the buffer
      const double expected = keep == Keep::volume             ? 1
                              : keep == Keep::stated && gather ? 1 / 7.0
                                                               : shrinks;
      EXPECT_NEAR(one.is_sent / one.was_sent, expected, 1e-6) << name(keep) << one.type;
    }
    EXPECT_TRUE(seen);
  }
}

TEST_F(ScaleDownJobs, WhatCannotBeIsRefused) {
  const std::string prefix =
      traces("big", "h100-sxm:16",
             with(kSmall, {"parallel.tp=2", "parallel.pp=4", "parallel.dp=2", "batch.global=16"}));
  const auto error = [&](auto change) {
    ScaleDownQuestion question;
    question.base.workload = prefix;
    question.base.cluster = "h100-sxm:16";
    change(question);
    Watch watch;
    const auto made = scale_down(question, watch);
    EXPECT_FALSE(made.has_value());
    return made ? Errc::output_failed : made.error().code;
  };
  for (const char* ranks :
       {"0", "7", "17", "dp=3", "pp=1", "pp=5", "ep=2", "dp", "dp=", "many", "tp=2,dp=0", "dp=1,,"})
    EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.ranks = ranks; }), Errc::usage) << ranks;
  for (const double batch : {0.0, -1.0, 0.3, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.batch = batch; }), Errc::usage) << batch;
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.ranks = "3"; }), Errc::config_conflict);
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.layers = 0; }), Errc::usage);
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.layers = 7; }), Errc::usage);
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.base.cluster = ""; }),
            Errc::input_unsupported);  // nothing in it has a time
}

}  // namespace
}  // namespace orrery::study
