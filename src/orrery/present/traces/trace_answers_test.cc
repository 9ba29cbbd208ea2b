// SPDX-License-Identifier: Apache-2.0
//
// Answers about traces show their findings as text.
#include <gmock/gmock.h>

#include "orrery/present/traces/cut_obfuscate_answer.h"
#include "orrery/present/traces/diff_answer.h"
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

}  // namespace
}  // namespace orrery::present
