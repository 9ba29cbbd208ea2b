// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings/shard_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "orrery/core/random.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

class Shard : public testing::Test {
 protected:
  Shard()
      : file_(fs::path(testing::TempDir()) /
              (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               ".csv")) {}
  ~Shard() override { fs::remove(file_); }

  ShardQuestion of(const std::string& rows, std::int64_t devices) const {
    std::ofstream(file_) << "name,rows,features,pooling\n" << rows;
    ShardQuestion question;
    question.tables = file_.string();
    question.devices = devices;
    return question;
  }
  /// Rows and pooling over orders of magnitude.
  [[nodiscard]] ShardQuestion drawn(std::uint64_t seed, int tables, std::int64_t devices) const {
    std::uint64_t bits = mix_bits(seed);
    const auto next = [&] { return uniform_double(bits = mix_bits(bits)); };
    std::string rows;
    for (int i = 0; i < tables; ++i)
      rows += fmt::format("t{},{:.0f},{},{:.0f}\n", i, std::pow(10, 3 + 3 * next()),
                          16 << static_cast<int>(4 * next()), 1 + std::pow(10, 2 * next()));
    return of(rows, devices);
  }

  fs::path file_;
};

ShardAnswer sharded(const ShardQuestion& question) {
  auto made = shard(question);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return made ? *std::move(made) : ShardAnswer{};
}

Errc refused(const ShardQuestion& question) {
  const auto made = shard(question);
  EXPECT_FALSE(made.has_value());
  return made ? Errc::output_failed : made.error().code;
}

TEST_F(Shard, BoundsAndMemoryHoldWithAndWithoutCuts) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ShardQuestion question = drawn(seed, 20, 4 << (seed % 3));
    const ShardAnswer cut = sharded(question);
    question.whole = true;
    const ShardAnswer whole = sharded(question);
    EXPECT_GE(cut.cost.us(), cut.bound_us * (1 - 1e-9)) << seed;
    EXPECT_GE(whole.cost.us(), whole.bound_us * (1 - 1e-9)) << seed;
    EXPECT_LE(cut.cost.us(), whole.cost.us() * (1 + 1e-9)) << seed;
    double bytes = 0;
    for (const ShardDevice& device : cut.loads) {
      EXPECT_LE(device.bytes, cut.memory);
      bytes += device.bytes;
    }
    double tables = 0;
    for (const EmbeddingTable& table : cut.tables) tables += table.bytes();
    EXPECT_NEAR(bytes, tables, 1);
    for (const BaselineCost& one : whole.baselines)
      if (one.cost) {
        EXPECT_LE(whole.cost.us(), one.cost->us()) << model::name(one.sharder);
      }
    EXPECT_EQ(sharded(question).file, whole.file) << "the same seed";
  }
}

// One table takes as long as three devices: halves and quarters of its columns.
TEST_F(Shard, OneLongTableIsCutByColumns) {
  ShardQuestion question = of("long,100000,256,100\nshort,100000,64,2\nother,100000,64,2\n", 4);
  const ShardAnswer cut = sharded(question);
  EXPECT_GT(cut.pieces.size(), 3u);
  std::int64_t features = 0;
  for (const ShardPiece& piece : cut.pieces)
    if (piece.table == 0) features += piece.features;
  EXPECT_EQ(features, 256);
  question.whole = true;
  const ShardAnswer whole = sharded(question);
  EXPECT_LT(cut.cost.us(), 0.6 * whole.cost.us());
  EXPECT_GE(cut.cost.us(), cut.bound_us);
}

TEST_F(Shard, WhatNoDeviceHasRoomForIsCutByRows) {
  ShardQuestion question = of("huge,1000000,64,10\nsmall,1000,64,10\n", 4);
  question.memory = Bytes(100'000'000);  // the table takes 256 MB
  const ShardAnswer made = sharded(question);
  std::int64_t rows = 0;
  for (const ShardPiece& piece : made.pieces)
    if (piece.table == 0 && piece.columns_of == 1) rows += piece.rows;
  EXPECT_EQ(rows, 1'000'000);
  for (const ShardDevice& device : made.loads) EXPECT_LE(device.bytes, 100e6);
  question.whole = true;
  EXPECT_EQ(refused(question), Errc::config_conflict);
  question.whole = false;
  question.memory = Bytes(50'000'000);
  EXPECT_EQ(refused(question), Errc::config_conflict) << "all together do not fit";
}

TEST_F(Shard, DevicesHoldNoMoreTablesThanTheyMay) {
  ShardQuestion question = drawn(3, 20, 8);
  const ShardAnswer free = sharded(question);
  question.most_tables = 3;
  const ShardAnswer few = sharded(question);
  for (const ShardDevice& device : few.loads) EXPECT_LE(device.pieces, 3u);
  EXPECT_GE(few.cost.us(), few.bound_us);
  EXPECT_GE(few.cost.us(), free.cost.us() * (1 - 1e-9));
  for (const BaselineCost& one : few.baselines) EXPECT_TRUE(one.cost) << model::name(one.sharder);
  question.sharder = "size_greedy";
  for (const ShardDevice& device : sharded(question).loads) EXPECT_LE(device.pieces, 3u);
  question.most_tables = 2;
  EXPECT_EQ(refused(question), Errc::config_conflict) << "20 tables, room for 16";
  question.most_tables = -1;
  EXPECT_EQ(refused(question), Errc::usage);
  // Two tables, one of which has to be cut in three.
  question = of("huge,1000000,64,10\nsmall,1000,64,10\n", 3);
  question.memory = Bytes(100'000'000);
  question.most_tables = 1;
  EXPECT_EQ(refused(question), Errc::config_conflict);
  question.most_tables = 2;
  const ShardAnswer cut = sharded(question);
  EXPECT_GE(cut.pieces.size(), 4u);
  for (const ShardDevice& device : cut.loads) EXPECT_LE(device.pieces, 2u);
}

TEST_F(Shard, SpecificationsTakeWhatTheyCanSay) {
  ShardQuestion question = of("a,1000,64,10\nb,2000,64,5\nc,500,64,3\n", 2);
  question.whole = true;
  const ShardAnswer equivalent = sharded(question);
  EXPECT_NE(equivalent.specification.find("placement: ["), std::string::npos);
  EXPECT_NE(equivalent.specification.find("{rows: 2000, pooling: 5}"), std::string::npos);
  EXPECT_EQ(sharded(of("a,1000,64,10\nb,2000,32,5\n", 2)).specification, "");
}

// The run that a placement is simulated in says where tables lie, for its report.
TEST_F(Shard, RunsSayWhereTablesLie) {
  ShardQuestion question = of("a,1000,64,10\nb,2000,64,5\nc,500,64,3\n", 2);
  question.sharder = "naive";
  question.whole = true;
  const fs::path spec = fs::path(file_).replace_extension(".yaml");
  std::ofstream(spec) << sharded(question).specification;
  Question run;
  run.job.spec = {spec.string()};
  run.job.global_batch = "64";
  run.cluster = "h100-sxm:2";
  run.record = true;
  ASSERT_TRUE(settle(run).has_value());
  Watch watch;
  Findings findings;
  const auto outcome = answer(run, watch, findings);
  fs::remove(spec);
  ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
  std::map<std::string, std::string> manifest;
  for (const auto& [key, text] : make_run(*outcome).manifest) manifest[key] = text;
  // fp32 or bf16 is the specification's business: bytes are those of 64 columns.
  const std::string tables = manifest["embedding_tables"];
  EXPECT_EQ(tables.substr(0, 11), "[[0,1000,10") << tables;
  EXPECT_NE(tables.find("],[1,2000,5,"), std::string::npos) << tables;
  EXPECT_NE(tables.find("],[0,500,3,"), std::string::npos) << tables;
}

TEST_F(Shard, WhatCannotBeIsSaid) {
  ShardQuestion question = of("a,1000,64,10\n", 4);
  question.devices = 0;
  EXPECT_EQ(refused(question), Errc::usage);
  question.devices = 4;
  question.sharder = "best";
  EXPECT_EQ(refused(question), Errc::usage);
  question.sharder = "naive";
  EXPECT_EQ(sharded(question).placement, model::Placement{0});
  question.device = "h1000";
  EXPECT_EQ(refused(question), Errc::usage);
  question = of("a,1000,64,10\n", 1);
  EXPECT_EQ(sharded(question).cost.exchange_us, 0) << "no device to exchange with";
  question.tables = "nowhere.csv";
  EXPECT_NE(refused(question), Errc::output_failed);
}

}  // namespace
}  // namespace orrery::study
