// SPDX-License-Identifier: Apache-2.0
//
// What the files of calibrations say of where they come from.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::study {

/// A file by its name, without folders, and its content.
struct SourceFile {
  std::string name;
  std::string sha256;
};

/// In the same order. Errc: input_not_found, input_read.
[[nodiscard]] Result<std::vector<SourceFile>> hash_files(const std::vector<std::string>& files);

/// Errc::usage where `date` is not empty and not "2026-01-31" or so.
[[nodiscard]] Result<void> check_date(const std::string& date);

}  // namespace orrery::study
