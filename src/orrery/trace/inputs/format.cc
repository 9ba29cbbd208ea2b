// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/format.h"

#include <algorithm>
#include <array>
#include <optional>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/enum_names.h"
#include "orrery/core/limits.h"
#include "orrery/trace/inputs/json_outline.h"
#include "orrery/trace/inputs/message_format.h"

namespace orrery::trace {
namespace {

// Keys of Kineto traces. A file with one of them is Kineto if no other JSON format fits.
constexpr std::string_view kKinetoKeys[] = {
    "traceEvents", "schemaVersion",  "deviceProperties", "distributedInfo",
    "traceName",   "cupti_version",  "with_stack",       "baseTimeNanoseconds",
    "trace_id",    "profile_memory", "record_shapes",    "displayTimeUnit"};
// Keys of an execution trace next to its "schema" or "nodes".
constexpr std::string_view kExecutionKeys[] = {"pid", "start_ts", "finish_ts", "time"};
// Fields of Chakra's messages as protobuf prints them.
constexpr std::string_view kMessageKeys[] = {"id",
                                             "name",
                                             "type",
                                             "version",
                                             "attr",
                                             "ctrlDeps",
                                             "ctrl_deps",
                                             "dataDeps",
                                             "data_deps",
                                             "durationMicros",
                                             "startTimeMicros",
                                             "duration_micros",
                                             "inputs",
                                             "outputs",
                                             "start_time_micros"};
// The first words of an ASTRA-sim 1.0 workload.
constexpr std::string_view kParallelisms[] = {"MICRO",
                                              "DATA",
                                              "MODEL",
                                              "HYBRID_DATA_MODEL",
                                              "HYBRID_DLRM",
                                              "HYBRID_MODEL_DATA",
                                              "HYBRID",
                                              "HYBRID_DLRM_ENHANCED",
                                              "HYBRID_TRANSFORMER",
                                              "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                              "HYBRID_CUSTOMIZED",
                                              "HybridCustomized"};
// Keys of PARAM's communication records.
constexpr std::string_view kCommKeys[] = {"comms", "marker_stack", "markers"};

template <std::size_t N>
bool any_of(const Outline& outline, const std::string_view (&keys)[N]) {
  return std::any_of(std::begin(keys), std::end(keys),
                     [&](std::string_view key) { return outline.has(key); });
}

/// Ascend's profiler writes Chrome trace events without the categories of device work.
bool is_ascend(std::string_view head) {
  return head.find("\"Ascend Hardware\"") != head.npos ||
         (head.find("\"Task Type\"") != head.npos && head.find("\"CANN\"") != head.npos);
}

/// A table of 'nsys stats', as CSV or text: a summary ("Time (%),Total Time (ns)") or a list of
/// works. Lines about the export may precede its header.
bool is_nsys_table(std::string_view head) {
  constexpr int kLines = 16;
  for (int i = 0; i < kLines && !head.empty(); ++i) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.find('\0') != line.npos) return false;
    if (line.find("Total Time (ns)") != line.npos || line.find("Total Time (ms)") != line.npos ||
        (line.find("Start (ns)") != line.npos && line.find("Duration (ns)") != line.npos))
      return true;
  }
  return false;
}

/// An archive or a compressed file other than tar, gzip and zstd.
bool is_archive(std::string_view head) {
  for (const std::string_view mark :
       {std::string_view("PK\3\4"), std::string_view("7z\xBC\xAF\x27\x1C"),
        std::string_view("\xFD"
                         "7zXZ"),
        std::string_view("BZh"), std::string_view("\x04\x22\x4D\x18"),
        std::string_view("Rar!\x1A\x07")})
    if (head.starts_with(mark)) return true;
  return false;
}

/// Many tools write Chrome trace events; those of MPI calls have the names of calls.
Format events_of(std::string_view head, const Outline& outline) {
  if (is_ascend(head)) return Format::ascend_json;
  const bool profiler = outline.has("schemaVersion") || outline.has("deviceProperties");
  const bool mpi = !profiler && head.find("\"MPI_") != head.npos &&
                   head.find("cpu_op") == head.npos && head.find("\"Operator\"") == head.npos;
  return mpi ? Format::mpi_json : Format::kineto;
}

bool is_printed_message(const Outline& outline) {
  const bool ours = std::all_of(outline.keys.begin(), outline.keys.end(), [](const auto& key) {
    return std::find(std::begin(kMessageKeys), std::end(kMessageKeys), key) !=
           std::end(kMessageKeys);
  });
  return ours && (outline.has("id") || outline.has("version") || outline.has("attr"));
}

/// A dump of PyTorch's flight recorder. Its keys are sorted in JSON, so that a long list of entries
/// may hide those after it.
bool is_flight_record(std::string_view head, const Outline& outline) {
  return outline.has("pg_config") ||
         (outline.has("entries") && head.find("\"collective_seq_id\"") != head.npos);
}

/// The same as a pickle (Lib/pickletools.py): a protocol, from 4 on a frame, and a dictionary.
bool is_flight_record_pickle(std::string_view head) {
  constexpr char kProtocol = '\x80', kFrame = '\x95', kDictionary = '}';
  if (head.size() < 3 || head[0] != kProtocol || head[1] < 2 || head[1] > 5) return false;
  if (head[2] != (head[1] < 4 ? kDictionary : kFrame)) return false;
  return head.find("pg_config") != head.npos || head.find("collective_seq_id") != head.npos;
}

Format json_format(std::string_view head, const Outline& outline) {
  if (outline.is_array) {
    if (outline.has("ph")) return events_of(head, outline);
    return any_of(outline, kCommKeys) ? Format::mpi_json : Format::unknown;
  }
  if (outline.has("rocprofiler-sdk-tool")) return Format::rocprof_json;
  if (is_flight_record(head, outline)) return Format::flight_record;
  if (outline.has("workload_graph") || outline.has("chakra")) return Format::chakra;
  if (outline.has("traceEvents")) return events_of(head, outline);
  const bool execution = any_of(outline, kExecutionKeys);
  if (outline.has("nodes") && (execution || outline.has("schema"))) return Format::pytorch_et;
  if (outline.has("schema") && execution) return Format::pytorch_et;
  if (any_of(outline, kKinetoKeys)) return Format::kineto;
  return is_printed_message(outline) ? Format::chakra : Format::unknown;
}

Format database_format(std::string_view head) {
  constexpr std::string_view kRunFileMark = "Orry";  // bytes 68 to 71: application id
  if (head.size() >= 72 && head.substr(68, 4) == kRunFileMark) return Format::run_file;
  for (const std::string_view table : {"CUPTI_ACTIVITY_KIND_", "StringIds", "NVTX_EVENTS"}) {
    if (head.find(table) != head.npos) return Format::nsys_sqlite;
  }
  for (const std::string_view table : {"rocpd_string", "rocpd_kernel_dispatch", "rocpd_region"}) {
    if (head.find(table) != head.npos) return Format::rocpd;
  }
  return Format::unknown;
}

bool is_astra_text(std::string_view head) {
  const std::string_view line = head.substr(0, std::min(head.find_first_of("\r\n"), head.size()));
  const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
  return line.size() < head.size() && std::find(std::begin(kParallelisms), std::end(kParallelisms),
                                                word) != std::end(kParallelisms);
}

/// True for a length, then a message with the fields of a node, an attribute list or metadata.
bool is_framed_protobuf(std::string_view head) {
  constexpr std::size_t kRecords = 8;
  constexpr std::uint32_t kHighestField = 32;
  const char* at = head.data();
  const char* const end = at + head.size();
  bool fields = false;
  try {
    for (std::size_t record = 0; record < kRecords && at < end; ++record) {
      const std::uint64_t length = protozero::decode_varint(&at, end);
      if (length > limits::kRecordBytes) return false;
      if (length > static_cast<std::uint64_t>(end - at)) break;
      protozero::pbf_reader message(at, static_cast<std::size_t>(length));
      while (message.next()) {
        if (message.tag() > kHighestField) return false;
        message.skip();
        fields = true;
      }
      at += length;
    }
  } catch (const protozero::end_of_buffer_exception&) {
    return fields && at == end;
  } catch (const protozero::exception&) {
    return false;
  }
  return fields;
}

/// Parses the known part of a Perfetto packet; sets `ours` if it has a track or an event on a
/// track.
bool is_packet(protozero::pbf_reader packet, bool& ours) {
  using protozero::pbf_wire_type;
  constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13,
                          kTrack = 60;
  while (packet.next()) {
    const bool track = packet.tag() == kEvent || packet.tag() == kTrack;
    const bool message = packet.wire_type() == pbf_wire_type::length_delimited;
    const bool number = packet.wire_type() == pbf_wire_type::varint;
    if ((track || packet.tag() == kInterned) && !message) return false;
    if ((packet.tag() == kTimestamp || packet.tag() == kSequence || packet.tag() == kFlags) &&
        !number)
      return false;
    ours = ours || track;
    packet.skip();
  }
  return true;
}

/// True if the file contains only packets, each after its tag and its length.
bool is_perfetto(std::string_view head) {
  constexpr int kSome = 16;
  constexpr char kTag = 10;
  const char* at = head.data();
  const char* const end = at + head.size();
  bool ours = false;
  try {
    for (int packet = 0; packet < kSome && at < end && !ours; ++packet) {
      if (*at++ != kTag) return false;
      const std::uint64_t length = protozero::decode_varint(&at, end);
      if (length > static_cast<std::uint64_t>(end - at)) return false;
      if (!is_packet({at, static_cast<std::size_t>(length)}, ours)) return false;
      at += length;
    }
  } catch (const protozero::exception&) {
    return false;
  }
  return ours;
}

/// True for planes of XLA's profiler: each begins with its number and its name, such as
/// "/host:CPU" or "/device:GPU:0". The first plane may be larger than `head`.
bool is_xplane(std::string_view head) {
  constexpr char kPlane = 10, kId = 8, kName = 18;
  const char* at = head.data();
  const char* const end = at + head.size();
  try {
    if (at == end || *at++ != kPlane) return false;
    (void)protozero::decode_varint(&at, end);
    if (at < end && *at == kId) {
      ++at;
      (void)protozero::decode_varint(&at, end);
    }
    if (at == end || *at++ != kName) return false;
    const std::uint64_t length = protozero::decode_varint(&at, end);
    const std::string_view name(at, std::min<std::uint64_t>(length, end - at));
    return name.starts_with("/host:") || name.starts_with("/device:") || name == "Task Environment";
  } catch (const protozero::exception&) {
    return false;
  }
}

/// The content of a field with this number, which is a message or a text, cut at the end of `text`;
/// `text` moves behind its length. Nothing: it begins with another field.
std::optional<std::string_view> take_length(std::string_view& text, std::uint32_t number) {
  constexpr std::uint32_t kLengthDelimited = 2;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at == end || static_cast<unsigned char>(*at) != (number << 3 | kLengthDelimited))
    return std::nullopt;
  ++at;
  try {
    const std::uint64_t length = protozero::decode_varint(&at, end);
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    return text.substr(0, length);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

/// "/job:localhost/replica:0/task:0/device:GPU:0/stream:all", "/cpu:0" and the like.
bool is_device_name(std::string_view name) {
  return name.starts_with("/job:") || name.starts_with("/device:") || name.starts_with("/cpu:") ||
         name.starts_with("/gpu:") || name.starts_with("/host:");
}

/// True for RunMetadata whose first field is its StepStats, and for StepStats alone: both begin
/// with the name of a device.
bool is_run_metadata(std::string_view head) {
  for (int depth = 0; depth < 3; ++depth) {
    const auto content = take_length(head, 1);
    if (!content) return false;
    if (depth > 0 && is_device_name(*content)) return true;
  }
  return false;
}

/// True for RunMetadata without StepStats, whose first field is its CostGraphDef, and for the
/// latter alone. A node has its name, then its device.
bool is_cost_graph(std::string_view head) {
  (void)take_length(head, 2);
  if (!take_length(head, 1)) return false;
  const auto name = take_length(head, 1);
  if (!name || name->empty() || name->size() > head.size()) return false;
  head.remove_prefix(name->size());
  const auto device = take_length(head, 2);
  return device && is_device_name(*device);
}

}  // namespace

std::string_view name(Format format) {
  constexpr auto kNames = enumerator_names<Format::foreign>(
      "unknown", "chakra", "kineto", "pftrace", "pytorch_et", "nsys_sqlite", "rocpd", "xplane",
      "run_metadata", "run_file", "flight_record", "astra_text", "mpi_json", "htsim_matrix",
      "ns3_flows", "goal", "flexflow", "cost_graph", "nsys_report", "nsys_table", "ascend_json",
      "rocprof_json", "archive", "foreign");
  return kNames[static_cast<std::size_t>(format)];
}

Format format_of(std::string_view head) {
  constexpr std::string_view kSqlite("SQLite format 3\0", 16);
  if (head.substr(0, kSqlite.size()) == kSqlite) return database_format(head);
  if (const Outline outline = outline_of(head); outline.is_json) return json_format(head, outline);
  if (is_archive(head)) return Format::archive;
  if (is_flight_record_pickle(head)) return Format::flight_record;
  if (is_nsys_table(head)) return Format::nsys_table;
  if (is_astra_text(head)) return Format::astra_text;
  if (const Format messages = message_format(head); messages != Format::unknown) return messages;
  if (is_xplane(head)) return Format::xplane;
  if (is_run_metadata(head)) return Format::run_metadata;
  if (is_cost_graph(head)) return Format::cost_graph;
  if (is_perfetto(head)) return Format::pftrace;
  return is_framed_protobuf(head) ? Format::chakra : Format::unknown;
}

}  // namespace orrery::trace
