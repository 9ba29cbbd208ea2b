// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/foreign_files.h"

#include <algorithm>
#include <array>

namespace orrery::trace {
namespace {

using std::string_view;

constexpr string_view kRecordings =
    "supported recordings: PyTorch's profiler (JSON, .pftrace), Nsight Systems exports (.sqlite), "
    "rocprofv3 databases (.db); and Chakra traces (.et)";

/// A file is of this kind if it starts with `start`, contains all `words` in its first lines and
/// its name ends with (or contains, if it begins with '*') `name`; empty: any.
struct ForeignKind {
  string_view start;
  std::array<string_view, 2> words;
  string_view name;
  ForeignFile file;
};

constexpr ForeignFile kNsightCompute{
    "a report of Nsight Compute, which measures single kernels",
    "record the timeline with Nsight Systems: nsys profile, then nsys export --type sqlite"};
constexpr ForeignFile kRocprofTable{
    "a table of rocprof, not a recording",
    "record again with 'rocprofv3 --output-format rocpd' (a .db file) or 'pftrace'"};
constexpr ForeignFile kPerfetto{
    "a Perfetto trace without the tracks that PyTorch's profiler writes",
    "export it as JSON if its slices are operators and kernels: traceconv json FILE FILE.json"};
constexpr ForeignFile kPickle{
    "a Python pickle, such as a snapshot of PyTorch's memory, not a recording",
    "record a timeline: torch.profiler.profile(...) and export_chrome_trace('rank0.json')"};
constexpr ForeignFile kXplane{"a profile of TensorFlow or JAX (XPlane), which has no reader here",
                              kRecordings};

/// In the order in which they are tried.
constexpr std::array kForeignKinds = {
    ForeignKind{{"NVR\0", 4}, {}, "", kNsightCompute},
    ForeignKind{"", {}, ".ncu-rep", kNsightCompute},
    ForeignKind{"==PROF==", {}, "", kNsightCompute},
    ForeignKind{"", {"\"Kernel Name\"", "\"Metric Name\""}, "", kNsightCompute},
    ForeignKind{"", {"KernelName", "DurationNs"}, "", kRocprofTable},
    ForeignKind{"", {"Kernel_Name", "Start_Timestamp"}, "", kRocprofTable},
    ForeignKind{"version https://git-lfs",
                {},
                "",
                {"a pointer of Git LFS, not the file itself", "fetch the file: git lfs pull"}},
    ForeignKind{"<!DOCTYPE html", {}, "", {"a web page", "download the file itself (raw)"}},
    ForeignKind{"<!doctype html", {}, "", {"a web page", "download the file itself (raw)"}},
    ForeignKind{"<html", {}, "", {"a web page", "download the file itself (raw)"}},
    ForeignKind{"%PDF-", {}, "", {"a PDF document", kRecordings}},
    ForeignKind{"\x80\x02", {}, "", kPickle},
    ForeignKind{"\x80\x03", {}, "", kPickle},
    ForeignKind{"\x80\x04\x95", {}, "", kPickle},
    ForeignKind{"\x80\x05\x95", {}, "", kPickle},
    ForeignKind{"SQLite format 3",
                {},
                "",
                {"a database without the tables of Nsight Systems, rocprofv3 or a run of Orrery",
                 kRecordings}},
    ForeignKind{"", {}, ".perfetto-trace", kPerfetto},
    ForeignKind{"", {}, ".pftrace", kPerfetto},
    ForeignKind{"", {}, ".xplane.pb", kXplane},
    ForeignKind{"",
                {},
                "*.tfevents.",
                {"an event file of TensorBoard, which has no kernels",
                 "record a timeline: torch.profiler.profile(...)"}},
    ForeignKind{"<?xml",
                {},
                "",
                {"an XML file, not a trace",
                 "'orrery collective check' reads plans of collectives, 'orrery "
                 "network show' topologies",
                 true}},
    ForeignKind{
        "<algo",
        {},
        "",
        {"a plan of a collective (MSCCL), not a trace", "orrery collective check FILE", true}}};

constexpr ForeignFile kText{"a text file, not a trace", kRecordings, true};

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
    if (head.starts_with(kind.start) && has_words(head, kind.words) && has_name(path, kind.name))
      return &kind.file;
  return is_text(head) ? &kText : nullptr;
}

}  // namespace orrery::trace
