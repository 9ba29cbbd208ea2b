// SPDX-License-Identifier: Apache-2.0
//
// What ran on devices.
#include <fmt/format.h>

#include <array>

#include "orrery/trace/nsys/import.h"

namespace orrery::trace::nsys {
namespace {

using profile::Kind;

/// CUPTI's kinds of copies.
std::string_view copy_name(std::int64_t kind) {
  constexpr std::array<std::string_view, 11> kNames = {
      "Memcpy",      "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
      "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
  if (kind < 0 || kind >= static_cast<std::int64_t>(kNames.size())) return kNames[0];
  return kNames[static_cast<std::size_t>(kind)];
}

/// What all tables of device work begin with.
enum Column : std::size_t {
  kStart,
  kEnd,
  kDevice,
  kStream,
  kCorrelation,
  kPid,
  kFirstOwn  // of each table
};
/// What the table of kernels goes on with.
enum KernelColumn : std::size_t {
  kName = kFirstOwn,
  kGrid = kName + 3,
  kBlock = kGrid + 3,
  kRegisters = kBlock + 3,
  kStaticMemory,
  kDynamicMemory,
  kGraph,
  kGraphNode
};

/// The times CUPTI gives when it could not measure.
bool unmeasured(const Rows& rows) {
  return rows.integer(kStart).value_or(0) == 0 && rows.integer(kEnd).value_or(0) == 0;
}

}  // namespace

profile::Work* Import::add_on_device(Kind kind, StringId name, const Rows& rows, const Actor& who,
                                     std::int64_t bytes) {
  const std::uint32_t lane =
      stream_lane(rows.integer(kDevice).value_or(0), rows.integer(kStream).value_or(0), who);
  const auto event = add(kind, lane, name, rows.integer(kStart), rows.integer(kEnd));
  if (!event) return nullptr;
  return &add_work(*event, correlation(rows.integer(kCorrelation), who), bytes);
}

/// Grid, block and what a thread takes, under the names other profilers use; empty if not said.
StringId Import::launch_of(const Rows& rows) {
  if (!rows.integer(kGrid)) return StringId::empty;
  const auto value = [&](std::size_t column) { return rows.integer(column).value_or(0); };
  std::string text = fmt::format(R"({{"grid": [{}, {}, {}], "block": [{}, {}, {}])", value(kGrid),
                                 value(kGrid + 1), value(kGrid + 2), value(kBlock),
                                 value(kBlock + 1), value(kBlock + 2));
  const auto shared = static_cast<std::uint64_t>(value(kStaticMemory)) +
                      static_cast<std::uint64_t>(value(kDynamicMemory));
  text += fmt::format(R"(, "registers per thread": {}, "shared memory": {})", value(kRegisters),
                      shared);
  if (rows.integer(kGraph)) text += fmt::format(R"(, "graph id": {})", value(kGraph));
  if (rows.integer(kGraphNode)) text += fmt::format(R"(, "graph node id": {})", value(kGraphNode));
  return intern(text + "}");
}

/// The longest name there is.
Result<StringId> Import::kernel_name(const Rows& rows) {
  for (std::size_t column = kName; column < kGrid; ++column) {
    auto found = name_of(rows.integer(column));
    if (!found || *found != StringId::empty) return found;
  }
  return intern("kernel");
}

Result<void> Import::read_kernels() {
  // In the order of KernelColumn.
  constexpr std::array<std::string_view, 20> kColumns = {"start",
                                                         "end",
                                                         "deviceId",
                                                         "streamId",
                                                         "correlationId",
                                                         "globalPid",
                                                         "demangledName",
                                                         "shortName",
                                                         "mangledName",
                                                         "gridX",
                                                         "gridY",
                                                         "gridZ",
                                                         "blockX",
                                                         "blockY",
                                                         "blockZ",
                                                         "registersPerThread",
                                                         "staticSharedMemory",
                                                         "dynamicSharedMemory",
                                                         "graphId",
                                                         "graphNodeId"};
  for (const char* table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"}) {
    auto done = for_rows(table, kColumns, [&](Rows& rows) -> Result<void> {
      const Actor who = actor(rows.integer(kPid));
      if (!wanted(who)) return {};
      if (unmeasured(rows)) {
        leave_out(table_, FindingCode::event_dropped);
        return {};
      }
      const auto name = kernel_name(rows);
      if (!name) return tl::unexpected(name.error());
      if (profile::Work* work = add_on_device(Kind::kernel, *name, rows, who, -1))
        work->launch = launch_of(rows);
      return {};
    });
    if (!done) return done;
  }
  return {};
}

Result<void> Import::read_copies() {
  constexpr std::array<std::string_view, 8> kColumns = {
      "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind"};
  return for_rows("CUPTI_ACTIVITY_KIND_MEMCPY", kColumns, [&](Rows& rows) -> Result<void> {
    const Actor who = actor(rows.integer(kPid));
    if (!wanted(who)) return {};
    const StringId name = intern(copy_name(rows.integer(kFirstOwn + 1).value_or(0)));
    add_on_device(Kind::memcpy, name, rows, who, rows.integer(kFirstOwn).value_or(-1));
    return {};
  });
}

Result<void> Import::read_sets() {
  constexpr std::array<std::string_view, 7> kColumns = {
      "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"};
  return for_rows("CUPTI_ACTIVITY_KIND_MEMSET", kColumns, [&](Rows& rows) -> Result<void> {
    const Actor who = actor(rows.integer(kPid));
    if (!wanted(who)) return {};
    const std::int64_t bytes = rows.integer(kFirstOwn).value_or(-1);
    add_on_device(Kind::memset, intern("Memset"), rows, who, bytes);
    return {};
  });
}

/// Whole CUDA graphs, recorded instead of their kernels.
Result<void> Import::read_graphs() {
  constexpr std::array<std::string_view, 7> kColumns = {
      "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"};
  return for_rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kColumns, [&](Rows& rows) -> Result<void> {
    const Actor who = actor(rows.integer(kPid));
    if (!wanted(who)) return {};
    const auto graph = rows.integer(kFirstOwn);
    const StringId name = intern(graph ? fmt::format("CUDA graph {}", *graph) : "CUDA graph");
    add_on_device(Kind::device_other, name, rows, who, -1);
    return {};
  });
}

Result<void> Import::read_devices() {
  constexpr std::array<std::string_view, 5> kColumns = {"id", "cuDevice", "name", "totalMemory",
                                                        "smCount"};
  return for_rows("TARGET_INFO_GPU", kColumns, [&](Rows& rows) -> Result<void> {
    profile::Device device;
    const auto cuda = rows.integer(1);
    device.id = cuda && *cuda >= 0 ? *cuda : rows.integer(0).value_or(0);
    device.name = std::string(rows.text(2).value_or(""));
    device.memory_bytes = std::max<std::int64_t>(rows.integer(3).value_or(0), 0);
    device.processors = std::max<std::int64_t>(rows.integer(4).value_or(0), 0);
    profile_.devices.push_back(std::move(device));
    ++profile_.account.mapped;
    return {};
  });
}

}  // namespace orrery::trace::nsys
