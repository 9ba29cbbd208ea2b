// SPDX-License-Identifier: Apache-2.0
//
// What a file is, by its content.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/source.h"

namespace orrery::trace {

enum class Format : std::uint8_t {
  unknown,
  chakra,       ///< protobuf, any historic layout, or its JSON forms
  kineto,       ///< JSON with traceEvents, or a bare array of events
  pytorch_et,   ///< JSON with schema and nodes
  nsys_sqlite,  ///< SQLite with Nsight's tables
  run_file,     ///< our own result (SQLite)
  astra_text,   ///< ASTRA-sim 1.0 workload: a parallelism's word and a number of layers
  mpi_json,     ///< an MPI or communication trace as JSON
  nsys_report,  ///< .nsys-rep: must be exported first
};
/// "kineto", "pytorch_et" …
[[nodiscard]] std::string_view name(Format format);

/// From the first bytes (after unpacking); looks at most at `head`.
[[nodiscard]] Format format_of(std::string_view head);

/// One stream of bytes to read: a file, unpacked if need be (gzip, zstd), or a member of a tar
/// archive.
struct Input {
  std::string path;  ///< of the file
  std::string name;  ///< "dlrm.tar.gz!worker0.json" for members, else the path
  Format format = Format::unknown;
};

/// What is in a file: itself, or the members of a tar archive in its order (regular files only).
/// Errc: input_not_found, input_read, input_corrupt, limit_exceeded.
[[nodiscard]] Result<std::vector<Input>> inputs_in(const std::string& path);

/// Opens it, unpacked, from its beginning.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const Input& input);

/// Paths that a shell pattern matches ("dir/*.json.gz", "dir/rank?.json", no recursion; a path
/// without wildcards is itself), sorted by name with numbers by value. Errc: input_not_found.
[[nodiscard]] Result<std::vector<std::string>> expand(const std::string& pattern);

}  // namespace orrery::trace
