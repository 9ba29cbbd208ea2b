// SPDX-License-Identifier: Apache-2.0
//
// Views of recordings as programs get them, and tables of other tools.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "orrery/profile/inspection/inspection.h"

namespace orrery::views_test {

/// ../shared/data, which only some machines have.
[[nodiscard]] std::filesystem::path shared_data();

struct RecordedViews {
  nlohmann::json views;          ///< `orrery trace info FILE --view all --json`
  profile::Breakdown on_device;  ///< from the first to the last device work
  Time memsets{};                ///< sum of their lengths
};
/// Of a recording of one rank. If it cannot be read, the test fails.
[[nodiscard]] RecordedViews views_of(const std::filesystem::path& recording);

/// The rows of a CSV file by their column names; quoted cells may contain commas.
[[nodiscard]] std::vector<std::map<std::string, std::string>> csv_rows(
    const std::filesystem::path& file);

/// "[[512],[141,512],[],[]]" for "((512,), (141, 512), (), ())" and for the same list in JSON;
/// likewise texts in quotes.
[[nodiscard]] std::string as_list(std::string text);

}  // namespace orrery::views_test
