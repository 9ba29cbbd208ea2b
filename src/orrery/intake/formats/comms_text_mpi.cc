// SPDX-License-Identifier: Apache-2.0
//
// Converts traces of MPI calls, process by process.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "orrery/core/quantity.h"
#include "orrery/intake/formats/comms_text_internal.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/json/scan.h"

namespace orrery::intake {
namespace {

using nlohmann::json;
using profile::Comm;
using profile::CommKind;

/// Bytes of MPI's predefined datatypes by Open MPI's numbers. Such traces contain these numbers,
/// and Chakra's own converter interprets them so.
constexpr std::array<std::int32_t, 47> kDatatypes = {
    0, 1,  1,  2, 2, 4, 4,  8,  8,  4, 8,  16, 4,  8, 16, 32, 4, 4, 1, 4,  1,  4, 4, 8,
    8, 16, 32, 8, 8, 8, 16, 16, 32, 8, 16, 32, 16, 8, 8,  8,  1, 8, 8, 16, 32, 0, 0};

/// "MPI_Iallreduce" → "allreduce": the call without the prefix and without the "I" of non-blocking
/// calls.
std::string call_name(std::string_view name, bool& asynchronous) {
  std::string out;
  for (const char c : name.substr(4))
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  constexpr std::string_view kAlone[] = {"init", "is_thread_main", "info_create", "initialized"};
  asynchronous = out.size() > 2 && out[0] == 'i' && out.substr(0, 4) != "init" &&
                 out.substr(0, 4) != "info" && out.substr(0, 3) != "is_" &&
                 out.substr(0, 5) != "inter" &&
                 std::find(std::begin(kAlone), std::end(kAlone), out) == std::end(kAlone);
  if (asynchronous) out.erase(0, 1);
  return out;
}

CommKind mpi_comm_kind(std::string_view call) {
  constexpr std::array<std::pair<std::string_view, CommKind>, 20> kCalls = {
      {{"allreduce", CommKind::all_reduce},
       {"alltoall", CommKind::all_to_all},
       {"alltoallv", CommKind::all_to_all},
       {"allgather", CommKind::all_gather},
       {"allgatherv", CommKind::all_gather},
       {"reduce_scatter", CommKind::reduce_scatter},
       {"reduce_scatter_block", CommKind::reduce_scatter},
       {"bcast", CommKind::broadcast},
       {"reduce", CommKind::reduce},
       {"gather", CommKind::gather},
       {"gatherv", CommKind::gather},
       {"scatter", CommKind::scatter},
       {"scatterv", CommKind::scatter},
       {"barrier", CommKind::barrier},
       {"send", CommKind::send},
       {"ssend", CommKind::send},
       {"bsend", CommKind::send},
       {"rsend", CommKind::send},
       {"recv", CommKind::recv},
       {"wait", CommKind::wait}}};
  for (const auto& [name, kind] : kCalls) {
    if (call == name) return kind;
  }
  return call.substr(0, 4) == "wait" ? CommKind::wait : CommKind::unknown;
}

bool is_mpi(std::string_view name) { return name.substr(0, 4) == "MPI_"; }

class MpiConverter {
 public:
  MpiConverter(const std::vector<MpiEvent>& events, std::string where, CommsTextReport& report,
               Findings& findings)
      : where_(std::move(where)), report_(report), findings_(findings) {
    std::map<std::int64_t, std::set<std::int64_t>> members;  // by communicator
    for (const MpiEvent& event : events) {
      bool asynchronous = false;
      if (is_mpi(event.name) &&
          mpi_comm_kind(call_name(event.name, asynchronous)) != CommKind::unknown)
        rank_of_.emplace(event.process, 0);
    }
    std::uint32_t next = 0;
    for (auto& [process, rank] : rank_of_) rank = next++;
    for (const MpiEvent& event : events) {
      if (event.comm >= 0 && rank_of_.count(event.process) != 0)
        members[event.comm].insert(event.process);
    }
    for (const auto& [comm, processes] : members) {
      if (processes.size() == rank_of_.size()) continue;
      profile::Group group;
      group.name = fmt::format("comm{}", comm);
      for (const std::int64_t process : processes) group.ranks.push_back(rank_of_[process]);
      group.size = static_cast<std::int32_t>(group.ranks.size());
      group_sizes_[comm] = group.size;
      groups_.push_back(std::move(group));
    }
  }

  [[nodiscard]] const std::map<std::int64_t, std::uint32_t>& ranks() const { return rank_of_; }

  /// Writes one process. `events` are its events, by start.
  Result<void> write(const std::vector<MpiEvent>& events, std::uint32_t rank,
                     const OutputFiles& target) {
    RankWriter file(rank, report_, findings_);
    if (auto done = file.open(target, "mpi"); !done) return done;
    NodeIds host, requests;
    std::int64_t now = events.front().start;
    for (const MpiEvent& event : events) {
      if (event.start > now) host = {file.compute("gap", event.start - now, host)};
      now = std::max(now, event.start + event.duration);
      add(event, file, host, requests);
    }
    return file.close(groups_);
  }

 private:
  void add(const MpiEvent& event, RankWriter& file, NodeIds& host, NodeIds& requests) {
    bool asynchronous = false;
    const std::string call =
        is_mpi(event.name) ? call_name(event.name, asynchronous) : std::string();
    Comm comm;
    comm.kind = call.empty() ? CommKind::unknown : mpi_comm_kind(call);
    if (comm.kind == CommKind::unknown) {
      host = {file.compute(event.name, event.duration, host)};
      return;
    }
    if (comm.kind == CommKind::wait) {
      requests.insert(requests.end(), host.begin(), host.end());
      host = {file.compute(event.name, 0, requests)};
      requests.clear();
      return;
    }
    const bool message = is_message(comm.kind);
    if (message) {
      const auto peer = rank_of_.find(event.peer);
      if (peer != rank_of_.end()) comm.peer = static_cast<std::int32_t>(peer->second);
    } else if (event.root >= 0 && event.root < std::int64_t{1} << 31) {
      comm.peer = static_cast<std::int32_t>(event.root);
    }
    const auto size = group_sizes_.find(event.comm);
    const std::string group = message || size == group_sizes_.end() || event.comm < 0
                                  ? std::string()
                                  : fmt::format("comm{}", event.comm);
    const std::string place = fmt::format("{}:byte {} ({})", where_, event.offset, event.name);
    const std::uint64_t id =
        file.comm(event.name, comm, bytes(event, comm.kind), static_cast<std::int32_t>(event.tag),
                  group, event.duration, place, host);
    if (asynchronous) {
      requests.push_back(id);
    } else {
      host = {id};
    }
  }

  [[nodiscard]] std::int64_t bytes(const MpiEvent& event, CommKind kind) const {
    if (kind == CommKind::barrier) return 0;
    if (event.count < 0 || event.datatype < 0 ||
        static_cast<std::size_t>(event.datatype) >= kDatatypes.size())
      return -1;
    std::int64_t out = event.count;
    const auto size = group_sizes_.find(event.comm);
    const auto members = static_cast<std::int64_t>(
        size == group_sizes_.end() ? rank_of_.size() : static_cast<std::size_t>(size->second));
    // MPI counts these per peer, Chakra in total.
    const bool per_peer = kind == CommKind::all_to_all || kind == CommKind::reduce_scatter ||
                          kind == CommKind::scatter;
    if ((per_peer && __builtin_mul_overflow(out, members, &out)) ||
        __builtin_mul_overflow(out, kDatatypes[static_cast<std::size_t>(event.datatype)], &out))
      return -1;
    return out;
  }

  std::string where_;
  CommsTextReport& report_;
  Findings& findings_;
  std::map<std::int64_t, std::uint32_t> rank_of_;
  // Of communicators that do not contain all processes.
  std::map<std::int64_t, std::int32_t> group_sizes_;
  std::vector<profile::Group> groups_;
};

}  // namespace

std::optional<MpiEvent> mpi_event(const json& event, std::string_view start,
                                  std::string_view duration) {
  constexpr int kPicoseconds = 6;  // digits after the point of microseconds
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (text_member(event, "ph") != "X" || text_member(event, "name").empty()) return std::nullopt;
  const auto from = trace::json::fixed_point(trace::json::trim(start), kPicoseconds);
  const auto lasting = duration.empty()
                           ? std::optional<std::int64_t>(0)
                           : trace::json::fixed_point(trace::json::trim(duration), kPicoseconds);
  const auto process = integer_member(event, "pid");
  if (!from || !lasting || !process || *lasting < 0 || *from < -kMost || *from > kMost ||
      *lasting > kMost)
    return std::nullopt;
  MpiEvent out;
  out.start = *from;
  out.duration = *lasting;
  out.process = *process;
  out.name = text_member(event, "name");
  const auto arguments = event.find("args");
  if (arguments == event.end() || !arguments->is_object()) return out;
  out.count = integer_member(*arguments, "count").value_or(-1);
  out.datatype = integer_member(*arguments, "datatype").value_or(-1);
  out.comm = integer_member(*arguments, "comm").value_or(-1);
  out.root = integer_member(*arguments, "root").value_or(-1);
  const auto tag = integer_member(*arguments, "tag").value_or(0);
  out.tag = tag < -(std::int64_t{1} << 31) || tag >= std::int64_t{1} << 31 ? 0 : tag;
  const auto dest = integer_member(*arguments, "dest");
  out.peer = dest ? *dest : integer_member(*arguments, "source").value_or(-1);
  return out;
}

Result<void> convert_mpi(std::vector<MpiEvent>&& events, const std::string& where,
                         const OutputFiles& target, CommsTextReport& report, Findings& findings) {
  std::stable_sort(events.begin(), events.end(), [](const MpiEvent& a, const MpiEvent& b) {
    return std::tie(a.process, a.start) < std::tie(b.process, b.start);
  });
  MpiConverter job(events, where, report, findings);
  for (auto at = events.begin(); at != events.end();) {
    const auto end = std::find_if(
        at, events.end(), [&](const MpiEvent& event) { return event.process != at->process; });
    const auto rank = job.ranks().find(at->process);
    if (rank == job.ranks().end()) {
      findings.add(FindingCode::event_not_kept,
                   fmt::format("{}: process {} does not communicate", where, at->process),
                   static_cast<std::uint64_t>(end - at));
    } else if (auto done = job.write({at, end}, rank->second, target); !done) {
      return done;
    }
    at = end;
  }
  return {};
}

}  // namespace orrery::intake
