// SPDX-License-Identifier: Apache-2.0
//
// Detects the format of a file from its content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

struct ForeignFile;

enum class Format : std::uint8_t {
  unknown,
  chakra,         ///< protobuf, any historic layout, or its JSON forms
  kineto,         ///< JSON with traceEvents, or a bare array of events
  pftrace,        ///< Perfetto's protobuf as PyTorch writes it
  pytorch_et,     ///< JSON with schema and nodes
  nsys_sqlite,    ///< SQLite with Nsight's tables
  rocpd,          ///< SQLite with the tables of AMD's rocprofv3
  xplane,         ///< protobuf of XLA's profiler (JAX, TensorFlow)
  run_metadata,   ///< protobuf of TensorFlow's sessions: RunMetadata or StepStats
  run_file,       ///< a result file of Orrery (SQLite)
  flight_record,  ///< a dump of PyTorch's flight recorder: a pickle or JSON
  astra_text,     ///< ASTRA-sim 1.0 workload: the name of a parallelism and a number of layers
  mpi_json,       ///< an MPI or communication trace as JSON
  htsim_matrix,   ///< a connection matrix of htsim
  ns3_flows,      ///< a list of flows of an RDMA simulation in ns-3
  goal,           ///< a GOAL schedule as text (LogGOPSim, ATLAHS)
  flexflow,       ///< a task graph of FlexFlow's simulator as dot
  cost_graph,     ///< protobuf of TensorFlow: a graph with estimated times (CostGraphDef)
  nsys_report,    ///< .nsys-rep: the user must export it first
  // Known formats without a reader
  nsys_table,    ///< CSV of 'nsys stats'
  ascend_json,   ///< trace_view.json of Ascend's profiler
  rocprof_json,  ///< JSON of rocprofv3
  archive,       ///< zip, 7z, xz, bzip2, lz4 or rar
  foreign        ///< another file of a known tool: Input::foreign
};
/// True for recordings that cannot be read in this form; every command refuses them by name.
[[nodiscard]] constexpr bool is_refused(Format format) { return format >= Format::nsys_report; }
/// True for a profiler's recording of a rank and its device.
[[nodiscard]] constexpr bool is_device_trace(Format format) {
  return format == Format::kineto || format == Format::pftrace || format == Format::nsys_sqlite ||
         format == Format::rocpd || format == Format::xplane || format == Format::run_metadata;
}
/// True for a workload of all ranks in one file: messages of a network simulation, or a task graph.
[[nodiscard]] constexpr bool is_message_list(Format format) {
  return format == Format::htsim_matrix || format == Format::ns3_flows || format == Format::goal ||
         format == Format::flexflow || format == Format::cost_graph;
}
/// "kineto", "pytorch_et" …
[[nodiscard]] std::string_view name(Format format);

/// Detects the format from the first bytes (after decompression), up to 1 MiB. Distinguishes SQLite
/// databases by their first page, as far as possible.
[[nodiscard]] Format format_of(std::string_view head);

/// A stream of bytes to read: a file, decompressed if necessary (gzip, zstd), or a member of a tar
/// archive.
struct Input {
  std::string path;  ///< of the file
  std::string name;  ///< "dlrm.tar.gz!worker0.json" for members, else the path
  Format format = Format::unknown;
  /// Number of the regular file in the archive, from 1; 0: the file itself.
  std::uint32_t member = 0;
  const ForeignFile* foreign = nullptr;  ///< the kind of a refused format
};

/// The inputs in a file: the file itself, or the regular files of a tar archive in order. An
/// archive that ends inside a member is listed up to that member; reading this member then returns
/// input_truncated. Errc: input_not_found, input_read, input_empty, input_corrupt,
/// input_unsupported (an archive without files), limit_exceeded.
[[nodiscard]] Result<std::vector<Input>> inputs_in(const std::string& path);

/// Opens an input, decompressed, at its beginning. To find a member, it reads the archive up to it.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const Input& input);

/// Expands a shell pattern ("dir/*.json.gz", "dir/rank?.json"; no recursion) to paths, sorted by
/// `natural_less`. A path that exists is not treated as a pattern. A folder of TensorBoard's
/// profiles stands for its XPlane files; patterns match no folders. Errc: input_not_found, usage (a
/// folder with several profiles).
[[nodiscard]] Result<std::vector<std::string>> expand(const std::string& pattern);

/// Orders names with numbers by value: "rank2" before "rank10". If numbers differ only in leading
/// zeros, the shorter is first.
[[nodiscard]] bool natural_less(std::string_view left, std::string_view right);

}  // namespace orrery::trace
