// SPDX-License-Identifier: Apache-2.0
//
// Reads what a TensorFlow session recorded of a step: RunMetadata, or its StepStats alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::tensorflow {

struct ReadOptions {
  std::string where;                    ///< name of the file
  std::shared_ptr<StringPool> strings;  ///< must be set
  /// Reads only the work of this device, one of `devices_in`, and the operators of its task that
  /// ran on the host or for this device. Empty: everything.
  std::optional<std::int64_t> device = std::nullopt;
};

/// Reads the nodes that executed:
/// - nodes of executors become operators on their threads, with the name of the node in the graph.
///   Nodes of one thread that overlap are on several lanes;
/// - works on streams of GPUs become kernels, copies and sets, with the operation of their node as
///   their name. The combined stream ("stream:all") and the list of copies ("memcpy") repeat the
///   streams and are used only without them;
/// - a work belongs to the node that its name names: the last execution that began before it. The
///   interval in which that node computed becomes the call that launched it;
/// - inputs of nodes, from labels ("name = op(input, …)") or else from the partition graphs, become
///   tensors, which are dependencies between threads.
/// Memory records are skipped. The result is indexed. Memory: the profile, the names and inputs of
/// nodes; not the file. Errc: input_corrupt, input_truncated, input_read, input_empty,
/// limit_exceeded. O(file + nodes log nodes).
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const ReadOptions& options, Findings& findings);

/// The devices with recorded work, numbered in the order of their names: 0, 1 … Errc: as read.
/// O(file).
[[nodiscard]] Result<std::vector<std::int64_t>> devices_in(std::unique_ptr<ByteSource> source,
                                                           const std::string& where);

}  // namespace orrery::trace::tensorflow
