// SPDX-License-Identifier: Apache-2.0
//
// Damaged, truncated and foreign checkpoints, and runs that cannot be saved: one error each.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "orrery/core/effort_testing.h"
#include "orrery/network/fluid_network_testing.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

namespace fs = std::filesystem;
using testing::Rank;

class CheckpointFiles : public ::testing::Test {
 protected:
  CheckpointFiles() {
    fs::create_directories(folder_);
    Rank rank;
    for (int step = 0; step < 4; ++step) {
      const auto work = rank.comp(us(3));
      rank.coll(graph::CollectiveType::all_reduce, 4000, {work});
    }
    workload_ = testing::replicated(rank, 4);
    options_.checkpoints.job = "job";
    options_.fold = true;
  }
  ~CheckpointFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] Result<SimResult> run(const Checkpoints& checkpoints) {
    Options options = options_;
    options.checkpoints = checkpoints;
    return simulate(workload_, platform_, options);
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  /// The bytes of a checkpoint in the middle of the run.
  [[nodiscard]] std::string saved() {
    const auto done = run({.file = path("whole"), .at = us(9), .job = "job"});
    EXPECT_TRUE(done.has_value());
    std::ifstream in(path("whole"), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] Result<SimResult> resume(const std::string& bytes, const char* job = "job") {
    std::ofstream(path("copy"), std::ios::binary) << bytes;
    return run({.resume = path("copy"), .job = job});
  }
  static Errc code_of(const Result<SimResult>& result) {
    return result ? Errc::usage : result.error().code;
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / "orrery_checkpoint_files";
  platform::Platform platform_ = testing::line(platform::Block::ring, 4);
  graph::Workload workload_;
  Options options_;
};

TEST_F(CheckpointFiles, ContinueARun) {
  const auto whole = run({});
  const auto resumed = resume(saved());
  ASSERT_TRUE(resumed.has_value()) << to_string(resumed.error());
  EXPECT_EQ(resumed->end, whole->end);
  EXPECT_EQ(resumed->events, whole->events);
}

TEST_F(CheckpointFiles, EveryChangedByteIsAnError) {
  const std::string bytes = saved();
  const std::size_t step = core_testing::case_count<std::size_t>(1, bytes.size() / 200 + 1);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto result = resume(damaged);
      ASSERT_FALSE(result.has_value()) << "byte " << at;
      EXPECT_EQ(result.error().where, path("copy"));
      EXPECT_TRUE(code_of(result) == Errc::input_corrupt ||
                  code_of(result) == Errc::input_unsupported)
          << to_string(result.error());
    }
  }
}

TEST_F(CheckpointFiles, TruncatedAndLongerFilesAreErrors) {
  const std::string bytes = saved();
  const std::size_t step = core_testing::case_count<std::size_t>(1, bytes.size() / 200 + 1);
  for (std::size_t size = 0; size < bytes.size(); size += step)
    EXPECT_EQ(code_of(resume(bytes.substr(0, size))), Errc::input_corrupt) << size;
  EXPECT_EQ(code_of(resume(bytes + '\0')), Errc::input_corrupt);
  EXPECT_EQ(code_of(resume(bytes + bytes)), Errc::input_corrupt);
}

TEST_F(CheckpointFiles, RandomBytesAreErrors) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = i % 2 == 0 ? "orrerycp" : "";
    for (std::uint64_t left = random() % 300; left > 0; --left)
      bytes += static_cast<char>(random());
    EXPECT_FALSE(resume(bytes).has_value());
  }
}

TEST_F(CheckpointFiles, AnotherVersionOrJobIsRefused) {
  std::string bytes = saved();
  EXPECT_EQ(code_of(resume(bytes, "another")), Errc::config_conflict);
  const graph::Workload workload = workload_;
  Rank other;
  other.comp(us(3));
  workload_ = testing::replicated(other, 4);
  EXPECT_EQ(code_of(resume(bytes)), Errc::config_conflict);
  workload_ = workload;
  options_.fold = false;
  EXPECT_EQ(code_of(resume(bytes)), Errc::config_conflict);
  options_.fold = true;
  EXPECT_TRUE(resume(bytes).has_value());
  ++bytes[8];  // the version of the format
  EXPECT_EQ(code_of(resume(bytes)), Errc::input_unsupported);
}

TEST_F(CheckpointFiles, MissingFilesAndFoldersAreErrors) {
  EXPECT_EQ(code_of(run({.resume = path("none"), .job = "job"})), Errc::input_not_found);
  EXPECT_EQ(code_of(run({.resume = folder_.string(), .job = "job"})), Errc::input_not_found);
  (void)saved();
  EXPECT_EQ(code_of(run({.file = path("whole/inside"), .at = us(1), .job = "job"})),
            Errc::output_failed);
}

TEST_F(CheckpointFiles, RunsThatCannotBeSavedAreRefused) {
  for (const Checkpoints& one :
       {Checkpoints{.file = path("new"), .at = us(1)}, Checkpoints{.resume = path("whole")}}) {
    (void)saved();
    Options options = options_;
    options.checkpoints = one;
    options.record = true;
    options.checkpoints.job = "job";
    const auto recorded = simulate(workload_, platform_, options);
    EXPECT_EQ(code_of(recorded), Errc::config_conflict);
    EXPECT_NE(recorded.error().what.find("cannot be saved"), std::string::npos);
  }
  Options options = options_;
  options.checkpoints = {.file = path("new"), .at = us(1)};
  options.network = [](const platform::Platform&) {
    return std::make_unique<model::testing::FluidNetwork>(4, 512'000, 1e11);
  };
  const auto foreign = simulate(workload_, platform_, options);
  EXPECT_EQ(code_of(foreign), Errc::config_conflict);
  EXPECT_FALSE(fs::exists(path("new")));
}

// The comparison of iterations continues where it was: as many are skipped.
TEST_F(CheckpointFiles, KeepWhatIsKnownOfIterations) {
  Rank rank;
  std::uint64_t last = rank.comp(us(1));
  for (int step = 0; step < 60; ++step) {
    const auto work = rank.comp(us(3), {last});
    last = rank.coll(graph::CollectiveType::all_reduce, 4000, {work});
  }
  workload_ = testing::replicated(rank, 4);
  const auto whole = run({});
  ASSERT_GT(whole->savings.iterations_skipped, 10u);
  for (const Time at : {ns(500), us(2), us(9), us(15), us(40), us(80), whole->end - ns(1)}) {
    const auto saved = run({.file = path("whole"), .at = at, .job = "job"});
    const auto resumed = run({.resume = path("whole"), .job = "job"});
    ASSERT_TRUE(resumed.has_value()) << to_string(resumed.error());
    for (const auto* one : {&saved, &resumed}) {
      EXPECT_EQ((*one)->end, whole->end) << at.count();
      EXPECT_EQ((*one)->events, whole->events) << at.count();
      EXPECT_EQ((*one)->savings.iterations_skipped, whole->savings.iterations_skipped)
          << at.count();
    }
  }
}

TEST_F(CheckpointFiles, AreWrittenWhenTheyAreDue) {
  Rank rank;
  for (int step = 0; step < 40'000; ++step) rank.comp(ns(step));
  workload_ = testing::replicated(rank, 4);
  int asked = 0;
  const auto whole = run({});
  const auto saved =
      run({.file = path("due"), .is_due = [&] { return ++asked == 2; }, .job = "job"});
  ASSERT_TRUE(saved.has_value());
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(saved->end, whole->end);
  const auto resumed = run({.resume = path("due"), .job = "job"});
  ASSERT_TRUE(resumed.has_value()) << to_string(resumed.error());
  EXPECT_EQ(resumed->end, whole->end);
  EXPECT_EQ(resumed->events, whole->events);
}

}  // namespace
}  // namespace orrery::sim
