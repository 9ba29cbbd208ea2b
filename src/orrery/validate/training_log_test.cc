// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/training_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/findings.h"
#include "orrery/validate/measured_points.h"

namespace orrery::validate {
namespace {

using ::testing::HasSubstr;

TEST(TrainingLog, TheFirstStepWarmsUp) {
  std::string text = "training ...\n";
  for (const char* ms : {"9876.0", "1200.5", "1300.0", "1250.0"})
    text += std::string(
                "0: [2026-01-02] iteration 10/ 100 | consumed samples: 640 | elapsed time per "
                "iteration (ms): ") +
            ms + " | global batch size:    64 | lm loss: 7.1E+00 |\n";
  const auto log = find_training_log(text);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->lines, 4u);
  EXPECT_DOUBLE_EQ(log->median_value, 1250);
  EXPECT_EQ(describe(*log),
            "is a log of Megatron-LM with 4 lines of measurements: 1250 ms per step (median), 64 "
            "sequences per step");
}

TEST(TrainingLog, KnowsOtherTools) {
  const auto of = [](const char* text) {
    const auto log = find_training_log(text);
    return log ? describe(*log) : "none";
  };
  EXPECT_THAT(
      of("[titan] step: 10  loss:  7.1  memory: 40GiB  tps: 5,120  tflops: 300  mfu: 45%\n"),
      HasSubstr("torchtitan with 1 line of measurements: 5120 tokens/s per device"));
  EXPECT_THAT(of("{'train_runtime': 10.5, 'train_steps_per_second': 1.25, 'epoch': 1.0}\n"),
              HasSubstr("Hugging Face with 1 line of measurements: 1.25 steps/s"));
  EXPECT_THAT(
      of("INFO Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: "
         "456.7 tokens/s, Running: 8 reqs\n"),
      HasSubstr("vLLM with 1 line of measurements: 456.7 generated tokens/s"));
  EXPECT_THAT(of("completed step: 7, seconds: 1.5, TFLOP/s/device: 200.1, Tokens/s/device: 5461.3, "
                 "total_weights: 65536, loss: 9.8\n"),
              HasSubstr("MaxText with 1 line of measurements: 5461.3 tokens/s per device"));
  for (const char* text : {"Epoch 0: 10%, v_num=0, train_step_timing in s=5.250]\n",
                           "global_step: 5 | train_step_timing in s: 5.25 | consumed: 128\n"})
    EXPECT_THAT(of(text), HasSubstr("NeMo with 1 line of measurements: 5.25 s per step"));
  EXPECT_THAT(
      of("global_step=10, RunningAvgSamplesPerSec=12.1, CurrSamplesPerSec=12.5, MemA=1GB\n"),
      HasSubstr("DeepSpeed with 1 line of measurements: 12.5 samples/s"));
  EXPECT_THAT(
      of("Decode batch. #running-req: 8, gen throughput (token/s): 812.25, #queue-req: 0\n"),
      HasSubstr("SGLang with 1 line of measurements: 812.25 generated tokens/s"));
  EXPECT_TRUE(find_training_log("gen throughput (token/s): 5\n")->serves);
  EXPECT_EQ(of("elapsed time per iteration (ms): nan |\nid,model\n"), "none");
  EXPECT_EQ(of(""), "none");
}

// A log is no table of steps: the error has what it measured.
TEST(TrainingLog, IsRefusedWithWhatItMeasured) {
  Findings findings;
  const auto points = parse_points("iteration 2/ 9 | elapsed time per iteration (ms): 1250.0 |\n",
                                   "a.log", findings);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().code, Errc::input_unsupported);
  EXPECT_THAT(to_string(points.error()), HasSubstr("1250 ms per step"));
}

}  // namespace
}  // namespace orrery::validate
