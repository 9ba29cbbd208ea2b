// SPDX-License-Identifier: Apache-2.0
//
// Dumps of PyTorch's flight recorder: the last collectives and messages of a rank, with their
// states. PyTorch writes one file per rank when a job hangs, as a pickle or as JSON.
//
// Source: torch/csrc/distributed/c10d/FlightRecorder.hpp and FlightRecorderDetail.hpp of PyTorch
// (00f0e2f6, 1189309e); torch/distributed/flight_recorder/components of PyTorch (01c9f4fc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::flight_recorder {

/// What the rank's watchdog knew of a record. Only with TORCH_NCCL_ENABLE_TIMING does PyTorch
/// distinguish `started` from `scheduled`.
enum class State : std::uint8_t { scheduled, started, completed };
/// "scheduled" …, as PyTorch writes it.
[[nodiscard]] std::string_view name(State state);

/// The tensors of a record.
struct Tensors {
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<std::string> types;  ///< "Float", "BFloat16"

  bool operator==(const Tensors&) const = default;
};

/// One operation of a process group.
struct Record {
  std::int64_t record_id = 0;       ///< its number in the rank, from 0
  std::int64_t group_id = -1;       ///< number of the process group in the rank (pg_id); -1: none
  std::string group;                ///< name of the process group
  std::string group_description;    ///< "default_pg"
  std::int64_t collective_seq = 0;  ///< number of the collective in its group
  std::int64_t p2p_seq = 0;
  std::string library;    ///< "nccl"
  std::string operation;  ///< "all_reduce", "send"
  bool is_p2p = false;
  std::optional<std::int64_t> peer{};  ///< of a send or receive: its rank in the group
  Tensors inputs{}, outputs{};
  std::int64_t created_ns = 0;     ///< when the host called it, since the Unix epoch
  std::optional<Time> duration{};  ///< of the kernel; only with TORCH_NCCL_ENABLE_TIMING
  State state = State::scheduled;
  bool has_start = false;  ///< the watchdog saw the kernel start
  std::string call_site;   ///< "train.py:88 in step": the innermost frame outside of PyTorch
};

struct Group {
  std::string name, description;
  std::vector<std::uint32_t> ranks;  ///< ascending; empty: the dump does not list them
};

/// What the watchdog of a rank knew of a process group (pg_status): numbers of operations, -1:
/// none. Messages count in numbers of their own, so a group with messages mixes both.
struct GroupStatus {
  std::int64_t group_id = 0;
  std::int64_t enqueued = -1, started = -1, completed = -1;  ///< the last one
};

/// The dump of one rank. It does not contain the number of the rank.
struct Dump {
  std::string version;                ///< of the format: "2.4"
  std::vector<Group> groups;          ///< by name
  std::vector<GroupStatus> statuses;  ///< by group_id
  std::vector<Record> records;
};

/// Reads a dump as a pickle or as JSON, by its content. Errc: those of read_pickle and read_json;
/// input_unsupported (not version 2 of the format), input_missing_attr, input_corrupt (a value of
/// another kind than PyTorch writes), input_range, limit_exceeded, and those of `source`.
[[nodiscard]] Result<Dump> read_dump(ByteSource& source, const std::string& where);

}  // namespace orrery::trace::flight_recorder
