// SPDX-License-Identifier: Apache-2.0
//
// Loads `<prefix>.<rank>.et` files into a Workload.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"

namespace orrery::trace::chakra {

struct LoadOptions {
  graph::Repair repair = graph::Repair::refuse;
  /// Required number of ranks; 0: all contiguous files from rank 0.
  std::uint32_t ranks = 0;
  /// JSON file of process groups ({"name": [ranks…]}). Empty: the companion comm_group.json (or
  /// `<prefix>.json`) if it exists.
  std::string group_file;
  /// Searches a companion group file if group_file is empty.
  bool find_companion = true;
  /// Called from time to time with (ranks read, all ranks). May be empty.
  std::function<void(std::uint32_t, std::uint32_t)> progress;
  /// Folder for an unnamed temporary file, which stores the graphs that do not fit into memory.
  /// Empty: all graphs stay in memory.
  std::string spill_folder;
  /// Bytes of memory for graphs and their strings; graphs read later are spilled. 0: all graphs are
  /// spilled.
  std::uint64_t memory = 0;
  /// Allows ranks without a trace if process groups name all `ranks`. A rank without a trace uses
  /// the file of the previous rank, including its peers. Rank 0 must have a trace.
  bool allow_missing_ranks = false;
  /// The only rank that is read represents all others; its groups need no members.
  bool replicated = false;
};

/// Reads the trace of one rank in any Chakra layout (detected by content; gzip by content, too).
/// Errc: input_*, limit_exceeded; places are "<file>:byte N (node I)".
[[nodiscard]] Result<graph::Graph> load_rank(
    const std::string& path, std::shared_ptr<StringPool> strings, graph::Repair repair,
    Findings& findings, std::map<std::string, graph::ProcessGroup, std::less<>>* groups = nullptr);

/// Reads all ranks of `<prefix>.<rank>.et`. Files with equal bytes (or the same inode) are decoded
/// and stored once. With a `spill_folder`, the memory is at most LoadOptions::memory plus the
/// memory to read one rank. Errc: as load_rank, output_failed (spilling).
[[nodiscard]] Result<graph::Workload> load_workload(const std::string& prefix,
                                                    const LoadOptions& options = {});

/// Reads the files `paths`, one rank each in this order. Stores each file separately.
[[nodiscard]] Result<graph::Workload> load_files(const std::vector<std::string>& paths,
                                                 graph::Repair repair);

}  // namespace orrery::trace::chakra
