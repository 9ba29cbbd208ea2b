// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/heuristic_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace orrery::model {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;

Silicon h100() {
  Silicon is;
  is.name = "h100-sxm";
  is.architecture = "hopper";
  is.peak[static_cast<std::size_t>(Format::bf16)] = 989.4e12;
  is.peak[static_cast<std::size_t>(Format::fp8)] = 1978.9e12;
  is.peak[static_cast<std::size_t>(Format::fp32)] = 66.9e12;
  is.vector = 66.9e12;
  is.memory = 3.35e12;
  is.l2_bytes = 50e6;
  is.clock = 1.83e9;
  is.power = 700;
  is.processors = 132;
  return is;
}

double seconds(const std::string& kernel, const Silicon& silicon = h100()) {
  const auto parsed = graph::parse_kernel(kernel);
  EXPECT_TRUE(parsed) << kernel;
  const auto time = HeuristicModel().time(*parsed, silicon);
  EXPECT_TRUE(time) << kernel;
  return time ? time->seconds : NAN;
}

TEST(Heuristic, LongProductsReachAShareOfThePeak) {
  const double flops = 2.0 * 8192 * 8192 * 8192;
  const double bf16 = seconds("gemm forward bf16,bf16>bf16 m=8192 n=8192 k=8192");
  EXPECT_GT(flops / bf16, 0.65 * 989.4e12);
  EXPECT_LT(flops / bf16, 0.85 * 989.4e12);
  const double fp8 = seconds("gemm forward fp8,fp8>bf16 m=8192 n=8192 k=8192");
  EXPECT_LT(fp8, 0.8 * bf16);
  const double fp32 = seconds("gemm forward fp32,fp32>fp32 m=8192 n=8192 k=8192");
  EXPECT_GT(fp32, flops / 66.9e12);
}

TEST(Heuristic, ProductsOfMoreTilesThanFitIntoWholeNumbersTakeTheirTimeToo) {
  const double side = 0x1p62;
  const double long_time = seconds(
      "gemm forward bf16,bf16>bf16 m=4611686018427387904 n=4611686018427387904 "
      "k=4611686018427387904");
  EXPECT_GT(long_time, 2 * side * side * side / 989.4e12);
  EXPECT_TRUE(std::isfinite(long_time));
}

TEST(Heuristic, ThinProductsWaitForMemory) {
  const double thin = seconds("gemm forward bf16,bf16>bf16 m=1 n=16384 k=16384");
  const double bytes = 2.0 * 16384 * 16384;
  EXPECT_GT(thin, bytes / 3.35e12);
  EXPECT_LT(thin, 1.5 * bytes / 3.35e12);
}

// What a wider output moves stands behind the products; where memory decides it always did.
TEST(Heuristic, GradientsPayForWhatTheyMoveBeyondAnOutput) {
  const std::string shape = " m=7168 n=4096 k=4096";
  const double plain = seconds("gemm weight_grad bf16,bf16>bf16" + shape);
  const double wide = seconds("gemm weight_grad bf16,bf16>fp32" + shape);
  const double added = seconds("gemm weight_grad bf16,bf16>fp32" + shape + " accumulates");
  const double outputs = 7168.0 * 4096;
  EXPECT_GT(wide - plain, outputs * 2 / 3.35e12);
  EXPECT_NEAR((added - plain) / (wide - plain), 3, 1e-9) << "6 bytes more instead of 2";
  EXPECT_LT(added, 1.3 * plain);
  // fp8 products are measured with outputs of 16 bits.
  const double fp8 = seconds("gemm weight_grad fp8,fp8>bf16" + shape);
  EXPECT_NEAR(seconds("gemm weight_grad fp8,fp8>fp32" + shape + " accumulates") - fp8,
              added - plain, 1e-12);
  EXPECT_EQ(seconds("gemm forward fp32,fp32>fp32" + shape),
            seconds("gemm forward fp32,fp32>unsaid" + shape));
}

TEST(Heuristic, ATileBeyondAWholeWaveCostsAnotherWave) {
  // 132 processors: 11 × 12 tiles of 256 × 128 fill them once.
  const double full = seconds("gemm forward bf16,bf16>bf16 m=2816 n=1536 k=8192");
  const double over = seconds("gemm forward bf16,bf16>bf16 m=2816 n=1664 k=8192");
  EXPECT_GT(over, 1.15 * full);
}

TEST(Heuristic, MoreOfAnythingIsNeverFaster) {
  for (const char* const text :
       {"gemm forward bf16,bf16>bf16 m=%d n=512 k=4096",
        "batched_gemm forward bf16,bf16>bf16 batch=%d m=128 n=128 k=64",
        "grouped_gemm forward bf16,bf16>bf16 groups=8 rows=%d n=2048 k=1024",
        "attention forward bf16,bf16>bf16 batch=%d heads=16 kv_heads=4 queries=512 keys=512 "
        "key_dim=128 value_dim=128 causal",
        "layer_norm forward fp32,fp32>fp32 rows=%d features=4096",
        "elementwise forward bf16,bf16>bf16 elements=%d"}) {
    double before = 0;
    for (int size = 1; size <= 1 << 16; size *= 2) {
      std::string kernel(text);
      kernel.replace(kernel.find("%d"), 2, std::to_string(size));
      const double now = seconds(kernel);
      EXPECT_GE(now, before * 0.999) << kernel;
      before = now;
    }
  }
}

// AIConfigurator times experts with all that hands them their rows, and so does a kernel that says
// from how many tokens these came; rows that lie ready are a product alone.
TEST(Heuristic, RowsThatAreGatheredTakeLongerThanRowsThatLieReady) {
  const std::string ready = "grouped_gemm forward bf16,bf16>bf16 groups=8 rows=8192 n=1024 k=2048";
  const double alone = seconds(ready);
  const double gathered = seconds(ready + " tokens=4096 chosen=2 experts=8");
  EXPECT_GT(gathered, alone + 10e-6);
  EXPECT_LT(seconds(ready + " tokens=1024 chosen=8 experts=8"), gathered);  // fewer to sum up to
}

TEST(Heuristic, FewLongRowsKeepFewProcessorsBusy) {
  const std::string cast = "cast forward bf16,bf16>fp8 elements=65536";
  EXPECT_GT(seconds(cast + " features=65536"), 2 * seconds(cast + " features=512"));
  EXPECT_GT(seconds("cast forward bf16,bf16>fp8 elements=524288 features=32"),
            2 * seconds("cast forward bf16,bf16>fp8 elements=524288 features=4096"));
  const std::string large = "cast forward bf16,bf16>fp8 elements=16777216";
  EXPECT_DOUBLE_EQ(seconds(large), seconds(large + " features=4096"));
}

// A recording of TimeSformer on an H100: 301,056 rows of 8 took 7.7 us, a warp each.
TEST(Heuristic, ShortRowsShareABlock) {
  EXPECT_LT(seconds("softmax forward bf16,unsaid>bf16 rows=301056 features=8"), 20e-6);
}

TEST(Heuristic, RowsThatDoNotBeginAt16BytesAreReadOneByOne) {
  const std::string softmax = "softmax forward bf16,unsaid>bf16 rows=100000 features=";
  EXPECT_GT(seconds(softmax + "3137"), 2 * seconds(softmax + "3136"));
  const std::string scores = "batched_gemm forward bf16,bf16>bf16 batch=96 m=3137 k=64 n=";
  EXPECT_GT(seconds(scores + "3137"), 2 * seconds(scores + "3136"));
  const std::string wide = "softmax forward fp32,unsaid>fp32 rows=100000 features=";
  EXPECT_NEAR(seconds(wide + "3137") / seconds(wide + "3136"), 1, 0.01);
}

// A recording of TimeSformer on an H100: 40.9, 108.4 and 863.1 us; one of ViT: 98.2 us.
TEST(Heuristic, BatchesOfSmallProductsShareProcessors) {
  const std::string small = "batched_gemm forward bf16,bf16>bf16 batch=37632 m=8";
  EXPECT_NEAR(seconds(small + " n=8 k=64"), 40.9e-6, 6e-6);
  EXPECT_NEAR(seconds(small + " n=64 k=8"), 108.4e-6, 6e-6);
  // Vector units are as they were measured: half of the tile is empty, and no warps are counted.
  EXPECT_GT(seconds("batched_gemm forward fp32,fp32>fp32 batch=37632 m=8 n=8 k=64"), 100e-6);
}

TEST(Heuristic, PicturesInPatchesPayForChannelsThatAreNotThere) {
  const std::string sizes = "out=768 height=14 width=14 filter_h=16 filter_w=16 stride=";
  const std::string three = "convolution forward bf16,bf16>bf16 batch=128 in=3 " + sizes;
  EXPECT_NEAR(seconds(three + "16"), 863.1e-6, 40e-6);
  EXPECT_NEAR(seconds("convolution forward bf16,bf16>bf16 batch=4 in=3 " + sizes + "16"), 98.2e-6,
              5e-6);
  EXPECT_LT(seconds(three + "1"), 200e-6) << "filters that overlap run another kernel";
  const std::string wide = "convolution forward bf16,bf16>bf16 batch=128 in=32 " + sizes;
  EXPECT_LT(seconds(wide + "16"), seconds(three + "16")) << "a product's tiles";
  Silicon cdna = h100();
  cdna.architecture = "cdna3";
  const std::string eight = "convolution forward bf16,bf16>bf16 batch=128 in=8 " + sizes;
  EXPECT_LT(seconds(three + "16", cdna), seconds(three + "16") / 2) << "not cuDNN's";
  EXPECT_NEAR(seconds(three + "16", cdna), seconds(eight + "16", cdna), 20e-6) << "padded to 8";
}

TEST(Heuristic, SmallProductsOccupyAProcessorEachOnAmd) {
  const std::string small = "batched_gemm forward bf16,bf16>bf16 batch=37632 m=8 n=64 k=8";
  Silicon cdna = h100();
  cdna.architecture = "cdna3";
  // 286 rounds of 132 processors with 2 us each; CUTLASS has 32 tiles per processor.
  EXPECT_GT(seconds(small, cdna), 286 * 2e-6);
  EXPECT_LT(seconds(small, cdna), 286 * 2.2e-6);
  EXPECT_GT(seconds(small, cdna), 4 * seconds(small));
}

TEST(Heuristic, DecodingLatentAttentionReadsItsValuesWithItsKeys) {
  const std::string sizes = " heads=128 kv_heads=1 queries=1 keys=8192 key_dim=";
  const std::string few = "attention forward bf16,bf16>bf16 batch=64" + sizes;
  const double latent = seconds(few + "576 value_dim=512");
  const double bytes = 2.0 * 64 * 8192 * 576;
  EXPECT_GT(latent, bytes / 3.35e12);
  EXPECT_LT(latent, seconds(few + "576 value_dim=576"));
  EXPECT_GT(latent, 2.0 * 64 * 128 * 8192 * (576 + 512) / 989.4e12) << "128 heads multiply";
}

Silicon a100() {
  Silicon is;
  is.name = "a100-80gb";
  is.architecture = "ampere";
  is.peak[static_cast<std::size_t>(Format::bf16)] = 312e12;
  is.vector = 19.5e12;
  is.memory = 2.039e12;
  is.l2_bytes = 40e6;
  is.clock = 1.41e9;
  is.power = 400;
  is.processors = 108;
  return is;
}

// AIConfigurator's table of TensorRT-LLM on an A100: 15.5 ms for one sequence and for 32 of
// 131,072 keys, 126 us for one of 1,024.
TEST(Heuristic, WhereNoKernelSharesKeysADecodeWalksThroughThem) {
  const auto decode = [](int batch, int keys, const Silicon& on) {
    return seconds("attention forward bf16,bf16>bf16 batch=" + std::to_string(batch) +
                       " heads=64 kv_heads=1 queries=1 keys=" + std::to_string(keys) +
                       " key_dim=576 value_dim=512 causal",
                   on);
  };
  EXPECT_NEAR(decode(1, 131072, a100()), 15.5e-3, 1.5e-3);
  EXPECT_NEAR(decode(1, 1024, a100()), 126e-6, 13e-6);
  EXPECT_EQ(decode(32, 131072, a100()), decode(1, 131072, a100()));
  EXPECT_GT(decode(128, 131072, a100()), 2 * decode(1, 131072, a100())) << "two waves";
  EXPECT_LT(decode(1, 131072, h100()), decode(1, 131072, a100()) / 50) << "H100s share them";
}

// A block has so many heads of queries, whether they are there or not.
TEST(Heuristic, AWalkTakesHeadsBySixtyFours) {
  const std::string rest = " kv_heads=1 queries=1 keys=4096 key_dim=576 value_dim=512 causal";
  const auto decode = [&](const std::string& sizes) {
    return seconds("attention forward bf16,bf16>bf16 " + sizes + rest, a100());
  };
  EXPECT_EQ(decode("batch=8 heads=1"), decode("batch=8 heads=64"));
  EXPECT_EQ(decode("batch=64 heads=128"), decode("batch=128 heads=64"));
}

// What the last blocks of a prefill leave idle, only latent attention's kernels show, and only
// where processors have several.
TEST(Heuristic, LatentPrefillWaitsForItsLastBlocks) {
  const auto prefill = [](int heads, int queries, int value_dim, const std::string& pass) {
    return seconds("attention " + pass + " bf16,bf16>bf16 batch=1 heads=" + std::to_string(heads) +
                   " kv_heads=" + std::to_string(heads) + " queries=" + std::to_string(queries) +
                   " keys=" + std::to_string(queries) +
                   " key_dim=192 value_dim=" + std::to_string(value_dim) + " causal");
  };
  // 256 blocks on 132 processors: measured 444 us on an H100, 1.35 times what the work amounts to.
  EXPECT_NEAR(prefill(2, 16384, 128, "forward"), 444e-6, 45e-6);
  EXPECT_LT(prefill(2, 16384, 192, "forward"), prefill(2, 16384, 128, "forward"));
  EXPECT_LT(prefill(128, 16384, 128, "forward"), prefill(128, 16384, 192, "forward"));
  EXPECT_LT(prefill(2, 16384, 128, "backward"), prefill(2, 16384, 192, "backward"))
      << "of which no more is measured";
}

TEST(Heuristic, ABatchOfProductsTakesLongerToBegin) {
  const double batch = seconds("batched_gemm forward bf16,bf16>bf16 batch=1 m=64 n=128 k=512");
  EXPECT_NEAR(batch - seconds("gemm forward bf16,bf16>bf16 m=64 n=128 k=512"), 1e-6, 1e-9);
  const std::string single = "_gemm forward fp32,fp32>fp32 batch=1 m=64 n=128 k=512";
  EXPECT_EQ(seconds("batched" + single), seconds("gemm forward fp32,fp32>fp32 m=64 n=128 k=512"));
}

TEST(Heuristic, BlackwellUltraHasTwiceTheExponentials) {
  Silicon chip = h100();
  chip.architecture = "blackwell";
  const auto time = [&] {
    return HeuristicModel()
        .time(*graph::parse_kernel("attention forward bf16,bf16>bf16 batch=8 heads=64 kv_heads=64 "
                                   "queries=8192 keys=8192 key_dim=64 value_dim=64"),
              chip)
        ->seconds;
  };
  const double before = time();
  chip.architecture = "blackwell-ultra";
  EXPECT_LT(time(), 0.9 * before);
}

TEST(Heuristic, GradientsOfALinearLayerTakeAboutAsLongAsItsForwardPass) {
  const double forward = seconds("gemm forward bf16,bf16>bf16 m=8192 n=4096 k=2048");
  EXPECT_NEAR(seconds("gemm input_grad bf16,bf16>bf16 m=8192 n=2048 k=4096") / forward, 1, 0.25);
  EXPECT_NEAR(seconds("gemm weight_grad bf16,bf16>fp32 m=4096 n=2048 k=8192 accumulates") / forward,
              1, 0.3);
}

Silicon older(const std::string& architecture, int processors, double memory, double cache) {
  Silicon is;
  is.architecture = architecture;
  is.peak[static_cast<std::size_t>(Format::fp32)] = is.vector = 10e12;
  is.memory = memory;
  is.l2_bytes = cache;
  is.clock = 1.4e9;
  is.processors = processors;
  return is;
}

// So many numbers in rows that are twice as long take as long, unless caches no longer hold them.
TEST(Heuristic, SoftmaxOfRowsThatCachesDoNotHoldReadsThemAgain) {
  const auto longer = [](const Silicon& on, int row) {
    const auto of = [&](int rows, int features) {
      return seconds("softmax forward fp32,fp32>fp32 rows=" + std::to_string(rows) +
                         " features=" + std::to_string(features),
                     on);
    };
    return of(32768, row) / of(65536, row / 2);
  };
  const Silicon v100 = older("volta", 80, 900e9, 6e6), l4 = older("ada", 58, 300e9, 48e6);
  EXPECT_NEAR(longer(v100, 4096), 1, 0.01);
  EXPECT_GT(longer(v100, 8192), 1.3) << "measured 1.56";
  EXPECT_NEAR(longer(l4, 16384), 1, 0.01);
  const auto forward = [&](const std::string& pass) {
    return seconds("softmax " + pass + " fp32,fp32>fp32 rows=32768 features=16384", v100);
  };
  EXPECT_NEAR(forward("backward") / forward("forward"), 1.5 / 1.75, 0.05)
      << "for which no repeated reads are measured";
}

TEST(Heuristic, LessArrivesOfTheFirstStackedMemory) {
  const std::string copy = "copy forward fp32,fp32>fp32 elements=1000000000";
  const double stacks = seconds(copy, older("pascal", 56, 732e9, 4e6));
  EXPECT_NEAR(8e9 / stacks / 732e9, 0.76, 0.01);
  EXPECT_NEAR(8e9 / seconds(copy, older("pascal", 20, 192e9, 2e6)) / 192e9, 0.8, 0.01);
}

TEST(Heuristic, AWindowSavesAttention) {
  const std::string sizes =
      "attention forward bf16,bf16>bf16 batch=1 heads=32 kv_heads=8 queries=32768 keys=32768 "
      "key_dim=128 value_dim=128";
  EXPECT_LT(seconds(sizes + " window=1024 causal"), 0.2 * seconds(sizes + " causal"));
  EXPECT_LT(seconds(sizes + " causal"), 0.6 * seconds(sizes));
}

TEST(Heuristic, LaunchesShareTheSizes) {
  const double one = seconds("elementwise forward bf16,bf16>bf16 elements=1000000");
  const double ten = seconds("elementwise forward bf16,bf16>bf16 elements=10000000 launches=10");
  EXPECT_NEAR(ten / one, 10, 1e-6);
}

TEST(Heuristic, AnswersForEveryOperationOnADeviceThatIsBarelyKnown) {
  Silicon bare;
  bare.memory = 1e12;
  bare.peak[static_cast<std::size_t>(Format::bf16)] = 100e12;
  for (std::size_t operation = 0; operation < graph::kOperations; ++operation)
    for (std::size_t pass = 0; pass < graph::kPasses; ++pass)
      for (std::size_t format = 0; format < graph::kFormats; ++format)
        for (const std::int64_t size :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}, std::int64_t{1} << 40}) {
          Kernel kernel;
          kernel.operation = static_cast<Operation>(operation);
          kernel.pass = static_cast<graph::Pass>(pass);
          kernel.a = kernel.b = kernel.out = static_cast<Format>(format);
          kernel.sizes.fill(size);
          const auto time = HeuristicModel().time(kernel, bare);
          ASSERT_TRUE(time) << to_text(kernel);
          EXPECT_TRUE(std::isfinite(time->seconds) && time->seconds > 0) << to_text(kernel);
          EXPECT_TRUE(time->extrapolated);
          EXPECT_LT(time->band.lower, time->band.upper);
        }
}

TEST(Heuristic, SaysNothingOfADeviceWithoutMemory) {
  Silicon blank = h100();
  blank.memory = 0;
  EXPECT_FALSE(HeuristicModel().time(
      *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=8 n=8 k=8"), blank));
}

TEST(Heuristic, WhatNoSizesSayFollowsFromOperationsAndBytes) {
  EXPECT_NEAR(seconds("unsaid forward bf16,bf16>bf16 bytes=3350000000"), 1.0e-3 / 0.88, 2e-4);
  EXPECT_GT(seconds("gemm forward bf16,bf16>bf16 flops=989400000000000"), 1.0);
}

// Bytes per fp32 number of relu, addition and softmax as published by Lin et al. (TPDS 2024)
// section 4.2 and owensgroup/ml_perf_model.
TEST(Heuristic, MemoryBoundKernelsMoveThePublishedBytes) {
  const auto bytes = [](const char* text) { return bytes_of(*graph::parse_kernel(text)) / 1000; };
  EXPECT_EQ(bytes("activation forward fp32,unsaid>fp32 elements=1000"), 8);
  EXPECT_EQ(bytes("elementwise forward fp32,unsaid>fp32 elements=1000"), 12);
  EXPECT_EQ(bytes("softmax forward fp32,unsaid>fp32 rows=10 features=100"), 8);
}

TEST(Heuristic, OfAChipWithoutItsProcessorsIsAsFastAsItsPeakSays) {
  // GB200's data sheet without what is inside: within a tenth of what it is with it.
  Silicon known;
  known.architecture = "blackwell";
  known.peak[static_cast<std::size_t>(graph::Format::bf16)] = 2500e12;
  known.memory = 8e12;
  Silicon unknown = known;
  known.processors = 152;
  known.clock = 2.062e9;
  graph::Kernel kernel;
  kernel.operation = graph::Operation::gemm;
  kernel.a = kernel.b = kernel.out = graph::Format::bf16;
  kernel.sizes = {8192, 8192, 8192};
  const auto with = HeuristicModel().time(kernel, known);
  const auto without = HeuristicModel().time(kernel, unknown);
  ASSERT_TRUE(with && without);
  EXPECT_NEAR(without->seconds / with->seconds, 1, 0.1);
}

}  // namespace
}  // namespace orrery::model
