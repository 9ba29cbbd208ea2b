// SPDX-License-Identifier: Apache-2.0
//
// From `<prefix>.<rank>.et` files to a Workload.
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
  /// How many ranks there must be; 0 = as many as there are contiguous files from rank 0.
  std::uint32_t ranks = 0;
  /// JSON of process groups ({"name": [ranks…]}); empty = the companion comm_group.json (or
  /// `<prefix>.json`) if there is one.
  std::string group_file;
  /// Look for a companion group file when group_file is empty.
  bool find_companion = true;
  /// Called now and then with (ranks read, ranks in all). May be empty.
  std::function<void(std::uint32_t, std::uint32_t)> progress;
  /// Where graphs go that memory has no room for: into a temporary file in this folder, without a
  /// name. Empty: all stay in memory.
  std::string spill_folder;
  /// Bytes of memory for graphs and their strings; the graphs read after that are spilled. 0: every
  /// graph is.
  std::uint64_t memory = 0;
  /// Where process groups name all `ranks`, not all of these need a trace: one without does what
  /// the rank before it does, has that one's file and, like it, that one's peers. Rank 0 needs its
  /// own.
  bool some_ranks = false;
  /// The one rank that is read stands for others: nobody is asked for who is in its groups.
  bool replicated = false;
};

/// Reads one rank's trace, whatever Chakra layout it is in (found by content; gzip by content).
/// Errc: input_*, limit_exceeded; places are "<file>:byte N (node I)".
[[nodiscard]] Result<graph::Graph> load_rank(
    const std::string& path, std::shared_ptr<StringPool> strings, graph::Repair repair,
    Findings& findings, std::map<std::string, graph::ProcessGroup, std::less<>>* groups = nullptr);

/// Reads all ranks of `<prefix>.<rank>.et`. Files with equal bytes (or the same inode) are decoded
/// and stored once. With a `spill_folder` memory is bounded by what one rank takes while it is
/// read, plus LoadOptions::memory. Errc: what load_rank says, output_failed (spilling).
[[nodiscard]] Result<graph::Workload> load_workload(const std::string& prefix,
                                                    const LoadOptions& options = {});

/// Reads files as they are named, one rank each in this order, each stored by itself.
[[nodiscard]] Result<graph::Workload> load_files(const std::vector<std::string>& paths,
                                                 graph::Repair repair);

}  // namespace orrery::trace::chakra
