// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/foreign_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace orrery::trace {
namespace {

using std::string_view;

constexpr string_view kRecordings =
    "supported recordings: PyTorch's profiler (JSON, .pftrace), Nsight Systems exports (.sqlite), "
    "rocprofv3 databases (.db), XPlane (.xplane.pb), RunMetadata of TensorFlow; and Chakra traces "
    "(.et)";

constexpr string_view kFormatsPage = "docs/recorded-traces.md";
constexpr string_view kCollectPage = "docs/collect.md";

/// A file is of this kind if it has this `format`, or, without a format, if it starts with `start`
/// and then one of the characters `next`, contains all `words` in its first lines and its name ends
/// with (or contains, if it begins with '*') `name`; empty: any.
struct ForeignKind {
  string_view start, next;
  std::array<string_view, 2> words;
  string_view name;
  ForeignFile file;
  Format format = Format::foreign;
};

constexpr ForeignKind of_format(Format format, ForeignFile file) {
  return {"", "", {}, "", file, format};
}
constexpr ForeignKind of_start(string_view start, ForeignFile file, string_view next = "") {
  return {start, next, {}, "", file};
}
constexpr ForeignKind of_words(string_view first, string_view second, ForeignFile file) {
  return {"", "", {first, second}, "", file};
}
constexpr ForeignKind of_name(string_view name, ForeignFile file) {
  return {"", "", {}, name, file};
}

/// What follows the protocol of a Python pickle (Lib/pickletools.py): a mark, an empty container,
/// an imported name, a text, a number, None or a truth value. From protocol 4 on, a frame.
constexpr string_view kFirstOpcodes = "(}])cXKMJGN\x8a\x88\x89";
constexpr string_view kFrame = "\x95";

constexpr ForeignFile kNsightCompute{
    "a report of Nsight Compute, which measures single kernels",
    "record the timeline with Nsight Systems: nsys profile, then nsys export --type sqlite",
    kFormatsPage};
constexpr ForeignFile kRocprofTable{
    "a table of rocprof, not a recording",
    "record again with 'rocprofv3 --output-format rocpd' (a .db file) or 'pftrace'", kFormatsPage};
constexpr ForeignFile kPerfetto{
    "a Perfetto trace without the tracks that PyTorch's profiler writes",
    "export it as JSON if its slices are operators and kernels: traceconv json FILE FILE.json",
    kFormatsPage};
constexpr ForeignFile kPickle{
    "a Python pickle, such as a snapshot of PyTorch's memory, not a recording",
    "record a timeline: torch.profiler.profile(...) and export_chrome_trace('rank0.json')",
    kCollectPage};
constexpr ForeignFile kXplane{
    "a file named .xplane.pb that does not begin with a plane of XLA's profiler",
    "record with jax.profiler.trace(FOLDER), or copy the file again", kFormatsPage};
constexpr ForeignFile kTensorFlowText{
    "the text form of a message of TensorFlow or XLA, which has no reader here",
    "write its bytes: message.SerializeToString()", kFormatsPage};
constexpr ForeignFile kWebPage{"a web page", "download the file itself (raw)", ""};

/// In the order in which they are tried.
constexpr std::array kForeignKinds = {
    of_format(Format::nsys_report, {"a report of Nsight Systems, which must be exported first",
                                    "nsys export --type sqlite FILE.nsys-rep", kFormatsPage}),
    of_format(Format::nsys_table,
              {"a table of 'nsys stats', not a recording",
               "export the report that it was made from: nsys export --type sqlite FILE.nsys-rep",
               kFormatsPage}),
    of_format(Format::ascend_json,
              {"a trace of Ascend's profiler (trace_view.json), which has no reader here",
               kRecordings, kFormatsPage}),
    of_format(Format::rocprof_json, {"the JSON output of rocprofv3, which has no reader here",
                                     kRocprofTable.hint, kFormatsPage}),
    of_format(Format::archive,
              {"an archive or a compressed file (zip, 7z, xz, bzip2, lz4 or rar), not a recording",
               "unpack it; tar archives, gzip and zstd are read directly", kFormatsPage}),
    of_start({"NVR\0", 4}, kNsightCompute),
    of_name(".ncu-rep", kNsightCompute),
    of_start("==PROF==", kNsightCompute),
    of_words("\"Kernel Name\"", "\"Metric Name\"", kNsightCompute),
    of_words("KernelName", "DurationNs", kRocprofTable),
    of_words("Kernel_Name", "Start_Timestamp", kRocprofTable),
    of_start("version https://git-lfs",
             {"a pointer of Git LFS, not the file itself", "fetch the file: git lfs pull", ""}),
    of_start("<!DOCTYPE html", kWebPage),
    of_start("<!doctype html", kWebPage),
    of_start("<html", kWebPage),
    of_start("%PDF-", {"a PDF document", kRecordings, kFormatsPage}),
    of_start("\x80\x02", kPickle, kFirstOpcodes),
    of_start("\x80\x03", kPickle, kFirstOpcodes),
    of_start("\x80\x04", kPickle, kFrame),
    of_start("\x80\x05", kPickle, kFrame),
    of_start("step_stats {", kTensorFlowText),
    of_start("dev_stats {", kTensorFlowText),
    of_start("cost_graph {", kTensorFlowText),
    of_start("partition_graphs {", kTensorFlowText),
    of_start("planes {", kTensorFlowText),
    of_start("SQLite format 3",
             {"a database without the tables of Nsight Systems, rocprofv3 or a run of Orrery",
              kRecordings, kFormatsPage}),
    of_name(".perfetto-trace", kPerfetto),
    of_name(".pftrace", kPerfetto),
    of_name(".xplane.pb", kXplane),
    of_name("*.tfevents.", {"an event file of TensorBoard, which has no kernels",
                            "record a timeline: torch.profiler.profile(...)", kCollectPage}),
    of_start("<?xml", {"an XML file, not a trace",
                       "'orrery collective check' reads plans of collectives, 'orrery "
                       "network show' topologies",
                       "docs/plans.md", true}),
    of_start("<algo", {"a plan of a collective (MSCCL), not a trace",
                       "orrery collective check FILE", "docs/plans.md", true})};

constexpr ForeignFile kText{"a text file, not a trace", kRecordings, kFormatsPage, true};

bool has_words(string_view head, const std::array<string_view, 2>& words) {
  constexpr std::size_t kFirstLines = 4096;
  const string_view lines = head.substr(0, kFirstLines);
  return std::all_of(words.begin(), words.end(),
                     [&](string_view word) { return lines.find(word) != string_view::npos; });
}

bool has_name(string_view path, string_view name) {
  if (name.starts_with('*')) return path.find(name.substr(1)) != string_view::npos;
  return path.ends_with(name);
}

bool has_start(string_view head, const ForeignKind& kind) {
  if (!head.starts_with(kind.start)) return false;
  const string_view rest = head.substr(kind.start.size());
  return kind.next.empty() || (!rest.empty() && kind.next.find(rest[0]) != string_view::npos);
}

/// True without control characters, except for JSON, which its reader refuses by itself. Protobuf
/// messages always have some: the first fields of a node have tags below a blank.
bool is_text(string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == string_view::npos || head[first] == '{' || head[first] == '[') return false;
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' ? byte != 0x7F : c == '\t' || c == '\n' || c == '\r';
  });
}

}  // namespace

const ForeignFile* find_foreign_file(string_view head, string_view path) {
  for (const ForeignKind& kind : kForeignKinds)
    if (kind.format == Format::foreign && has_start(head, kind) && has_words(head, kind.words) &&
        has_name(path, kind.name))
      return &kind.file;
  return is_text(head) ? &kText : nullptr;
}

const ForeignFile* find_foreign_file(Format format) {
  const auto found = std::find_if(
      kForeignKinds.begin(), kForeignKinds.end(),
      [&](const ForeignKind& kind) { return kind.format == format && format != Format::foreign; });
  return found == kForeignKinds.end() ? nullptr : &found->file;
}

Error foreign_error(const ForeignFile& file, std::string where) {
  return {
      Errc::input_unsupported, std::move(where), fmt::format("this is {}", file.what),
      file.page.empty() ? std::string(file.hint) : fmt::format("{}; see {}", file.hint, file.page)};
}

}  // namespace orrery::trace
