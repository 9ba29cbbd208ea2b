// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/intake/formats/comms_text.h"
#include "orrery/profile/comm.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {

using NodeIds = std::vector<std::uint64_t>;

/// The output files: `<prefix>.<rank>.et`.
struct OutputFiles {
  const std::string& prefix;
  bool force;  ///< replaces existing files
};

/// Writes the file of one rank.
class RankWriter {
 public:
  RankWriter(std::uint32_t rank, CommsTextReport& report, Findings& findings)
      : rank_(rank), report_(report), findings_(findings) {}

  Result<void> open(const OutputFiles& target, std::string_view schema);
  Result<void> close(const std::vector<profile::Group>& groups);

  /// These functions return the id of the new node. Durations are in picoseconds.
  std::uint64_t compute(std::string_view name, std::int64_t duration, const NodeIds& deps);
  std::uint64_t work(std::string_view name, std::int64_t operations, std::int64_t bytes,
                     const NodeIds& deps);
  /// Becomes a compute node, which is counted, if the size or the peer of a message is missing.
  std::uint64_t comm(std::string_view name, const profile::Comm& comm, std::int64_t bytes,
                     std::int32_t tag, std::string_view group, std::int64_t duration,
                     const std::string& place, const NodeIds& deps);
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  trace::chakra::NodeRecord& start(std::string_view name, std::int64_t duration,
                                   const NodeIds& deps);
  void write(const trace::chakra::NodeRecord& node);
  std::uint64_t finish();

  std::uint32_t rank_;
  CommsTextReport& report_;
  Findings& findings_;
  std::optional<trace::chakra::TraceWriter> writer_;
  std::optional<Error> error_;
  trace::chakra::NodeRecord record_;
  std::uint64_t next_ = 1;
};

/// The integer member `key` of an object, or nothing.
[[nodiscard]] std::optional<std::int64_t> integer_member(const nlohmann::json& object,
                                                         const char* key);
/// The text member `key` of an object, or "".
[[nodiscard]] std::string text_member(const nlohmann::json& object, const char* key);

/// Converts the PARAM records of one rank, one after the other.
class ParamConverter {
 public:
  ParamConverter(RankWriter& file, Findings& findings) : file_(file), findings_(findings) {}
  /// Returns false if the record is incomplete.
  bool add(const nlohmann::json& record, const std::string& place);
  [[nodiscard]] const std::vector<profile::Group>& groups() const { return groups_; }

 private:
  bool add_comm(const nlohmann::json& record, const std::string& place);
  bool add_compute(const nlohmann::json& record);
  [[nodiscard]] std::string group_of(const nlohmann::json& record);
  void wait_for(const nlohmann::json& record);

  RankWriter& file_;
  Findings& findings_;
  NodeIds host_dependencies_;  // the rank's last wait, barrier or computation
  std::vector<std::pair<std::int64_t, std::uint64_t>>
      last_of_group_;  // by group: its last communication
  std::vector<std::pair<std::int64_t, std::uint64_t>> comm_of_request_;  // by request
  std::vector<profile::Group> groups_;
};

/// A call of MPI, or another event of the process.
struct MpiEvent {
  std::int64_t start = 0, duration = 0;  ///< ps
  std::int64_t process = 0;
  std::string name;
  std::int64_t count = -1, datatype = -1, comm = -1, peer = -1, tag = 0, root = -1;
  std::uint64_t offset = 0;
};

[[nodiscard]] std::optional<MpiEvent> mpi_event(const nlohmann::json& event, std::string_view start,
                                                std::string_view duration);
/// Writes one file per process.
[[nodiscard]] Result<void> convert_mpi(std::vector<MpiEvent>&& events, const std::string& where,
                                       const OutputFiles& target, CommsTextReport& report,
                                       Findings& findings);

}  // namespace orrery::intake
