// SPDX-License-Identifier: Apache-2.0
//
// Answers about traces show their findings as text.
#include <gmock/gmock.h>

#include "orrery/present/traces/cut_obfuscate_answer.h"
#include "orrery/present/traces/diff_answer.h"
#include "orrery/present/traces/inspect_recorded_answer.h"
#include "orrery/present/traces/inspect_structure_answer.h"

namespace orrery::present {
namespace {

using ::testing::HasSubstr;

TEST(TraceAnswers, ShowFindings) {
  Findings findings;
  findings.add(FindingCode::attr_ignored, "w.0.et:node 7");
  graph::Workload workload;
  workload.findings = findings;
  const auto expect_shown = [](const report::StateAnswer& state) {
    const std::string text = report::answer_text(state, {});
    EXPECT_THAT(text, HasSubstr("attr_ignored"));
    EXPECT_THAT(text, HasSubstr("(w.0.et:node 7)"));
  };
  expect_shown([&](report::Answer& answer) { state_cut(answer, {}, findings); });
  expect_shown([&](report::Answer& answer) { state_obfuscate(answer, {}, "w", findings); });
  expect_shown([&](report::Answer& answer) { state_diff(answer, {}, findings); });
  expect_shown([&](report::Answer& answer) { state_structure(answer, "w", workload); });
}

// What helps has the name that it has in the framework of the recording.
TEST(TraceAnswers, AdviseInTheWordsOfTheFramework) {
  const auto advice_of = [](const std::string& format) {
    RankInspection rank;
    rank.format = format;
    rank.advice = {{profile::Cause::small_kernels, 7, us(5), 0.1, "k"},
                   {profile::Cause::pageable_copies, 2, us(5), 0.1, "Memcpy HtoD"}};
    return report::answer_json("trace info", [&](report::Answer& answer) {
      state_recorded(answer, {rank}, intake::Job{}, {});
    });
  };
  EXPECT_THAT(advice_of("kineto"), HasSubstr("torch.compile"));
  EXPECT_THAT(advice_of("kineto"), HasSubstr("pin_memory=True"));
  EXPECT_THAT(advice_of("xplane"), HasSubstr("jax.jit"));
  EXPECT_THAT(advice_of("xplane"), HasSubstr("jax.device_put"));
  EXPECT_THAT(advice_of("run_metadata"), HasSubstr("tf.function(jit_compile=True)"));
  EXPECT_THAT(advice_of("run_metadata"), ::testing::Not(HasSubstr("torch")));
}

}  // namespace
}  // namespace orrery::present
