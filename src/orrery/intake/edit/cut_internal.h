// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <functional>
#include <string>
#include <vector>

#include "orrery/intake/edit/cut.h"

namespace orrery::intake {

// One function per format.
[[nodiscard]] Result<CutReport> cut_kineto(const trace::Input& input, const CutOptions& options,
                                           const std::string& path, Findings& findings);
[[nodiscard]] Result<CutReport> cut_pytorch(const trace::Input& input, const CutOptions& options,
                                            const std::string& path, Findings& findings);
[[nodiscard]] Result<CutReport> cut_chakra(const trace::Input& input, const CutOptions& options,
                                           const std::string& path, Findings& findings);

/// Errc::usage: iteration `wanted` does not exist; the message lists the existing ones
/// (`existing`).
[[nodiscard]] tl::unexpected<Error> no_iteration(const std::string& where, std::int64_t wanted,
                                                 const std::vector<std::int64_t>& existing);

/// Returns true if an element of the large array is retained.
using KeepElement = std::function<bool(simdjson::ondemand::object& element)>;

/// Copies a JSON document to `path`. Of the array `member` it copies only the elements for which
/// `keep` returns true.
[[nodiscard]] Result<CutReport> copy_elements(const trace::Input& input, std::string_view member,
                                              const KeepElement& keep, const std::string& path,
                                              bool force, Findings& findings);

}  // namespace orrery::intake
