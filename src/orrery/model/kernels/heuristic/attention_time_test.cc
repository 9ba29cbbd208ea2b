// SPDX-License-Identifier: Apache-2.0
//
// Attention by the heuristic compared with published times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "orrery/core/paths_testing.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/silicon_file.h"
#include "orrery/model/kernels/table/table_file.h"

namespace orrery::model {
namespace {

const std::map<std::string, Silicon>& sheets() {
  static const std::map<std::string, Silicon> by_name = [] {
    const std::string path = std::string(core_testing::kSourceFolder) + "/data/kernels/devices.txt";
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const auto read = read_silicons(text.str(), path);
    EXPECT_TRUE(read);
    std::map<std::string, Silicon> sheets;
    if (read)
      for (const Silicon& is : *read) sheets[is.name] = is;
    return sheets;
  }();
  return by_name;
}

KernelTime predicted(const std::string& device, const graph::Kernel& kernel) {
  const auto time = HeuristicModel().time(kernel, sheets().at(device));
  EXPECT_TRUE(time);
  return time.value_or(KernelTime{});
}

double predicted(const std::string& device, const std::string& kernel) {
  const auto parsed = graph::parse_kernel(kernel);
  EXPECT_TRUE(parsed) << kernel;
  return parsed ? predicted(device, *parsed).seconds : NAN;
}

/// Errors of all published times, by pass, format and whether the architecture's figures are for
/// kernels of training steps (knows_training_attention).
struct Published {
  std::size_t inside = 0;
  std::vector<double> errors;  ///< |predicted / measured - 1|, ascending
  [[nodiscard]] double at(std::size_t percent) const {
    return errors[errors.size() * percent / 100];
  }
};

std::map<std::string, Published> published() {
  const auto read =
      read_measured(std::string(core_testing::kSourceFolder) + "/data/kernels/attention.csv");
  EXPECT_TRUE(read);
  std::map<std::string, Published> groups;
  if (!read) return groups;
  for (const MeasuredKernel& row : read->rows) {
    const std::string& device = read->devices[row.device];
    const KernelTime is = predicted(device, row.kernel);
    std::string name = row.kernel.pass == graph::Pass::forward ? "forward" : "backward";
    if (knows_training_attention(row.kernel, sheets().at(device))) name += " overlapped";
    if (graph::bits_of(row.kernel.a) == 8) name += " 8 bits";
    Published& group = groups[name];
    group.errors.push_back(std::abs(is.seconds / row.seconds - 1));
    group.inside += row.seconds >= is.seconds * (1 + is.band.lower) &&
                    row.seconds <= is.seconds * (1 + is.band.upper);
  }
  for (auto& [name, group] : groups) std::sort(group.errors.begin(), group.errors.end());
  return groups;
}

TEST(HeuristicAttention, TakesAsLongAsItsAuthorsPublish) {
  struct Limits {
    std::size_t rows;
    double median, percentile_90, inside;
  };
  // Of 8 bits, Hopper's backward pass with a mask computes part of what the mask hides.
  const std::map<std::string, Limits> limits = {
      {"forward", {47, 0.13, 0.25, 0.8}},
      {"forward 8 bits", {10, 0.17, 0.2, 0.8}},
      {"forward overlapped", {42, 0.06, 0.16, 0.8}},
      {"forward overlapped 8 bits", {40, 0.04, 0.18, 0.8}},
      {"backward", {95, 0.1, 0.2, 0.8}},
      {"backward 8 bits", {50, 0.1, 0.5, 0.8}}};
  const std::map<std::string, Published> groups = published();
  EXPECT_EQ(groups.size(), limits.size());
  for (const auto& [name, group] : groups) {
    ASSERT_TRUE(limits.contains(name)) << name;
    const Limits& limit = limits.at(name);
    EXPECT_EQ(group.errors.size(), limit.rows) << name;
    EXPECT_LT(group.at(50), limit.median) << name;
    EXPECT_LT(group.at(90), limit.percentile_90) << name;
    EXPECT_GE(static_cast<double>(group.inside), limit.inside * static_cast<double>(limit.rows))
        << name;
  }
}

// Tables of engines that serve have keys and values written into a cache in them: 32 sequences of
// 1,024 tokens, 48 heads, on an H100 take 0.49 ms longer with 48 heads of keys than with 8.
TEST(HeuristicAttention, WritingACacheTakesAsLongAsItsBytes) {
  const auto ms = [](const std::string& kv_heads, const std::string& traits) {
    return 1e3 *
           predicted("h100-sxm",
                     "attention forward bf16,bf16>bf16 batch=32 heads=48 kv_heads=" + kv_heads +
                         " queries=1024 keys=1024 key_dim=128 value_dim=128 causal" + traits);
  };
  const auto caching = [&](const std::string& kv_heads) {
    return ms(kv_heads, " caches") - ms(kv_heads, "");
  };
  EXPECT_NEAR(caching("48") - caching("8"), 0.49, 0.07);
}

// FlashAttention-2 reaches 0.73 of an A100's peak forward and 0.63 backward at best (Dao, 2023).
TEST(HeuristicAttention, AnA100ReachesWhatFlashAttentionPublishes) {
  const std::string sizes =
      " bf16,bf16>bf16 batch=1 heads=16 kv_heads=16 queries=16384 keys=16384 key_dim=128 "
      "value_dim=128";
  const double flops = 4.0 * 16 * 16384 * 16384 * 128, peak = 312e12;
  const double forward = flops / predicted("a100-80gb", "attention forward" + sizes) / peak;
  EXPECT_GT(forward, 0.6);
  EXPECT_LT(forward, 0.73);
}

// The kernels before and after it move numbers only: short sequences pay for them most.
TEST(HeuristicAttention, ShortSequencesPayForWhatSurroundsTheBackwardPass) {
  const auto ratio = [](int batch, int length) {
    const std::string sizes = " bf16,bf16>bf16 batch=" + std::to_string(batch) +
                              " heads=32 kv_heads=8 queries=" + std::to_string(length) +
                              " keys=" + std::to_string(length) +
                              " key_dim=128 value_dim=128 causal";
    return predicted("h100-sxm", "attention backward" + sizes) /
           predicted("h100-sxm", "attention forward" + sizes);
  };
  EXPECT_GT(ratio(16, 1024), ratio(2, 8192));
  EXPECT_GT(ratio(2, 8192), 2.5);
  EXPECT_LT(ratio(16, 1024), 4);
}

// As many heads of keys as of queries need not be said.
TEST(HeuristicAttention, HeadsOfKeysThatAreNotSaidAreThoseOfQueries) {
  for (const std::string pass : {"forward", "backward"})
    for (const std::string queries : {"1", "4096"}) {
      const std::string before = "attention " + pass + " bf16,bf16>bf16 batch=4 heads=32 ";
      const std::string after = "queries=" + queries + " keys=4096 key_dim=128";
      EXPECT_EQ(predicted("h100-sxm", before + after),
                predicted("h100-sxm", before + "kv_heads=32 " + after + " value_dim=128"))
          << pass << queries;
    }
}

}  // namespace
}  // namespace orrery::model
