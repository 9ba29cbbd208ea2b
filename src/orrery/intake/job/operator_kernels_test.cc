// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/operator_kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/intake/job/job.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;

fs::path traces() { return fs::path(core_testing::kSourceFolder) / "../shared/data/traces"; }

profile::Profile read(const fs::path& path) {
  Findings findings;
  JobOptions options;
  options.traces = {path.string()};
  auto ranks = find_ranks(options, findings);
  EXPECT_TRUE(ranks) << path;
  auto rank = read_rank(ranks->front(), std::make_shared<StringPool>());
  EXPECT_TRUE(rank) << path;
  return std::move(rank->profile);
}

/// How many operators of a name have which kernel: "gemm input_grad transposed_b".
std::map<std::string, int> counted(const profile::Profile& profile) {
  OperatorKernels operators(profile);
  std::map<std::string, int> counts;
  for (profile::EventId e = 0; e < profile.events.size(); ++e) {
    if (profile.events[e].kind != profile::Kind::op) continue;
    const auto kernel = operators.of(e);
    if (!kernel) continue;
    std::string text = std::string(name(kernel->operation)) + " " + std::string(name(kernel->pass));
    for (std::size_t bit = 0; bit < graph::kTraits; ++bit)
      if ((kernel->traits >> bit & 1) != 0) text += " " + std::string(graph::trait_name(bit));
    ++counts[text];
  }
  return counts;
}

// Hugging Face's GPT-2 with 36 layers of four products, and the logits; its weights are stored
// inputs × outputs, so that the gradients of inputs read them transposed.
TEST(RealOperators, OfGpt2HaveTheirGradients) {
  const fs::path path = traces() / "param/hf_GPT2_et.json.tar.gz";
  if (!fs::exists(path)) GTEST_SKIP() << "no real traces at ../shared/data/traces";
  const profile::Profile profile = read(path);
  const auto counts = counted(profile);
  const auto count = [&](const char* what) {
    const auto found = counts.find(what);
    return found == counts.end() ? 0 : found->second;
  };
  constexpr int kLayers = 36;
  EXPECT_EQ(count("gemm forward bias"), 4 * kLayers);
  EXPECT_EQ(count("gemm input_grad transposed_b"), 4 * kLayers);
  EXPECT_EQ(count("gemm weight_grad transposed_a"), 4 * kLayers + 1);
  EXPECT_EQ(count("gemm input_grad"), 1);  // of the logits, whose weights are outputs × inputs
  EXPECT_EQ(count("batched_gemm forward"), 2 * kLayers);
  EXPECT_EQ(count("batched_gemm input_grad"), 2 * kLayers);
  EXPECT_EQ(count("batched_gemm weight_grad"), 2 * kLayers);
  EXPECT_EQ(count("layer_norm forward"), 2 * kLayers + 1);
  EXPECT_EQ(count("layer_norm backward"), 2 * kLayers + 1);
  EXPECT_EQ(count("softmax forward"), kLayers + 1);
  EXPECT_EQ(count("softmax input_grad"), kLayers + 1);
  EXPECT_EQ(count("activation forward"), kLayers);
  EXPECT_EQ(count("activation input_grad"), kLayers);
  EXPECT_EQ(count("dropout forward"), 3 * kLayers + 1);
  EXPECT_EQ(count("dropout input_grad"), 3 * kLayers + 1);
  EXPECT_EQ(count("embedding weight_grad"), 2);
  EXPECT_EQ(count("reduction weight_grad"), 4 * kLayers);  // of biases
}

// A convolution's gradients; twenty layers, the first without a gradient of the picture.
TEST(RealOperators, OfResnetHaveTheirConvolutions) {
  const fs::path path = traces() / "tracelens/mi300~resnet_act_checkpoint.json.gz";
  if (!fs::exists(path)) GTEST_SKIP() << "no real traces at ../shared/data/traces";
  const auto counts = counted(read(path));
  EXPECT_GT(counts.at("convolution forward"), 3 * 20);  // some are made again
  EXPECT_EQ(counts.at("convolution backward") + counts.at("convolution weight_grad"), 3 * 20);
  EXPECT_EQ(counts.at("convolution weight_grad"), 3);
  EXPECT_EQ(counts.at("batch_norm backward"), 3 * 20);
}

}  // namespace
}  // namespace orrery::intake
