// SPDX-License-Identifier: Apache-2.0
//
// Names of temporary files, by which later programs recognize and remove those of killed programs.
#pragma once

#include <string>

namespace orrery {

/// A name in the folder of `path` for a temporary file of this process: its id, the id of this
/// system's boot and a number, which differs in each call. Short, whatever the name in `path` is.
[[nodiscard]] std::string temporary_name(const std::string& path);

/// Locks a temporary file for its writer, while the descriptor or a copy of it is open. Returns
/// false if another program has locked or removed it, or if it has no name yet. Without support for
/// locks, the file counts as locked, and no program removes it.
[[nodiscard]] bool lock_temporary(int descriptor);

/// Removes temporary files in the folder of `path` that killed programs left: files of this user
/// with a name of temporary_name() from this boot, whose process does not exist any more, and which
/// no program has locked. The latter protects processes of other containers. Searches a folder once
/// per process, and at most its first 10,000 entries. Any thread.
void remove_abandoned_files(const std::string& path);

}  // namespace orrery
