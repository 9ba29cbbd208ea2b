// SPDX-License-Identifier: Apache-2.0
//
// Reads data of the complete recording, and the tables that rows reference.
#include "orrery/trace/rocpd/rocpd_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

namespace orrery::trace::rocpd {

Import::Import(Database& database, const ReadOptions& options, Findings& findings)
    : TableImport(database, options.strings, "rocpd", options.process, findings),
      suffixes_(suffixes_of(database)) {}

Result<void> Import::in_each_set(std::span<Result<void> (Import::*const)()> steps) {
  if (suffixes_.empty()) {
    return fail(Errc::input_unsupported, profile_.where,
                "is an SQLite database without rocpd tables",
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
  static constexpr std::array kReadThreads = {&Import::read_threads};
  static constexpr std::array kAll = {
      &Import::read_facts,       &Import::read_threads,      &Import::read_agents,
      &Import::read_lookups,     &Import::read_kernel_names, &Import::read_categories,
      &Import::read_regions,     &Import::read_kernels,      &Import::read_copies,
      &Import::read_allocations, &Import::count_samples};
  // Processes are distinguished first: all other tables refer to them.
  auto done = in_each_set(kReadThreads);
  profile_.account = {};
  if (done) done = in_each_set(kAll);
  if (!done) return tl::unexpected(std::move(done.error()));
  if (profile_.events.empty()) {
    return fail(Errc::input_empty, profile_.where, "contains no event",
                "record the program with --kernel-trace --hip-trace");
  }
  name_threads(thread_names_);
  return finish();
}

Result<std::vector<std::int64_t>> Import::device_processes() {
  static constexpr std::array kReadThreads = {&Import::read_threads};
  auto done = in_each_set(kReadThreads);
  if (!done) return tl::unexpected(std::move(done.error()));
  constexpr std::array<std::string_view, 2> kColumns = {"pid", "track_id"};
  std::set<std::int64_t> users;
  for (set_ = 0; set_ < suffixes_.size(); ++set_) {
    if (done = read_threads(); done) done = read_lookups();
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

/// The process number for an id in this set.
std::int64_t Import::process_number(std::int64_t process) {
  process = process_ids_.find(process)[0].value_or(process);
  const auto [known, added] = process_numbers_.try_emplace({set_, process}, 0);
  if (added) {
    const std::int64_t low = process & 0xFFFFFFFF;
    known->second = low | processes_per_number_[low]++ << 32;
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

/// Reads processes and threads, by their ids in this set.
Result<void> Import::read_threads() {
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
    // HIP numbers devices by the index among agents of their type.
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

/// Reads the tables that both layouts reference by id.
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

/// Newer versions have a table for categories; older ones store them as strings.
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

// Device work and threads.

namespace {

using profile::CommKind;
using profile::Kind;

/// The first columns of all tables with times, in either layout.
enum Column : std::size_t {
  kStart,
  kEnd,
  kStartId,
  kEndId,
  kTrack,
  kPid,
  kTid,
  kAgent,
  kQueue,
  kStream,
  kEvent,
  kFirstOwn  // of each table
};
constexpr std::array<std::string_view, kFirstOwn> kSpan = {
    "start", "end",      "start_id", "end_id",    "track_id", "pid",
    "tid",   "agent_id", "queue_id", "stream_id", "event_id"};

/// These columns, then those of one table.
template <std::size_t N>
constexpr std::array<std::string_view, kFirstOwn + N> with_span_columns(
    const std::string_view (&own)[N]) {
  std::array<std::string_view, kFirstOwn + N> all;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i < kFirstOwn ? kSpan[i] : own[i - kFirstOwn];
  return all;
}

/// "MEMORY_COPY_HOST_TO_DEVICE" under the name of other profilers; empty for other names.
std::string_view copy_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"HOST_TO_DEVICE", "Memcpy HtoD"},
       {"DEVICE_TO_HOST", "Memcpy DtoH"},
       {"DEVICE_TO_DEVICE", "Memcpy DtoD"},
       {"HOST_TO_HOST", "Memcpy HtoH"}}};
  for (const auto& [what, plain] : kNames) {
    if (name.find(what) != name.npos) return plain;
  }
  return {};
}

/// True for calls of the runtime and the driver; false for ranges and library functions.
bool is_call(std::string_view category, std::string_view name) {
  if (!category.empty()) return category.starts_with("HIP") || category.starts_with("HSA");
  return name.starts_with("hip") || name.starts_with("hsa_") || name.starts_with("__hip");
}

bool is_library(std::string_view name) { return name.starts_with("nccl"); }

/// True for the times that are written if nothing was measured.
bool has_no_times(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  return start.value_or(0) == 0 && end.value_or(0) == 0;
}

/// Converts work-items to work-groups, in which other profilers count the grid.
std::int64_t groups(std::int64_t items, std::int64_t size) {
  if (items <= 0 || size <= 0) return 1;
  return items / size + (items % size != 0 ? 1 : 0);
}

}  // namespace

Import::Span Import::span_of(const Rows& rows) {
  const IntegerTable::Row track = tracks_.find(rows.integer(kTrack));
  const auto either = [&](Column column, std::size_t of_track) {
    const auto own = rows.integer(column);
    return own ? own : track[of_track];
  };
  Span span;
  span.start = rows.integer(kStart);
  if (!span.start) span.start = timestamps_.find(rows.integer(kStartId))[0];
  span.end = rows.integer(kEnd);
  if (!span.end) span.end = timestamps_.find(rows.integer(kEndId))[0];
  span.agent = either(kAgent, 2);
  span.queue = either(kQueue, 3);
  span.stream = either(kStream, 4);
  span.event = rows.integer(kEvent);
  const auto process = either(kPid, 0);
  const auto thread = either(kTid, 1);
  if (process) {
    span.thread_id = thread_id(process_number(*process),
                               thread ? thread_ids_.find(thread)[0].value_or(*thread) : 0);
  }
  return span;
}

/// The id that a call shares with the work that it launched.
std::uint64_t Import::shared_correlation(const Span& span) {
  const IntegerTable::Row event = events_.find(span.event);
  return correlation(event[correlated_ ? 0 : 1], span.thread_id);
}

/// The category of a row's event; empty if absent.
Result<StringId> Import::category_of(const Span& span) {
  const auto category = events_.find(span.event)[2];
  if (!category) return StringId::empty;
  const auto known = categories_.find(*category);
  return known != categories_.end() ? known->second : name_of(category);
}

bool Import::is_device(std::optional<std::int64_t> agent) const {
  if (!agent) return false;
  const auto known = agents_.find(*agent);
  return known != agents_.end() && known->second.device;
}

std::int64_t Import::device_of(std::optional<std::int64_t> agent) const {
  if (!agent) return 0;
  const auto known = agents_.find(*agent);
  return known == agents_.end() ? *agent : known->second.number;
}

profile::Work* Import::add_device_work(Kind kind, StringId name, const Span& span,
                                       std::int64_t device, std::int64_t bytes) {
  if (!is_selected(span.thread_id)) return nullptr;
  if (has_no_times(span.start, span.end)) {
    leave_out(table_, FindingCode::event_dropped);
    return nullptr;
  }
  const std::int64_t stream = span.stream ? *span.stream : span.queue.value_or(0);
  const auto event =
      add(kind, stream_lane(device, stream, span.thread_id), name, span.start, span.end);
  return event ? &add_work(*event, shared_correlation(span), bytes) : nullptr;
}

Result<void> Import::read_kernels() {
  static constexpr auto kColumns = with_span_columns(
      {"kernel_id", "region_name_id", "grid_size_x", "grid_size_y", "grid_size_z",
       "workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "group_segment_size"});
  constexpr std::size_t kKernel = kFirstOwn, kRegion = kKernel + 1, kGrid = kKernel + 2,
                        kBlock = kGrid + 3, kShared = kBlock + 3;
  return for_rows("rocpd_kernel_dispatch", kColumns, [&](const Rows& rows) -> Result<void> {
    const Span span = span_of(rows);
    StringId name = StringId::empty;
    if (const auto known = kernels_.find(rows.integer(kKernel).value_or(0));
        known != kernels_.end())
      name = known->second;
    if (name == StringId::empty) {
      auto region = name_of(rows.integer(kRegion));
      if (!region) return tl::unexpected(std::move(region.error()));
      name = *region == StringId::empty ? intern("kernel") : *region;
    }
    profile::Work* work = add_device_work(Kind::kernel, name, span, device_of(span.agent), -1);
    if (work == nullptr || !rows.integer(kGrid)) return {};
    const auto value = [&](std::size_t column) { return rows.integer(column).value_or(0); };
    work->launch = intern(fmt::format(
        R"({{"grid": [{}, {}, {}], "block": [{}, {}, {}], "shared memory": {}}})",
        groups(value(kGrid), value(kBlock)), groups(value(kGrid + 1), value(kBlock + 1)),
        groups(value(kGrid + 2), value(kBlock + 2)), value(kBlock), value(kBlock + 1),
        value(kBlock + 2), value(kShared)));
    return {};
  });
}

Result<void> Import::read_copies() {
  static constexpr auto kColumns =
      with_span_columns({"name_id", "dst_agent_id", "src_agent_id", "size"});
  constexpr std::size_t kName = kFirstOwn, kTo = kName + 1, kFrom = kName + 2, kSize = kName + 3;
  return for_rows("rocpd_memory_copy", kColumns, [&](const Rows& rows) -> Result<void> {
    const Span span = span_of(rows);
    auto name = name_of(rows.integer(kName));
    if (!name) return tl::unexpected(std::move(name.error()));
    const auto to = rows.integer(kTo);
    const auto from = rows.integer(kFrom);
    if (const auto plain = copy_name(profile_.strings->view(*name)); !plain.empty())
      name = intern(plain);
    if (*name == StringId::empty) name = intern("Memcpy");
    const auto agent = is_device(to) ? to : is_device(from) ? from : span.agent ? span.agent : to;
    add_device_work(Kind::memcpy, *name, span, device_of(agent), rows.integer(kSize).value_or(-1));
    return {};
  });
}

/// A ROCTX range has the name in its event, not that of the function that began it.
Result<StringId> Import::range_name(const Span& span, StringId name) {
  constexpr std::size_t kDetailBytes = 64u << 10;
  if (!details_ || !span.event) return name;
  const auto text = details_->find(*span.event);
  if (!text) return tl::unexpected(text.error());
  if (!*text || (*text)->size() > kDetailBytes) return name;
  const auto json = nlohmann::json::parse(**text, nullptr, false);
  if (!json.is_object()) return name;
  const auto message = json.find("message");
  if (message == json.end() || !message->is_string()) return name;
  const auto& message_text = message->get_ref<const std::string&>();
  return message_text.empty() ? name : intern(message_text);
}

Result<void> Import::add_range(const Span& span, StringId name) {
  const auto event = add(Kind::annotation, thread_lane(span.thread_id), name, span.start, span.end);
  if (!event) return {};
  std::uint32_t comm = profile::kNone;
  const std::string_view text = profile_.strings->view(name);
  if (const CommKind kind = profile::comm_kind_of_name(text);
      is_library(text) && kind != CommKind::unknown) {
    comm = static_cast<std::uint32_t>(profile_.comms.size());
    profile::Comm& added = profile_.comms.emplace_back();
    added.kind = kind;
    added.name = name;
    added.element_bytes = 1;
  }
  add_op(*event, comm);
  return {};
}

Result<void> Import::read_regions() {
  static constexpr auto kColumns = with_span_columns({"name_id"});
  return for_rows("rocpd_region", kColumns, [&](const Rows& rows) -> Result<void> {
    const Span span = span_of(rows);
    if (!is_selected(span.thread_id)) return {};
    auto name = name_of(rows.integer(kFirstOwn));
    if (!name) return tl::unexpected(std::move(name.error()));
    const auto category = category_of(span);
    if (!category) return tl::unexpected(category.error());
    const std::string_view kind = profile_.strings->view(*category);
    if (is_call(kind, profile_.strings->view(*name))) {
      const auto event = add(Kind::call, thread_lane(span.thread_id), *name, span.start, span.end);
      if (event) add_call(*event, shared_correlation(span));
      return {};
    }
    if (kind.find("MARKER") != kind.npos) name = range_name(span, *name);
    if (!name) return tl::unexpected(std::move(name.error()));
    return add_range(span, *name == StringId::empty ? intern("region") : *name);
  });
}

Result<void> Import::read_allocations() {
  static constexpr auto kColumns = with_span_columns({"type"});
  return for_rows("rocpd_memory_allocate", kColumns, [&](const Rows& rows) -> Result<void> {
    const Span span = span_of(rows);
    if (!is_selected(span.thread_id)) return {};
    const std::string_view type = rows.text(kFirstOwn).value_or("ALLOC").substr(0, 64);
    return add_range(span, intern(fmt::format("memory {}", type)));
  });
}

/// Counts instants, which have no duration.
Result<void> Import::count_samples() {
  constexpr std::array<std::string_view, 1> kId = {"id"};
  std::uint64_t count = 0;
  auto done = for_rows("rocpd_sample", kId, [&](const Rows&) -> Result<void> {
    ++count;
    return {};
  });
  if (done && count > 0) leave_out("rocpd_sample", FindingCode::event_not_kept, count);
  return done;
}

}  // namespace orrery::trace::rocpd
