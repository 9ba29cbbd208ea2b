// SPDX-License-Identifier: Apache-2.0
//
// Sources in calibration files: input files and dates.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::study {

/// Name of a file, without folders, and the SHA-256 hash of its content.
struct SourceFile {
  std::string name;
  std::string sha256;
};

/// Hashes `files`, in their order. Errc: input_not_found, input_read.
[[nodiscard]] Result<std::vector<SourceFile>> hash_files(const std::vector<std::string>& files);

/// Errc::usage if `date` is neither empty nor of the form "2026-01-31".
[[nodiscard]] Result<void> check_date(const std::string& date);

}  // namespace orrery::study
