// SPDX-License-Identifier: Apache-2.0
//
// What is known about the whole, and what rows refer to.
#include "orrery/trace/rocpd/import.h"

#include <algorithm>
#include <array>
#include <set>

namespace orrery::trace::rocpd {
Import::Import(Database& database, const ReadOptions& options, Findings& findings)
    : TableImport(database, options.strings, "rocpd", options.process, findings),
      suffixes_(suffixes_of(database)) {}

Result<void> Import::in_each_set(std::span<Result<void> (Import::*const)()> steps) {
  if (suffixes_.empty()) {
    return fail(Errc::input_unsupported, profile_.where,
                "is an SQLite database without rocpd's tables",
                "record with 'rocprofv3 --output-format rocpd'");
  }
  for (set_ = 0; set_ < suffixes_.size(); ++set_) {
    for (const auto step : steps) {
      if (auto done = (this->*step)(); !done) return done;
    }
  }
  return {};
}

Result<profile::Profile> Import::run() {
  static constexpr std::array kWho = {&Import::read_who};
  static constexpr std::array kAll = {
      &Import::read_facts,       &Import::read_who,          &Import::read_agents,
      &Import::read_lookups,     &Import::read_kernel_names, &Import::read_categories,
      &Import::read_regions,     &Import::read_kernels,      &Import::read_copies,
      &Import::read_allocations, &Import::count_samples};
  // Processes are told apart before anything else tells of them.
  auto done = in_each_set(kWho);
  profile_.account = {};
  if (done) done = in_each_set(kAll);
  if (!done) return tl::unexpected(std::move(done.error()));
  if (profile_.events.empty()) {
    return fail(Errc::input_empty, profile_.where, "holds no event",
                "was the program recorded with --kernel-trace --hip-trace?");
  }
  name_threads();
  return finish();
}

Result<std::vector<std::int64_t>> Import::device_users() {
  static constexpr std::array kWho = {&Import::read_who};
  auto done = in_each_set(kWho);
  if (!done) return tl::unexpected(std::move(done.error()));
  constexpr std::array<std::string_view, 2> kColumns = {"pid", "track_id"};
  std::set<std::int64_t> users;
  for (set_ = 0; set_ < suffixes_.size(); ++set_) {
    if (done = read_who(); done) done = read_lookups();
    for (const char* table : {"rocpd_kernel_dispatch", "rocpd_memory_copy"}) {
      if (!done) return tl::unexpected(std::move(done.error()));
      done = for_rows(table, kColumns, [&](const Rows& rows) -> Result<void> {
        auto process = rows.integer(0);
        if (!process) process = tracks_.find(rows.integer(1))[0];
        if (process) users.insert(process_number(*process));
        return {};
      });
    }
  }
  if (!done) return tl::unexpected(std::move(done.error()));
  return std::vector<std::int64_t>(users.begin(), users.end());
}

std::string Import::table_named(std::string_view plain) const {
  return std::string(plain) + suffixes_[set_];
}

/// From the id of a process in this set.
std::int64_t Import::process_number(std::int64_t process) {
  process = process_ids_.find(process)[0].value_or(process);
  const auto [known, added] = numbers_.try_emplace({set_, process}, 0);
  if (added) {
    const std::int64_t low = process & 0xFFFFFFFF;
    known->second = low | same_number_[low]++ << 32;
  }
  return known->second;
}

Result<void> Import::read_facts() {
  constexpr std::array<std::string_view, 2> kColumns = {"tag", "value"};
  return for_rows("rocpd_metadata", kColumns, [&](Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const std::string tag(rows.text(0).value_or("").substr(0, 256));
    const std::string value(rows.text(1).value_or("").substr(0, 4096));
    if (tag == "schema_version") profile_.schema = value;
    return {};
  });
}

/// Processes and threads, by the ids that rows of this set give them.
Result<void> Import::read_who() {
  constexpr std::array<std::string_view, 1> kProcess = {"pid"};
  constexpr std::array<std::string_view, 1> kThread = {"tid"};
  if (auto read = process_ids_.read(database_, table_named("rocpd_info_process"), kProcess); !read)
    return read;
  if (auto read = thread_ids_.read(database_, table_named("rocpd_info_thread"), kThread); !read)
    return read;
  constexpr std::array<std::string_view, 1> kId = {"id"};
  auto done = for_rows("rocpd_info_process", kId, [&](const Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    if (const auto id = rows.integer(0)) (void)process_number(*id);
    return {};
  });
  if (!done) return done;
  constexpr std::array<std::string_view, 3> kColumns = {"pid", "tid", "name"};
  return for_rows("rocpd_info_thread", kColumns, [&](const Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const auto process = rows.integer(0);
    const auto thread = rows.integer(1);
    const auto name = rows.text(2);
    if (process && thread && name && !name->empty())
      thread_names_.try_emplace({process_number(*process), *thread}, intern(*name));
    return {};
  });
}

Result<void> Import::read_agents() {
  constexpr std::array<std::string_view, 7> kColumns = {
      "id", "type", "type_index", "logical_index", "absolute_index", "product_name", "name"};
  agents_.clear();
  return for_rows("rocpd_info_agent", kColumns, [&](const Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const auto id = rows.integer(0);
    if (!id) return {};
    Agent agent;
    agent.device = rows.text(1).value_or("GPU") != "CPU";
    // The number among agents of its type is what HIP calls a device by.
    agent.number = *id;
    for (const std::size_t column : {4, 3, 2}) {
      const auto number = rows.integer(column);
      if (number && *number >= 0) agent.number = *number;
    }
    if (!agents_.try_emplace(*id, agent).second || !agent.device) return {};
    const bool known = std::any_of(profile_.devices.begin(), profile_.devices.end(),
                                   [&](const auto& device) { return device.id == agent.number; });
    if (known) return {};
    profile::Device& device = profile_.devices.emplace_back();
    device.id = agent.number;
    for (const std::size_t column : {6, 5}) {
      const auto name = rows.text(column);
      if (name && !name->empty()) device.name = std::string(name->substr(0, 256));
    }
    return {};
  });
}

/// What both layouts look up by id.
Result<void> Import::read_lookups() {
  constexpr std::array<std::string_view, 5> kTrack = {"pid", "tid", "agent_id", "queue_id",
                                                      "stream_id"};
  constexpr std::array<std::string_view, 1> kTimestamp = {"value"};
  constexpr std::array<std::string_view, 3> kEvent = {"correlation_id", "stack_id", "category_id"};
  if (auto read = tracks_.read(database_, table_named("rocpd_track"), kTrack); !read) return read;
  if (auto read = timestamps_.read(database_, table_named("rocpd_timestamp"), kTimestamp); !read)
    return read;
  const std::string events = table_named("rocpd_event");
  if (auto read = events_.read(database_, events, kEvent); !read) return read;
  correlated_ = events_.any_positive(0);
  details_.reset();
  if (!database_.has(events)) return {};
  const auto columns = database_.columns(events);
  if (!columns) return tl::unexpected(columns.error());
  if (std::find(columns->begin(), columns->end(), "extdata") == columns->end()) return {};
  const auto key = database_.is_key(events, "id");
  if (!key) return tl::unexpected(key.error());
  if (!*key) return {};
  auto details = sqlite::TextByKey::of(database_, events, "id", "extdata");
  if (!details) return tl::unexpected(std::move(details.error()));
  details_.emplace(std::move(*details));
  return {};
}

Result<void> Import::read_kernel_names() {
  constexpr std::array<std::string_view, 3> kColumns = {"id", "display_name", "kernel_name"};
  kernels_.clear();
  return for_rows("rocpd_info_kernel_symbol", kColumns, [&](const Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const auto id = rows.integer(0);
    auto name = rows.text(1);
    if (!name || name->empty()) name = rows.text(2);
    if (id && name) kernels_.try_emplace(*id, intern(*name));
    return {};
  });
}

/// Newer versions have a table for categories; in others they are strings.
Result<void> Import::read_categories() {
  if (auto opened = open_names(table_named("rocpd_string"), "id", "string"); !opened) return opened;
  constexpr std::array<std::string_view, 2> kColumns = {"id", "name"};
  categories_.clear();
  return for_rows("rocpd_info_category", kColumns, [&](const Rows& rows) -> Result<void> {
    ++profile_.account.mapped;
    const auto id = rows.integer(0);
    const auto name = rows.text(1);
    if (id && name) categories_.try_emplace(*id, intern(*name));
    return {};
  });
}

void Import::name_threads() {
  for (profile::Lane& lane : profile_.lanes) {
    const auto found = thread_names_.find({lane.process, lane.id});
    if (!lane.device && found != thread_names_.end())
      lane.name = std::string(profile_.strings->view(found->second));
  }
}

}  // namespace orrery::trace::rocpd
