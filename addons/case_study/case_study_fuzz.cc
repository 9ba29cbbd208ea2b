// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as case studies, including their bandwidth splits and Calculon steps, and as
// stored results.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "addons/case_study/calculon_run.h"
#include "addons/case_study/case_study.h"
#include "addons/case_study/split_run.h"
#include "addons/case_study/stored_runs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto study = orrery::case_study::parse_case_study(text, "fuzz"))
    for (const orrery::case_study::GridRun& run : study->runs) {
      if (!run.split.is_null()) (void)orrery::case_study::split_values(run, "fuzz");
      if (!run.calculon.is_null()) (void)orrery::case_study::calculon_values(run, "fuzz");
    }
  orrery::explore::Freshness fresh("");
  (void)orrery::case_study::parse_runs(text, fresh);
  return 0;
}
