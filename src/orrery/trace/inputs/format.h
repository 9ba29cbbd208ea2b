// SPDX-License-Identifier: Apache-2.0
//
// What a file is, by its content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

enum class Format : std::uint8_t {
  unknown,
  chakra,       ///< protobuf, any historic layout, or its JSON forms
  kineto,       ///< JSON with traceEvents, or a bare array of events
  pftrace,      ///< Perfetto's protobuf, as PyTorch writes it
  pytorch_et,   ///< JSON with schema and nodes
  nsys_sqlite,  ///< SQLite with Nsight's tables
  rocpd,        ///< SQLite with the tables of AMD's rocprofv3
  run_file,     ///< our own result (SQLite)
  astra_text,   ///< ASTRA-sim 1.0 workload: a parallelism's word and a number of layers
  mpi_json,     ///< an MPI or communication trace as JSON
  nsys_report,  ///< .nsys-rep: must be exported first
};
/// True for what a profiler recorded of a rank and its device.
[[nodiscard]] constexpr bool is_device_trace(Format format) {
  return format == Format::kineto || format == Format::pftrace || format == Format::nsys_sqlite ||
         format == Format::rocpd;
}
/// "kineto", "pytorch_et" …
[[nodiscard]] std::string_view name(Format format);

/// From the first bytes (after unpacking), 1 MiB of them if there are so many. SQLite databases are
/// told apart as far as their first page shows it.
[[nodiscard]] Format format_of(std::string_view head);

/// One stream of bytes to read: a file, unpacked if need be (gzip, zstd), or a member of a tar
/// archive.
struct Input {
  std::string path;  ///< of the file
  std::string name;  ///< "dlrm.tar.gz!worker0.json" for members, else the path
  Format format = Format::unknown;
  std::uint32_t member = 0;  ///< which of the archive's regular files, from 1; 0 = the file itself
};

/// What is in a file: itself, or the members of a tar archive in its order (regular files only). An
/// archive that ends inside a member is listed up to that one; reading it then ends in
/// input_truncated. Errc: input_not_found, input_read, input_empty, input_corrupt, limit_exceeded.
[[nodiscard]] Result<std::vector<Input>> inputs_in(const std::string& path);

/// Opens it, unpacked, from its beginning. A member is found by reading the archive up to it.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const Input& input);

/// Paths that a shell pattern matches ("dir/*.json.gz", "dir/rank?.json", no recursion; a path
/// that exists is itself, whatever it is called; folders are no match), sorted by `natural_less`.
/// Errc: input_not_found.
[[nodiscard]] Result<std::vector<std::string>> expand(const std::string& pattern);

/// The order of names with numbers by value: "rank2" before "rank10". Numbers that differ in
/// leading zeros only: the shorter first.
[[nodiscard]] bool natural_less(std::string_view left, std::string_view right);

}  // namespace orrery::trace
