// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/calibration_sources.h"

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/core/system/sha256.h"
#include "orrery/core/text/text.h"

namespace orrery::study {

Result<std::vector<SourceFile>> hash_files(const std::vector<std::string>& files) {
  std::vector<SourceFile> hashed;
  for (const std::string& file : files) {
    auto hash = sha256_of_file(file);
    if (!hash) return tl::unexpected(std::move(hash.error()));
    hashed.push_back({printable(file.substr(file.rfind('/') + 1), 255), *std::move(hash)});
  }
  return hashed;
}

Result<void> check_date(const std::string& date) {
  if (date.empty() || (date.size() == 10 && calibrate::leading_date(date) == date)) return {};
  return fail(Errc::usage, "--date", in_quotes(date) + " is not a date",
              "write it like 2026-01-31");
}

}  // namespace orrery::study
