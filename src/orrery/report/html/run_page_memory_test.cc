// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orrery/report/html/run_page.h"
#include "orrery/report/html/run_page_internal.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using nlohmann::json;

json memory_of(const result::Run& run) {
  return json::parse(run_page_data({&run}))["runs"][0]["timelines"][0]["memory"];
}

TEST(HtmlData, MemoryByAccountHasRolesAndKinds) {
  result::Run run = result::testing::sample_run(4, 2);
  EXPECT_FALSE(memory_of(run).contains("role"));
  result::MemoryCurve& memory = run.timelines[0].memory;
  memory.role = run.names.intern("stage 0");
  const std::uint32_t weights = run.names.intern("weights"), layer = run.names.intern("layer");
  const std::uint32_t retained = run.names.intern("activations");
  memory.at_peak = {
      {layer, Bytes(4096), weights}, {layer, Bytes(3072), retained}, {layer, Bytes(1024), weights}};
  const json predicted = memory_of(run);
  EXPECT_EQ(predicted["role"], "stage 0");
  EXPECT_EQ(predicted["held"][1], (json{"layer", 3072, "activations"}));
  EXPECT_EQ(predicted["kinds"], json::parse(R"([["weights", 5120], ["activations", 3072]])"));
}

}  // namespace
}  // namespace orrery::report
