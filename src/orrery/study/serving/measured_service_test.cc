// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/measured_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace orrery::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The form of vLLM's benchmarks/serve.py; made-up values.
constexpr std::string_view kVllm = R"({"date": "20260301-101112", "endpoint_type": "vllm",
  "model_id": "meta-llama/Llama-3.1-8B", "num_prompts": 4, "request_rate": 8.0, "burstiness": 0.5,
  "max_concurrency": null, "duration": 2.5, "completed": 4, "total_input_tokens": 4000,
  "total_output_tokens": 400, "request_throughput": 1.6, "output_throughput": 160.0,
  "mean_ttft_ms": 45.5, "p99_ttft_ms": 90, "mean_tpot_ms": 20.0, "mean_e2el_ms": 2025.0,
  "input_lens": [900, 1100, 1000, 1000], "output_lens": [50, 150, 100, 100], "itls": [[0.02]]})";

constexpr std::string_view kTable =
    "INFO 1 reqs\n============ Serving Benchmark Result ============\n"
    "Successful requests:                     4\n"
    "Total input tokens:                      4000\n"
    "Total generated tokens:                  400\n"
    "Request throughput (req/s):              1.60\n"
    "Mean TTFT (ms):                          45.50\n"
    "Mean TPOT (ms):                          20.00\n";

double value_of(const MeasuredService& made, std::string_view key) {
  for (const MeasuredValue& one : made.values)
    if (one.key == key) return one.value;
  return -1;
}

MeasuredService result_of(std::string_view text) {
  const auto made = parse_measured_service(text, "r.json");
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made.value_or(MeasuredService{});
}

TEST(MeasuredService, ReadsVllmsResult) {
  const MeasuredService made = result_of(kVllm);
  EXPECT_DOUBLE_EQ(value_of(made, "ttft_mean"), 0.0455);
  EXPECT_DOUBLE_EQ(value_of(made, "ttft_p99"), 0.09);
  EXPECT_DOUBLE_EQ(value_of(made, "latency_mean"), 2.025);
  EXPECT_DOUBLE_EQ(value_of(made, "output_tokens_per_s"), 160);
  EXPECT_EQ(made.requests, 4);
  EXPECT_EQ(made.rate, 8);
  EXPECT_EQ(made.burstiness, 0.5);
  EXPECT_EQ(made.concurrency, 0);
  EXPECT_THAT(made.inputs, ElementsAre(900, 1100, 1000, 1000));
  EXPECT_THAT(made.outputs, ElementsAre(50, 150, 100, 100));
}

TEST(MeasuredService, ReadsTheLastLineOfSglang) {
  const MeasuredService made = result_of(
      "{\"completed\": 1}\n"
      R"({"backend": "sglang", "request_rate": Infinity, "max_concurrency": 16, "completed": 8,)"
      R"("total_input_tokens": 80, "total_output_tokens": 16, "mean_e2e_latency_ms": 50.0,)"
      R"("mean_ttft_ms": 12.5})"
      "\n");
  EXPECT_DOUBLE_EQ(value_of(made, "ttft_mean"), 0.0125);
  EXPECT_DOUBLE_EQ(value_of(made, "latency_mean"), 0.05);
  EXPECT_EQ(made.rate, 0);
  EXPECT_EQ(made.concurrency, 16);
}

TEST(MeasuredService, ReadsThePrintedTable) {
  const MeasuredService made = result_of(kTable);
  EXPECT_DOUBLE_EQ(value_of(made, "ttft_mean"), 0.0455);
  EXPECT_DOUBLE_EQ(value_of(made, "tpot_mean"), 0.02);
  EXPECT_DOUBLE_EQ(value_of(made, "requests_per_s"), 1.6);
  EXPECT_EQ(made.output_tokens, 400);
}

TEST(MeasuredService, RefusesWhatItCannotUse) {
  const auto error = [](std::string_view text) {
    const auto made = parse_measured_service(text, "r.json");
    EXPECT_FALSE(made) << text;
    return made ? Error{} : made.error();
  };
  EXPECT_EQ(error("").code, Errc::input_empty);
  EXPECT_EQ(error("hello").code, Errc::input_unsupported);
  EXPECT_EQ(error("{}").code, Errc::input_unsupported);
  EXPECT_EQ(error(R"({"mean_ttft_ms": 5})").code, Errc::input_missing_attr);
  EXPECT_EQ(error(R"({"mean_ttft_ms": -5, "completed": 1})").code, Errc::input_range);
  EXPECT_EQ(error(R"({"mean_ttft_ms": 5, "completed": 1e40})").code, Errc::input_range);
  std::string many(kVllm);
  many.replace(many.find("\"completed\": 4"), 14, "\"completed\": 1e12");
  EXPECT_EQ(error(many).code, Errc::limit_exceeded);
  EXPECT_EQ(error(kVllm.substr(0, 300)).code, Errc::config_syntax);
  EXPECT_EQ(error(kTable.substr(0, 90)).code, Errc::input_missing_attr);
  std::string lengths(kVllm);
  lengths.replace(lengths.find("900"), 3, "-90");
  EXPECT_THAT(error(lengths).what, HasSubstr("input_lens"));
}

}  // namespace
}  // namespace orrery::study
