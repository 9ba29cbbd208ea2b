// SPDX-License-Identifier: Apache-2.0
//
// Case studies, with the splits and Calculon's steps that they ask for, and kept results as anybody
// may have written them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/space/calculon_run.h"
#include "orrery/space/case_study.h"
#include "orrery/space/kept.h"
#include "orrery/space/split_run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto study = orrery::space::parse_case_study(text, "fuzz"))
    for (const orrery::space::Run& run : study->runs) {
      if (!run.split.is_null()) (void)orrery::space::split_values(run, "fuzz");
      if (!run.calculon.is_null()) (void)orrery::space::calculon_values(run, "fuzz");
    }
  orrery::space::Freshness fresh("");
  (void)orrery::space::parse_kept(text, fresh);
  return 0;
}
