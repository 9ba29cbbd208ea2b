// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <functional>
#include <string>
#include <vector>

#include "orrery/intake/edit/cut.h"
#include "orrery/profile/profile.h"

namespace orrery::intake {

// One per format.
[[nodiscard]] Result<CutReport> cut_kineto(const trace::Input& input, const CutOptions& options,
                                           const std::string& path, Findings& findings);
[[nodiscard]] Result<CutReport> cut_pytorch(const trace::Input& input, const CutOptions& options,
                                            const std::string& path, Findings& findings);
[[nodiscard]] Result<CutReport> cut_chakra(const trace::Input& input, const CutOptions& options,
                                           const std::string& path, Findings& findings);

/// Errc::usage: there is no such iteration, with those there are.
[[nodiscard]] tl::unexpected<Error> no_iteration(const std::string& where, std::int64_t wanted,
                                                 const std::vector<std::int64_t>& there);

/// What becomes of one element of the large array: its JSON text and where it stands.
using KeepElement = std::function<bool(simdjson::ondemand::object& element)>;

/// Copies a JSON document to `path`; of the array `member` only the elements that `keep` wants.
[[nodiscard]] Result<CutReport> copy_elements(const trace::Input& input, std::string_view member,
                                              const KeepElement& keep, const std::string& path,
                                              bool force, Findings& findings);

}  // namespace orrery::intake
