// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/import.h"

#include <algorithm>
#include <array>

namespace orrery::trace::nsys {
Import::Import(Database& database, const ReadOptions& options, Findings& findings)
    : TableImport(database, options.strings, "nsys", options.process, findings),
      options_(options) {}

Result<profile::Profile> Import::run() {
  const auto& tables = database_.tables();
  const bool nsight = std::any_of(tables.begin(), tables.end(), is_nsight_table);
  if (!nsight) {
    return fail(Errc::input_unsupported, profile_.where,
                "is an SQLite database without Nsight's tables",
                "export the report with 'nsys export --type sqlite'");
  }
  seen_tables_.insert("StringIds");
  if (auto opened = open_names("StringIds", "id", "value"); !opened)
    return tl::unexpected(std::move(opened.error()));
  using Step = Result<void> (Import::*)();
  using TableStep = Result<void> (Import::*)(std::string_view);
  constexpr std::array<Step, 8> kBegin = {
      &Import::read_facts, &Import::read_devices, &Import::read_kernels,       &Import::read_copies,
      &Import::read_sets,  &Import::read_graphs,  &Import::read_event_records, &Import::read_syncs};
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
    return fail(Errc::input_empty, profile_.where, "holds no event",
                "was the program recorded with --trace=cuda,nvtx?");
  }
  find_rank();
  return finish();
}

tables::Actor Import::actor(std::optional<std::int64_t> global) {
  if (!global) return {};
  return TableImport::actor(process_of(*global), thread_of(*global));
}

/// The rank in the largest communicator, if there is no doubt about it.
void Import::find_rank() {
  std::int32_t most = 0;
  const std::set<std::int64_t>* ranks = nullptr;
  for (const auto& [communicator, seen] : ranks_in_) {
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

}  // namespace orrery::trace::nsys
