// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/nsight_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace orrery::trace::nsys {

Import::Import(Database& database, const ReadOptions& options, Findings& findings)
    : TableImport(database, options.strings, "nsys", options.process, findings),
      options_(options) {}

Result<profile::Profile> Import::run() {
  const auto& tables = database_.tables();
  const bool nsight = std::any_of(tables.begin(), tables.end(), is_nsight_table);
  if (!nsight) {
    return fail(Errc::input_unsupported, profile_.where,
                "is an SQLite database without Nsight Systems tables",
                "export the report with 'nsys export --type sqlite'");
  }
  seen_tables_.insert("StringIds");
  if (auto opened = open_names("StringIds", "id", "value"); !opened)
    return tl::unexpected(std::move(opened.error()));
  using Step = Result<void> (Import::*)();
  using TableStep = Result<void> (Import::*)(std::string_view);
  constexpr std::array<Step, 8> kBegin = {&Import::read_facts,         &Import::read_devices,
                                          &Import::read_kernels,       &Import::read_copies,
                                          &Import::read_memsets,       &Import::read_graphs,
                                          &Import::read_event_records, &Import::read_syncs};
  constexpr std::array<std::pair<TableStep, std::string_view>, 10> kTables = {
      {{&Import::read_calls, "CUPTI_ACTIVITY_KIND_RUNTIME"},
       {&Import::read_calls, "CUPTI_ACTIVITY_KIND_DRIVER"},
       {&Import::read_overhead, "CUPTI_ACTIVITY_KIND_OVERHEAD"},
       {&Import::read_overhead, "PROFILER_OVERHEAD"},
       {&Import::read_library, "CUDNN_EVENTS"},
       {&Import::read_library, "CUBLAS_EVENTS"},
       {&Import::read_mpi, "MPI_COLLECTIVES_EVENTS"},
       {&Import::read_mpi, "MPI_P2P_EVENTS"},
       {&Import::read_mpi, "MPI_START_WAIT_EVENTS"},
       {&Import::read_mpi, "MPI_OTHER_EVENTS"}}};
  constexpr std::array<Step, 4> kEnd = {&Import::read_ranges, &Import::read_thread_names,
                                        &Import::read_mpi_ranks, &Import::count_other_tables};
  for (const Step step : kBegin) {
    if (auto done = (this->*step)(); !done) return tl::unexpected(std::move(done.error()));
  }
  for (const auto& [step, table] : kTables) {
    if (auto done = (this->*step)(table); !done) return tl::unexpected(std::move(done.error()));
  }
  for (const Step step : kEnd) {
    if (auto done = (this->*step)(); !done) return tl::unexpected(std::move(done.error()));
  }
  if (profile_.events.empty()) {
    return fail(Errc::input_empty, profile_.where, "contains no event",
                "record the program with --trace=cuda,nvtx");
  }
  find_rank();
  return finish();
}

tables::ThreadId Import::thread_id(std::optional<std::int64_t> global) {
  if (!global) return {};
  return TableImport::thread_id(process_of(*global), thread_of(*global));
}

/// Sets world size and rank from the largest communicator; the rank only if it is unambiguous.
void Import::find_rank() {
  std::int32_t most = 0;
  const std::set<std::int64_t>* ranks = nullptr;
  for (const auto& [communicator, seen] : ranks_of_communicator_) {
    const std::int32_t size = profile_.groups[communicators_.at(communicator)].size;
    if (size <= most) continue;
    most = size;
    ranks = &seen;
  }
  if (ranks == nullptr) return;
  profile_.world_size = static_cast<std::uint32_t>(most);
  if (!profile_.rank && ranks->size() == 1 && *ranks->begin() < most)
    profile_.rank = static_cast<std::uint32_t>(*ranks->begin());
}

// Device work.

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

/// The first columns of all tables of device work.
enum Column : std::size_t {
  kStart,
  kEnd,
  kDevice,
  kStream,
  kCorrelation,
  kPid,
  kFirstOwn  // of each table
};
/// Further columns of the table of kernels.
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

/// True for the times that CUPTI writes when it could not measure.
bool has_no_times(const Rows& rows) {
  return rows.integer(kStart).value_or(0) == 0 && rows.integer(kEnd).value_or(0) == 0;
}

}  // namespace

profile::Work* Import::add_device_work(Kind kind, StringId name, const Rows& rows,
                                       const ThreadId& thread, std::int64_t bytes) {
  const std::uint32_t lane =
      stream_lane(rows.integer(kDevice).value_or(0), rows.integer(kStream).value_or(0), thread);
  const auto event = add(kind, lane, name, rows.integer(kStart), rows.integer(kEnd));
  if (!event) return nullptr;
  return &add_work(*event, correlation(rows.integer(kCorrelation), thread), bytes);
}

/// Grid, block and resources per thread, under the names of other profilers; empty if absent.
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

/// The longest available name.
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
      const ThreadId thread = thread_id(rows.integer(kPid));
      if (!is_selected(thread)) return {};
      if (has_no_times(rows)) {
        leave_out(table_, FindingCode::event_dropped);
        return {};
      }
      const auto name = kernel_name(rows);
      if (!name) return tl::unexpected(name.error());
      if (profile::Work* work = add_device_work(Kind::kernel, *name, rows, thread, -1))
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
    const ThreadId thread = thread_id(rows.integer(kPid));
    if (!is_selected(thread)) return {};
    const StringId name = intern(copy_name(rows.integer(kFirstOwn + 1).value_or(0)));
    add_device_work(Kind::memcpy, name, rows, thread, rows.integer(kFirstOwn).value_or(-1));
    return {};
  });
}

Result<void> Import::read_memsets() {
  constexpr std::array<std::string_view, 7> kColumns = {
      "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"};
  return for_rows("CUPTI_ACTIVITY_KIND_MEMSET", kColumns, [&](Rows& rows) -> Result<void> {
    const ThreadId thread = thread_id(rows.integer(kPid));
    if (!is_selected(thread)) return {};
    const std::int64_t bytes = rows.integer(kFirstOwn).value_or(-1);
    add_device_work(Kind::memset, intern("Memset"), rows, thread, bytes);
    return {};
  });
}

/// Reads complete CUDA graphs, which are recorded instead of their kernels.
Result<void> Import::read_graphs() {
  constexpr std::array<std::string_view, 7> kColumns = {
      "start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"};
  return for_rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kColumns, [&](Rows& rows) -> Result<void> {
    const ThreadId thread = thread_id(rows.integer(kPid));
    if (!is_selected(thread)) return {};
    const auto graph = rows.integer(kFirstOwn);
    const StringId name = intern(graph ? fmt::format("CUDA graph {}", *graph) : "CUDA graph");
    add_device_work(Kind::device_other, name, rows, thread, -1);
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

// Threads: calls, library functions, NVTX ranges.

namespace {

using profile::CommKind;
using profile::Kind;

/// "cudaLaunchKernel_ptsz_v7000" → "cudaLaunchKernel": Nsight names the entry point of a version.
std::string_view without_version(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  if (mark != name.npos && mark > 0 && mark + 2 < name.size() &&
      name.find_first_not_of("0123456789", mark + 2) == name.npos)
    name = name.substr(0, mark);
  for (const std::string_view end : {"_ptsz", "_ptds"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  return name;
}

enum RangeColumn : std::size_t {
  kRangeStart,
  kRangeEnd,
  kType,
  kThread,
  kText,
  kTextId,
  kJson,
  kJsonId,
  kBinary
};

/// Nsight's types of NVTX records.
enum RangeType : std::int64_t {
  kPushPop = 59,
  kStartEnd = 60,
  kImportedPushPop = 70,
  kImportedStartEnd = 71,
  kCategory = 33,
  kMark = 34,
  kDomain = 75
};

bool is_nccl_name(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("rccl") || name.starts_with("NCCL");
}

std::int32_t number_or_none(std::optional<std::int64_t> value) {
  if (!value || *value < 0 || *value > std::numeric_limits<std::int32_t>::max()) return -1;
  return static_cast<std::int32_t>(*value);
}

}  // namespace

Result<void> Import::read_calls(std::string_view table) {
  constexpr std::array<std::string_view, 5> kColumns = {"start", "end", "globalTid",
                                                        "correlationId", "nameId"};
  std::map<StringId, StringId> plain;
  return for_rows(table, kColumns, [&](Rows& rows) -> Result<void> {
    const ThreadId thread = thread_id(rows.integer(2));
    if (!is_selected(thread)) return {};
    const auto name = name_of(rows.integer(4));
    if (!name) return tl::unexpected(name.error());
    const auto [known, added] = plain.try_emplace(*name, StringId::empty);
    if (added)
      known->second =
          intern(*name == StringId::empty ? std::string_view("call")
                                          : without_version(profile_.strings->view(*name)));
    const auto event =
        add(Kind::call, thread_lane(thread), known->second, rows.integer(0), rows.integer(1));
    if (!event) return {};
    add_call(*event, correlation(rows.integer(3), thread));
    return {};
  });
}

/// Adds a row of a table that begins with start, end, globalTid and the name's id. Nothing:
/// omitted.
Result<std::optional<profile::EventId>> Import::add_named(const Rows& rows, Kind kind,
                                                          std::string_view otherwise) {
  const ThreadId thread = thread_id(rows.integer(2));
  if (!is_selected(thread)) return std::nullopt;
  const auto name = name_of(rows.integer(3));
  if (!name) return tl::unexpected(name.error());
  return add(kind, thread_lane(thread), *name == StringId::empty ? intern(otherwise) : *name,
             rows.integer(0), rows.integer(1));
}

Result<void> Import::read_overhead(std::string_view table) {
  constexpr std::array<std::string_view, 4> kColumns = {"start", "end", "globalTid", "nameId"};
  return for_rows(table, kColumns, [&](Rows& rows) -> Result<void> {
    const auto event = add_named(rows, Kind::overhead, "profiler overhead");
    return event ? Result<void>() : tl::unexpected(event.error());
  });
}

/// Functions of cuBLAS and cuDNN.
Result<void> Import::read_library(std::string_view table) {
  constexpr std::array<std::string_view, 4> kColumns = {"start", "end", "globalTid", "nameId"};
  return for_rows(table, kColumns, [&](Rows& rows) -> Result<void> {
    const auto event = add_named(rows, Kind::annotation, "library call");
    if (!event) return tl::unexpected(event.error());
    if (*event) add_op(**event);
    return {};
  });
}

Result<void> Import::read_mpi(std::string_view table) {
  constexpr std::array<std::string_view, 7> kColumns = {
      "start", "end", "globalTid", "textId", "size", "remoteRank", "rootRank"};
  return for_rows(table, kColumns, [&](Rows& rows) -> Result<void> {
    const auto event = add_named(rows, Kind::annotation, "MPI");
    if (!event) return tl::unexpected(event.error());
    if (!*event) return {};
    const StringId name = profile_.events[**event].name;
    const CommKind kind = profile::comm_kind_of_name(profile_.strings->view(name));
    std::uint32_t comm = profile::kNone;
    const bool communicates = table_ == "MPI_COLLECTIVES_EVENTS" || table_ == "MPI_P2P_EVENTS";
    if (communicates && kind != CommKind::unknown) {
      profile::Comm& added = profile_.comms.emplace_back();
      added.kind = kind;
      added.name = name;
      added.element_bytes = 1;
      added.in_elements = std::max<std::int64_t>(rows.integer(4).value_or(-1), -1);
      added.peer = number_or_none(rows.has(5) ? rows.integer(5) : rows.integer(6));
      comm = static_cast<std::uint32_t>(profile_.comms.size() - 1);
    }
    add_op(**event, comm);
    return {};
  });
}

/// The payload of a range, from any of its three places.
Result<Payload> Import::payload_of(Rows& rows, const PayloadSchemas& schemas) {
  if (const auto bytes = rows.bytes(kBinary)) return schemas.decode(*bytes);
  if (const auto json = rows.text(kJson)) return payload_of_json(*json);
  const auto json = name_of(rows.integer(kJsonId));
  if (!json) return tl::unexpected(json.error());
  return payload_of_json(profile_.strings->view(*json));
}

Result<void> Import::read_ranges() {
  // In the order of RangeColumn.
  constexpr std::array<std::string_view, 9> kColumns = {"start",     "end",        "eventType",
                                                        "globalTid", "text",       "textId",
                                                        "jsonText",  "jsonTextId", "binaryData"};
  seen_tables_.insert("NVTX_PAYLOAD_SCHEMA_ENTRIES");
  auto schemas = PayloadSchemas::read(database_);
  if (!schemas) return tl::unexpected(std::move(schemas.error()));
  profile_.account.records += schemas->records();
  profile_.account.mapped += schemas->records();
  return for_rows("NVTX_EVENTS", kColumns, [&](Rows& rows) -> Result<void> {
    const std::int64_t type = rows.integer(kType).value_or(kPushPop);
    if (type == kCategory || type == kDomain) {
      ++profile_.account.mapped;
      return {};
    }
    const bool range = type == kPushPop || type == kStartEnd || type == kImportedPushPop ||
                       type == kImportedStartEnd;
    if (!range || (!rows.has(kType) && !rows.integer(kRangeEnd))) {
      leave_out(type == kMark || range ? "NVTX mark" : "NVTX record of another type",
                FindingCode::event_not_kept);
      return {};
    }
    const ThreadId thread = thread_id(rows.integer(kThread));
    if (!is_selected(thread)) return {};
    StringId name = StringId::empty;
    if (const auto text = rows.text(kText)) name = intern(*text);
    if (name == StringId::empty) {
      auto found = name_of(rows.integer(kTextId));
      if (!found) return tl::unexpected(std::move(found.error()));
      name = *found;
    }
    const auto event =
        add(Kind::annotation, thread_lane(thread), name == StringId::empty ? intern("range") : name,
            rows.integer(kRangeStart), rows.integer(kRangeEnd));
    if (!event) return {};
    std::uint32_t comm = profile::kNone;
    if (is_nccl_name(profile_.strings->view(name))) {
      const auto payload = payload_of(rows, *schemas);
      if (!payload) return tl::unexpected(payload.error());
      note_communicator(*payload);
      comm = add_nccl(name, *payload);
    }
    add_op(*event, comm);
    return {};
  });
}

std::uint32_t Import::group_of(std::uint64_t communicator) {
  const auto [place, added] =
      communicators_.try_emplace(communicator, static_cast<std::uint32_t>(profile_.groups.size()));
  if (added) {
    profile::Group& group = profile_.groups.emplace_back();
    group.name = fmt::format("0x{:016x}", communicator);
    group.backend = "nccl";
    profile_.backend = "nccl";
  }
  return place->second;
}

void Import::note_communicator(const Payload& payload) {
  if (!payload.communicator || !payload.ranks) return;
  profile::Group& group = profile_.groups[group_of(*payload.communicator)];
  group.size = number_or_none(payload.ranks);
  std::set<std::int64_t>& ranks = ranks_of_communicator_[*payload.communicator];
  if (payload.rank) ranks.insert(*payload.rank);
}

/// Adds a collective's Comm from NCCL's payload: sizes are those of one message, in bytes.
std::uint32_t Import::add_nccl(StringId name, const Payload& payload) {
  const CommKind kind = profile::comm_kind_of_name(profile_.strings->view(name));
  if (kind == CommKind::unknown) return profile::kNone;
  profile::Comm comm;
  comm.kind = kind;
  comm.name = name;
  comm.element_bytes = 1;
  comm.peer = number_or_none(payload.peer ? payload.peer : payload.root);
  if (payload.communicator) {
    comm.group = group_of(*payload.communicator);
    comm.group_size = profile_.groups[comm.group].size;
  }
  const std::int64_t message_bytes = payload.bytes.value_or(-1);
  std::int64_t total_bytes = -1;  // total of all ranks
  if (message_bytes >= 0 && comm.group_size > 0 &&
      __builtin_mul_overflow(message_bytes, comm.group_size, &total_bytes))
    total_bytes = -1;
  switch (kind) {
    case CommKind::all_gather:
    case CommKind::gather:
      comm.in_elements = message_bytes;
      comm.out_elements = total_bytes;
      break;
    case CommKind::reduce_scatter:
    case CommKind::scatter:
      comm.in_elements = total_bytes;
      comm.out_elements = message_bytes;
      break;
    case CommKind::all_to_all:
      comm.in_elements = comm.out_elements = total_bytes;
      break;
    case CommKind::send:
      comm.in_elements = message_bytes;
      break;
    case CommKind::recv:
      comm.out_elements = message_bytes;
      break;
    default:
      comm.in_elements = comm.out_elements = message_bytes;
  }
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

}  // namespace orrery::trace::nsys
