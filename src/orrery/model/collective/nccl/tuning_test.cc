// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "orrery/core/paths_testing.h"
#include "orrery/model/collective/nccl/channels.h"

namespace orrery::model::nccl {
namespace {

using graph::CollectiveType;

Hardware dgx(Generation generation) {
  Hardware hardware{.generation = generation};
  switch (generation) {
    case Generation::volta:
      hardware.intra = 150;
      hardware.inter = 12.5;
      break;
    case Generation::ampere:
      hardware.intra = 300;
      hardware.inter = 25;
      break;
    case Generation::hopper:
      hardware.intra = 450;
      hardware.inter = 50;
      break;
    case Generation::blackwell:
      hardware.intra = 900;
      hardware.inter = 50;
      break;
  }
  return hardware;
}

constexpr std::array kGenerations = {Generation::volta, Generation::ampere, Generation::hopper,
                                     Generation::blackwell};

// Ring widths as NCCL prints them for these machines: 12 x 20 GB/s (DGX A100), 12 x 30 (DGX H100),
// 16 heads of 20 for NVLS (spec of this model's data: 16x20).
TEST(NcclChannels, AreThoseOfDgx) {
  EXPECT_EQ(machine_of(dgx(Generation::ampere), {8, 1}).ring, (Channels{12, 20, 20}));
  EXPECT_EQ(machine_of(dgx(Generation::hopper), {8, 1}).ring, (Channels{12, 30, 30}));
  EXPECT_EQ(machine_of(dgx(Generation::hopper), {8, 1}).nvls, (Channels{16, 20, 20}));
  EXPECT_EQ(machine_of(dgx(Generation::hopper), {64, 8}).ring, (Channels{8, 45, 45}));
  EXPECT_EQ(machine_of(dgx(Generation::ampere), {64, 8}).nvls.count, 0);
}

// By hand from the formulas: a ring of 8 in a node, LL: 6.6 + 14 * 0.6 us and min(141, 0.5 * 360)
// GB/s on the bus, 8/14 of it for the buffer.
TEST(NcclTuning, FollowsTheFormulas) {
  const Machine machine = machine_of(dgx(Generation::hopper), {8, 1});
  const Costs all = costs(CollectiveType::all_reduce, 1 << 20, {8, 1}, machine);
  const auto at = [&](Algorithm a, Protocol p) {
    return all[static_cast<std::size_t>(a)][static_cast<std::size_t>(p)];
  };
  const double size = 1 << 20;
  EXPECT_DOUBLE_EQ(at(Algorithm::ring, Protocol::ll),
                   6.6 + 14 * 0.6 + size / (1000 * 141.0 * 8 / 14));
  EXPECT_DOUBLE_EQ(at(Algorithm::ring, Protocol::simple),
                   8.4 + 14 * 3.4 + size / (1000 * 360.0 * 8 / 14));
  // 16 * 20 * 0.85 * 15/16 * 2 GB/s on the bus.
  EXPECT_DOUBLE_EQ(at(Algorithm::nvls, Protocol::simple), 25 + size / (1000 * 510.0 * 8 / 14));
  EXPECT_LT(at(Algorithm::nvls, Protocol::ll), 0);
  EXPECT_LT(at(Algorithm::nvls_tree, Protocol::simple), 0);
  EXPECT_LT(at(Algorithm::pat, Protocol::simple), 0);
}

TEST(NcclTuning, ChoosesAsItDoes) {
  const auto chosen = [](CollectiveType type, std::int64_t bytes, Shape shape,
                         Generation generation = Generation::hopper) {
    const auto choice = choose(type, bytes, shape, machine_of(dgx(generation), shape));
    EXPECT_TRUE(choice);
    return std::pair(choice->algorithm, choice->protocol);
  };
  using enum Algorithm;
  using enum Protocol;
  const auto reduce = CollectiveType::all_reduce;
  EXPECT_EQ(chosen(reduce, 1024, {8, 1}), std::pair(ring, ll));
  EXPECT_EQ(chosen(reduce, 1 << 28, {8, 1}), std::pair(nvls, simple));
  EXPECT_EQ(chosen(reduce, 1 << 28, {8, 1}, Generation::ampere), std::pair(ring, simple));
  EXPECT_EQ(chosen(reduce, 1024, {64, 8}), std::pair(tree, ll));
  EXPECT_EQ(chosen(reduce, 1 << 30, {64, 8}), std::pair(nvls_tree, simple));
  EXPECT_EQ(chosen(CollectiveType::all_gather, 1 << 28, {8, 1}), std::pair(ring, simple));
  EXPECT_EQ(chosen(CollectiveType::broadcast, 1 << 28, {8, 1}), std::pair(ring, simple));
  EXPECT_FALSE(choose(CollectiveType::all_to_all, 1024, {8, 1},
                      machine_of(dgx(Generation::hopper), {8, 1})));
  EXPECT_FALSE(choose(reduce, 1024, {1, 1}, machine_of(dgx(Generation::hopper), {1, 1})));
}

TEST(NcclTuning, FollowsSettings) {
  const Shape shape{8, 1};
  const Machine machine = machine_of(dgx(Generation::hopper), shape);
  const auto type = CollectiveType::all_reduce;
  const auto tree =
      choose(type, 1 << 28, shape, machine, Allowed::only(Algorithm::tree, Protocol::simple));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->algorithm, Algorithm::tree);
  EXPECT_EQ(tree->protocol, Protocol::simple);
  EXPECT_FALSE(
      choose(type, 1 << 28, shape, machine, Allowed::only(Algorithm::pat, Protocol::simple)));
  Allowed few;
  few.max_channels = 4;
  const auto narrow = choose(type, 1 << 28, shape, machine, few);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->channels, 4);
  EXPECT_GT(narrow->us, choose(type, 1 << 28, shape, machine)->us);
}

// Whatever is asked, times are finite and not negative; only the choice of another algorithm may
// make a larger message cheaper, as the shares of trees do.
TEST(NcclTuning, AnswersEverything) {
  for (const Generation generation : kGenerations) {
    for (const bool amd : {false, true}) {
      Hardware hardware = dgx(generation);
      hardware.amd_host = amd;
      for (const Shape shape : {Shape{2, 1}, Shape{8, 1}, Shape{72, 1}, Shape{2, 2}, Shape{16, 2},
                                Shape{1024, 128}, Shape{65536, 65536}, Shape{9, 2}}) {
        const Machine machine = machine_of(hardware, shape);
        for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 50); bytes *= 7) {
          for (const auto type : {CollectiveType::all_reduce, CollectiveType::all_gather,
                                  CollectiveType::reduce_scatter, CollectiveType::broadcast,
                                  CollectiveType::reduce}) {
            const auto choice = choose(type, bytes, shape, machine);
            ASSERT_TRUE(choice);
            EXPECT_GT(choice->us, 0);
            EXPECT_LT(choice->us, 1e15);
          }
        }
      }
    }
  }
}

/// "12:30:45" as channels, "-" as none.
Channels channels_from(const std::string& text) {
  Channels found;
  char colon = 0;
  if (text != "-")
    std::istringstream(text) >> found.count >> colon >> found.intra >> colon >> found.inter;
  return found;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

// tests/oracle/nccl_choices.py works the same out from the tables, sharing nothing with this.
TEST(NcclTuning, AgreesWithASecondImplementation) {
  std::ifstream file(std::string(core_testing::kSourceFolder) + "/tests/oracle/nccl_choices.tsv");
  const std::vector<std::string> generations = {"volta", "ampere", "hopper", "blackwell"};
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line, '\t');
    ASSERT_EQ(words.size(), 17u);
    Machine machine;
    machine.generation = static_cast<Generation>(
        std::find(generations.begin(), generations.end(), words[0]) - generations.begin());
    machine.amd_host = words[1] == "amd_host";
    machine.nvlink = words[1] != "pcie";
    machine.ring = channels_from(words[5]);
    machine.nvls = channels_from(words[6]);
    const Shape shape{std::stoll(words[2]), std::stoll(words[3])};
    if (words[1] == "collnet" && shape.nodes > 1) machine.collnet = machine.ring;
    auto type = CollectiveType::broadcast;
    for (const auto one :
         {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
      if (graph::name(one) == words[4]) type = one;
    for (std::size_t i = 7; i < words.size(); ++i) {
      const std::vector<std::string> predicted = split(words[i], ':');
      const auto choice = choose(type, std::stoll(predicted[0]), shape, machine);
      ASSERT_TRUE(choice) << line;
      EXPECT_EQ(name(choice->algorithm), predicted[1]) << line << ", " << predicted[0];
      EXPECT_EQ(name(choice->protocol), predicted[2]) << line << ", " << predicted[0];
      EXPECT_NEAR(choice->us / std::stod(predicted[3]), 1, 1e-4) << line << ", " << predicted[0];
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4480);
}

TEST(NcclTuning, NamesComeBack) {
  for (std::size_t a = 0; a < kAlgorithms; ++a) {
    const auto algorithm = static_cast<Algorithm>(a);
    EXPECT_EQ(algorithm_named(name(algorithm)), algorithm);
  }
  for (std::size_t p = 0; p < kProtocols; ++p) {
    const auto protocol = static_cast<Protocol>(p);
    EXPECT_EQ(protocol_named(name(protocol)), protocol);
  }
  EXPECT_FALSE(algorithm_named("rings"));
  EXPECT_FALSE(protocol_named(""));
}

}  // namespace
}  // namespace orrery::model::nccl
