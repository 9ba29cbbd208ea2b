// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "orrery/core/limits.h"

namespace orrery::trace::nsys {
namespace {

using profile::EventId;
using profile::Kind;
using profile::kNone;

// Twice as much still fits into Time: a start and a duration can be added.
constexpr std::int64_t kMostNanoseconds = std::numeric_limits<std::int64_t>::max() / 2000;
// Exports count from the session's start; what is beyond eleven days counts from something else.
constexpr std::int64_t kLongestSession = 1'000'000'000'000'000;

constexpr std::uint64_t kProcessShift = 40;  // CUDA's correlation ids have 32 bits

}  // namespace

Import::Import(Database& database, const ReadOptions& options, Findings& findings)
    : database_(database), options_(options), findings_(findings) {
  profile_.strings = options.strings;
  profile_.format = "nsys";
  profile_.where = database.where();
}

Result<profile::Profile> Import::run() {
  const auto& tables = database_.tables();
  const bool nsight = std::any_of(tables.begin(), tables.end(), is_nsight_table);
  if (!nsight) {
    return fail(Errc::input_unsupported, profile_.where,
                "is an SQLite database without Nsight's tables",
                "export the report with 'nsys export --type sqlite'");
  }
  if (auto opened = open_names(); !opened) return tl::unexpected(std::move(opened.error()));
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
  finish_ranges();
  find_rank();
  if (__builtin_add_overflow(profile_.origin_ns, base_.value_or(0), &profile_.origin_ns))
    profile_.origin_ns = 0;
  profile_.account.left_out.assign(left_out_.begin(), left_out_.end());
  profile_.index(findings_);
  return std::move(profile_);
}

Result<void> Import::open_names() {
  constexpr std::array<std::string_view, 2> kColumns = {"id", "value"};
  seen_tables_.insert("StringIds");
  if (!database_.has("StringIds")) return {};
  const auto key = database_.is_key("StringIds", "id");
  if (!key) return tl::unexpected(key.error());
  auto rows = Rows::of(database_, "StringIds", kColumns);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  if (!rows->has(0) || !rows->has(1)) return {};
  if (*key) {
    auto lookup = TextByKey::of(database_, "StringIds", "id", "value");
    if (!lookup) return tl::unexpected(std::move(lookup.error()));
    names_.emplace(std::move(*lookup));
    return {};
  }
  while (true) {
    const auto there = rows->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return {};
    const auto id = rows->integer(0);
    const auto text = rows->text(1);
    if (id && text) name_cache_.try_emplace(*id, intern(*text));
  }
}

/// Empty for an id that is none, or that nothing stands behind.
Result<StringId> Import::name_of(std::optional<std::int64_t> id) {
  if (!id) return StringId::empty;
  if (const auto known = name_cache_.find(*id); known != name_cache_.end()) return known->second;
  StringId name = StringId::empty;
  if (names_) {
    const auto text = names_->find(*id);
    if (!text) return tl::unexpected(text.error());
    if (*text) name = intern(**text);
  }
  name_cache_.emplace(*id, name);
  return name;
}

StringId Import::intern(std::string_view text) {
  if (text.size() > limits::kEventNameBytes) {
    findings_.add(FindingCode::string_cut, fmt::format("{}:{}", profile_.where, table_));
    text = text.substr(0, limits::kEventNameBytes);
  }
  return profile_.strings->intern(text);
}

Import::Actor Import::actor(std::optional<std::int64_t> global) {
  Actor actor;
  if (!global) return actor;
  actor.process = process_of(*global);
  actor.thread = thread_of(*global);
  actor.index = processes_.try_emplace(actor.process, static_cast<std::uint32_t>(processes_.size()))
                    .first->second;
  if (processes_.size() == 1) profile_.process_id = options_.process.value_or(actor.process);
  return actor;
}

bool Import::wanted(const Actor& actor, std::string_view table) {
  if (!options_.process || actor.process < 0 || actor.process == *options_.process) return true;
  leave_out(fmt::format("{} (other processes)", table), FindingCode::event_not_kept);
  return false;
}

std::uint64_t Import::correlation(std::optional<std::int64_t> number, const Actor& actor) {
  if (!number || *number <= 0 || *number >> kProcessShift != 0) return profile::kNoId;
  return static_cast<std::uint64_t>(*number) | std::uint64_t{actor.index} << kProcessShift;
}

std::uint32_t Import::stream_lane(std::int64_t device, std::int64_t stream, const Actor& actor) {
  const std::uint32_t owner = device_owner_.try_emplace(device, actor.index).first->second;
  // Streams are counted by each process: those of a device's other processes stand far behind.
  const bool other = owner != actor.index && actor.process >= 0;
  const std::int64_t shift = other ? std::int64_t{actor.index} << kProcessShift : 0;
  return profile_.lane(true, device, (stream & 0xFFFFFFFF) == 0xFFFFFFFF ? -1 : stream + shift);
}

std::uint32_t Import::thread_lane(const Actor& actor) {
  return profile_.lane(false, std::max<std::int64_t>(actor.process, 0), actor.thread);
}

Time Import::since_origin(std::int64_t nanoseconds) {
  if (!base_) base_ = std::abs(nanoseconds / 2) > kLongestSession / 2 ? nanoseconds : 0;
  std::int64_t since = 0;
  const bool overflow = __builtin_sub_overflow(nanoseconds, *base_, &since);
  if (!overflow && std::abs(since / 2) <= kMostNanoseconds / 2) return ns(since);
  findings_.add(FindingCode::event_time_clamped, fmt::format("{}:{}", profile_.where, table_));
  return ns(nanoseconds < *base_ ? -kMostNanoseconds : kMostNanoseconds);
}

std::optional<EventId> Import::add(Kind kind, std::uint32_t lane, StringId name,
                                   std::optional<std::int64_t> start,
                                   std::optional<std::int64_t> end) {
  if (!start || profile_.events.size() >= limits::kEventsPerRank) {
    leave_out(table_, FindingCode::event_dropped);
    return std::nullopt;
  }
  profile::Event event;
  event.kind = kind;
  event.lane = lane;
  event.name = name;
  event.start = since_origin(*start);
  event.flags = profile::kTimed;
  if (!end) {
    event.flags |= profile::kUnfinished;
    findings_.add(FindingCode::event_unfinished, fmt::format("{}:{}", profile_.where, table_));
  } else {
    event.duration = since_origin(*end) - event.start;
    if (event.duration < Time{}) {
      event.duration = Time{};
      findings_.add(FindingCode::event_time_clamped, fmt::format("{}:{}", profile_.where, table_));
    }
    last_end_ = std::max(last_end_, event.end());
  }
  ++profile_.account.events;
  profile_.events.push_back(event);
  return static_cast<EventId>(profile_.events.size() - 1);
}

void Import::add_op(EventId event, std::uint32_t comm) {
  profile::Op op;
  op.comm = comm;
  profile_.events[event].detail = static_cast<std::uint32_t>(profile_.ops.size());
  profile_.ops.push_back(op);
}

void Import::leave_out(std::string_view what, FindingCode code, std::uint64_t count) {
  const auto place = left_out_.find(what);
  if (place == left_out_.end()) {
    left_out_.emplace(what, count);
  } else {
    place->second += count;
  }
  findings_.add(code, fmt::format("{}:{}", profile_.where, what), count);
}

/// What has no end lasts to the end of what is known.
void Import::finish_ranges() {
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    profile::Event& event = profile_.events[e];
    if ((event.flags & profile::kUnfinished) != 0)
      event.duration = std::max(Time{}, last_end_ - event.start);
  }
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
