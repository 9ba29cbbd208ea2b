// SPDX-License-Identifier: Apache-2.0
//
// What a file is, and what Orrery can do with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::app {

/// Names and texts in the order in which they are shown: what it is, what it holds, commands.
using FileFacts = std::vector<std::pair<std::string, std::string>>;

/// Reads as much of the file as its recognition needs; a job and a cluster as a whole. Errc:
/// input_not_found, input_read, input_empty; input_unsupported if nothing here reads it, with its
/// name if it is known; the error of its reader if the file is recognized but damaged.
[[nodiscard]] Result<FileFacts> facts_of_file(const std::string& path);

}  // namespace orrery::app
