// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/unused_options.h"

#include <string>
#include <string_view>

namespace orrery::study {

namespace {

struct TraceOption {
  std::string_view name;
  bool (*is_given)(const Question& question);
  bool of_files = false;  ///< also a file that describes all ranks might be expected to use it
};

constexpr TraceOption kTraceOptions[] = {
    {"--groups", [](const Question& question) { return !question.groups.empty(); }, true},
    {"--repair", [](const Question& question) { return question.repair; }, true},
    {"--replicate", [](const Question& question) { return question.replicate; }},
    {"--rank", [](const Question& question) { return question.recorded.rank >= 0; }},
    {"--no-link", [](const Question& question) { return question.recorded.no_link; }},
    {"--tensors", [](const Question& question) { return question.recorded.tensors; }},
    {"--device-ratios", [](const Question& question) { return !question.device_ratios.empty(); }},
    {"--layers", [](const Question& question) { return question.structure.layers.has_value(); }},
    {"--microbatches",
     [](const Question& question) { return question.structure.microbatches.has_value(); }},
};

}  // namespace

void report_unused_trace_options(const Question& question, Findings& findings) {
  const bool job = question.job.given();
  for (const TraceOption& option : kTraceOptions)
    if ((job || option.of_files) && option.is_given(question))
      findings.add(FindingCode::key_without_effect,
                   std::string(option.name) + " (only for traces)");
}

}  // namespace orrery::study
