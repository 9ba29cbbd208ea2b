// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/flight_recorder/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/flight_recorder/pickle.h"

namespace orrery::trace::flight_recorder {
namespace {

constexpr std::string_view kHint = "give dumps as PyTorch wrote them";
constexpr std::size_t kRecords = 1u << 20;  // of a dump
constexpr std::size_t kGroups = 1u << 16;   // of a dump
constexpr std::size_t kKeys = 64;           // of a record; version 2.10 has 23
constexpr std::size_t kFrames = 4096;       // of a call stack
constexpr std::size_t kSizes = 16u << 20;   // numbers and texts of all tensors

/// The last part of a path.
std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 == 0
}

std::span<const ValueId> items_of(const Value* value) {
  return value == nullptr ? std::span<const ValueId>() : value->items;
}

class DumpReader {
 public:
  DumpReader(const Values& values, const std::string& where) : values_(values), where_(where) {}

  Result<Dump> read() {
    if (auto done = read_version(); !done) return tl::unexpected(done.error());
    if (auto done = read_groups(); !done) return tl::unexpected(done.error());
    if (auto done = read_statuses(); !done) return tl::unexpected(done.error());
    const Value* const entries = values_.member(values_.root(), "entries");
    if (entries == nullptr || entries->kind == ValueKind::none) return std::move(dump_);
    if (entries->kind != ValueKind::list)
      return fail(Errc::input_corrupt, where_,
                  fmt::format("'entries' is {}, not a list", name(entries->kind)),
                  std::string(kHint));
    if (entries->items.size() > kRecords)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("contains {} records; {} are read", entries->items.size(), kRecords));
    dump_.records.reserve(entries->items.size());
    for (const ValueId id : entries->items) {
      if (auto done = read_record(values_[id]); !done) return tl::unexpected(done.error());
    }
    return std::move(dump_);
  }

 private:
  [[nodiscard]] std::string place() const {
    return fmt::format("{}:entry {}", where_, dump_.records.size());
  }
  [[nodiscard]] tl::unexpected<Error> wrong(std::string_view key, std::string_view what) const {
    return fail(Errc::input_corrupt, place(), fmt::format("'{}' is not {}", key, what),
                std::string(kHint));
  }

  Result<void> read_version() {
    const Value& root = values_.root();
    const Value* const version = values_.member(root, "version");
    if (version == nullptr || version->kind != ValueKind::text)
      return fail(Errc::input_unsupported, where_,
                  "this is no dump of PyTorch's flight recorder: it has no 'version'",
                  "give the files nccl_trace_rank_*; PyTorch 2.5 and later write them");
    dump_.version = printable(version->text, 16);
    if (!version->text.starts_with("2."))
      return fail(Errc::input_unsupported, where_,
                  fmt::format("version {} of the flight recorder's dumps", dump_.version),
                  "versions 2.0 to 2.x are read");
    return {};
  }

  Result<void> read_groups() {
    const Value* const groups = values_.member(values_.root(), "pg_config");
    if (groups == nullptr || groups->kind != ValueKind::dictionary) return {};
    if (groups->items.size() > 2 * kGroups)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("contains {} process groups; {} are read", groups->items.size() / 2,
                              kGroups));
    for (std::size_t i = 0; i + 1 < groups->items.size(); i += 2) {
      const Value& key = values_[groups->items[i]];
      const Value& about = values_[groups->items[i + 1]];
      if (key.kind != ValueKind::text || about.kind != ValueKind::dictionary ||
          about.items.size() > 2 * kKeys)
        return fail(Errc::input_corrupt, where_, "'pg_config' is not a dictionary of groups",
                    std::string(kHint));
      Group group{std::string(key.text), {}, {}};
      if (const Value* const text = values_.member(about, "desc"))
        group.description = std::string(text->text);
      if (auto done = read_ranks(about, group); !done) return done;
      dump_.groups.push_back(std::move(group));
    }
    std::stable_sort(dump_.groups.begin(), dump_.groups.end(),
                     [](const Group& a, const Group& b) { return a.name < b.name; });
    return {};
  }

  /// An integer, also as text, as JSON has them.
  static std::optional<std::int64_t> number_of(const Value* value) {
    if (value == nullptr) return std::nullopt;
    if (value->kind == ValueKind::integer) return value->integer;
    std::int64_t number = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, error] = std::from_chars(value->text.data(), end, number);
    if (value->text.empty() || error != std::errc{} || stop != end) return std::nullopt;
    return number;
  }

  /// {"0": {"last_enqueued_collective": 3, …}, …}: by the number of the group.
  Result<void> read_statuses() {
    const Value* const statuses = values_.member(values_.root(), "pg_status");
    if (statuses == nullptr || statuses->kind != ValueKind::dictionary) return {};
    if (statuses->items.size() > 2 * kGroups)
      return fail(Errc::limit_exceeded, where_,
                  fmt::format("contains states of {} process groups; {} are read",
                              statuses->items.size() / 2, kGroups));
    for (std::size_t i = 0; i + 1 < statuses->items.size(); i += 2) {
      const auto group = number_of(&values_[statuses->items[i]]);
      const Value& about = values_[statuses->items[i + 1]];
      if (!group || about.kind != ValueKind::dictionary || about.items.size() > 2 * kKeys)
        return fail(Errc::input_corrupt, where_,
                    "'pg_status' is not a dictionary of numbers and states", std::string(kHint));
      GroupStatus status{.group_id = *group};
      const auto read = [&](std::string_view key) {
        return number_of(values_.member(about, key)).value_or(-1);
      };
      status.enqueued = read("last_enqueued_collective");
      status.started = read("last_started_collective");
      status.completed = read("last_completed_collective");
      dump_.statuses.push_back(status);
    }
    std::stable_sort(
        dump_.statuses.begin(), dump_.statuses.end(),
        [](const GroupStatus& a, const GroupStatus& b) { return a.group_id < b.group_id; });
    return {};
  }

  /// "[0, 1, 2]": a list in a text.
  Result<void> read_ranks(const Value& about, Group& group) {
    const Value* const ranks = values_.member(about, "ranks");
    if (ranks == nullptr) return {};
    const auto bad = [&] {
      return fail(Errc::input_corrupt, where_,
                  fmt::format("the ranks of group {} are {}", in_quotes(group.name),
                              in_quotes(ranks->text)),
                  "PyTorch writes them as a list in a text: \"[0, 1]\"");
    };
    if (ranks->kind != ValueKind::text) return bad();
    std::string_view text = ranks->text;
    if (text.empty()) return {};
    if (!text.starts_with('[') || !text.ends_with(']')) return bad();
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
      const std::size_t first = text.find_first_not_of(", ");
      if (first == std::string_view::npos) break;
      text.remove_prefix(first);
      std::uint32_t rank = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
      if (error != std::errc{} || rank >= limits::kRanks) return bad();
      if (++group_ranks_ > kSizes)
        return fail(Errc::limit_exceeded, where_,
                    fmt::format("its process groups have more than {} ranks", kSizes));
      group.ranks.push_back(rank);
      text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
      if (!text.empty() && text[0] != ',' && text[0] != ' ') return bad();
    }
    std::sort(group.ranks.begin(), group.ranks.end());
    group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
    return {};
  }

  Result<void> read_record(const Value& entry) {
    if (entry.kind != ValueKind::dictionary)
      return fail(Errc::input_corrupt, place(),
                  fmt::format("is {}, not a dictionary", name(entry.kind)), std::string(kHint));
    if (entry.items.size() > 2 * kKeys)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("has {} keys; {} are read", entry.items.size() / 2, kKeys));
    Record record;
    if (auto done = read_names(entry, record); !done) return done;
    if (auto done = read_numbers(entry, record); !done) return done;
    if (auto done = read_state(entry, record); !done) return done;
    if (auto done = read_tensors(entry, "input", record.inputs); !done) return done;
    if (auto done = read_tensors(entry, "output", record.outputs); !done) return done;
    record.call_site = call_site(entry);
    dump_.records.push_back(std::move(record));
    return {};
  }

  Result<const Value*> required(const Value& entry, std::string_view key, ValueKind kind) {
    const Value* const value = values_.member(entry, key);
    if (value == nullptr)
      return fail(Errc::input_missing_attr, place(), fmt::format("has no '{}'", key),
                  std::string(kHint));
    if (value->kind != kind) return wrong(key, name(kind));
    return value;
  }

  /// The group and the operation: "nccl:all_reduce", "nccl:send 0->1", "nccl:recv 1<-0".
  Result<void> read_names(const Value& entry, Record& record) {
    const auto group = required(entry, "process_group", ValueKind::list);
    if (!group) return tl::unexpected(group.error());
    const auto& names = (*group)->items;
    if (names.size() != 2 || values_[names[0]].kind != ValueKind::text ||
        values_[names[1]].kind != ValueKind::text)
      return wrong("process_group", "a name and a description");
    record.group = std::string(values_[names[0]].text);
    record.group_description = std::string(values_[names[1]].text);
    const auto profiling = required(entry, "profiling_name", ValueKind::text);
    if (!profiling) return tl::unexpected(profiling.error());
    std::string_view operation = (*profiling)->text;
    if (const std::size_t colon = operation.find(':'); colon != std::string_view::npos) {
      record.library = std::string(operation.substr(0, colon));
      operation.remove_prefix(colon + 1);
    }
    const std::size_t blank = std::min(operation.find(' '), operation.size());
    record.operation = std::string(operation.substr(0, blank));
    if (record.operation == "send" || record.operation == "recv") {
      std::string_view peer = operation.substr(blank);
      const std::size_t arrow = peer.find(record.operation == "send" ? "->" : "<-");
      peer.remove_prefix(arrow == std::string_view::npos ? peer.size() : arrow + 2);
      std::uint32_t number = 0;
      const auto [stop, error] = std::from_chars(peer.data(), peer.data() + peer.size(), number);
      if (error == std::errc{} && stop == peer.data() + peer.size()) record.peer = number;
    }
    return {};
  }

  /// An integer from 0, also as text; `absent` where there is none.
  Result<std::int64_t> integer(const Value& entry, std::string_view key, std::int64_t absent) {
    const Value* const value = values_.member(entry, key);
    if (value == nullptr || value->kind == ValueKind::none) return absent;
    if (value->kind != ValueKind::integer || value->integer < 0)
      return wrong(key, "an integer from 0");
    return value->integer;
  }

  Result<void> read_numbers(const Value& entry, Record& record) {
    const auto id = integer(entry, "record_id", static_cast<std::int64_t>(dump_.records.size()));
    if (!id) return tl::unexpected(id.error());
    const auto group = integer(entry, "pg_id", -1);
    if (!group) return tl::unexpected(group.error());
    record.group_id = *group;
    const auto p2p = integer(entry, "p2p_seq_id", 0);
    if (!p2p) return tl::unexpected(p2p.error());
    record.record_id = *id;
    record.p2p_seq = *p2p;
    const Value* const is_p2p = values_.member(entry, "is_p2p");
    record.is_p2p = is_p2p != nullptr ? is_p2p->integer != 0
                                      : record.operation == "send" || record.operation == "recv";
    if (!record.is_p2p && values_.member(entry, "collective_seq_id") == nullptr)
      return fail(Errc::input_missing_attr, place(), "has no 'collective_seq_id'",
                  std::string(kHint));
    const auto collective = integer(entry, "collective_seq_id", 0);
    if (!collective) return tl::unexpected(collective.error());
    record.collective_seq = *collective;
    const auto created = integer(entry, "time_created_ns", 0);
    if (!created) return tl::unexpected(created.error());
    record.created_ns = *created;
    return read_duration(entry, record);
  }

  Result<void> read_duration(const Value& entry, Record& record) {
    const Value* const duration = values_.member(entry, "duration_ms");
    if (duration == nullptr || duration->kind == ValueKind::none) return {};
    const double ms = duration->kind == ValueKind::integer ? static_cast<double>(duration->integer)
                                                           : duration->real;
    constexpr double kPsPerMs = 1e9, kMostMs = 1e9;
    const bool number = duration->kind == ValueKind::integer || duration->kind == ValueKind::real;
    if (!number || !(ms >= 0 && ms <= kMostMs)) return wrong("duration_ms", "a duration");
    record.duration = ps(std::llround(ms * kPsPerMs));
    return {};
  }

  Result<void> read_state(const Value& entry, Record& record) {
    const auto text = required(entry, "state", ValueKind::text);
    if (!text) return tl::unexpected(text.error());
    for (const State state : {State::scheduled, State::started, State::completed}) {
      if ((*text)->text != name(state)) continue;
      record.state = state;
      const auto started = integer(entry, "time_discovered_started_ns", 0);  // JSON: 0 if unknown
      if (!started) return tl::unexpected(started.error());
      record.has_start = *started > 0 || state == State::started;
      return {};
    }
    return fail(Errc::input_corrupt, place(),
                fmt::format("the state is {}", in_quotes((*text)->text)),
                "states are scheduled, started and completed");
  }

  /// "input_sizes" and "input_dtypes", or those of outputs.
  Result<void> read_tensors(const Value& entry, std::string_view which, Tensors& tensors) {
    const std::string sizes_key = fmt::format("{}_sizes", which);
    const std::string types_key = fmt::format("{}_dtypes", which);
    const Value* const sizes = values_.member(entry, sizes_key);
    const Value* const types = values_.member(entry, types_key);
    if (sizes != nullptr && sizes->kind != ValueKind::list) return wrong(sizes_key, "a list");
    if (types != nullptr && types->kind != ValueKind::list) return wrong(types_key, "a list");
    for (const ValueId id : items_of(sizes)) {
      const Value& tensor = values_[id];
      if (tensor.kind != ValueKind::list) return wrong(sizes_key, "a list of lists");
      if (auto done = count_sizes(1 + tensor.items.size()); !done) return done;
      auto& dimensions = tensors.sizes.emplace_back();
      for (const ValueId dimension : tensor.items) {
        const Value& size = values_[dimension];
        if (size.kind != ValueKind::integer || size.integer < 0)
          return wrong(sizes_key, "a list of sizes");
        dimensions.push_back(size.integer);
      }
    }
    for (const ValueId id : items_of(types)) {
      if (values_[id].kind != ValueKind::text) return wrong(types_key, "a list of texts");
      if (auto done = count_sizes(1); !done) return done;
      tensors.types.emplace_back(values_[id].text.substr(0, kShownBytes));
    }
    return {};
  }

  Result<void> count_sizes(std::size_t count) {
    sizes_ += count;
    if (sizes_ <= kSizes) return {};
    return fail(Errc::limit_exceeded, place(),
                fmt::format("the tensors of all records have more than {} sizes", kSizes));
  }

  /// Frames are ordered from the innermost. Those of PyTorch itself do not show who called.
  [[nodiscard]] std::string call_site(const Value& entry) {
    const Value* const frames = values_.member(entry, "frames");
    if (frames == nullptr || frames->kind != ValueKind::list) return {};
    const std::size_t count = std::min(frames->items.size(), kFrames);
    for (std::size_t i = 0; i < count && frames_ < kSizes; ++i, ++frames_) {
      const Value& frame = values_[frames->items[i]];
      if (frame.items.size() > 2 * kKeys) continue;
      const Value* const file = values_.member(frame, "filename");
      if (file == nullptr || file->text.empty() ||
          file->text.find("/torch/") != std::string_view::npos)
        continue;
      const Value* const line = values_.member(frame, "line");
      const Value* const function = values_.member(frame, "name");
      std::string text = printable(file_name(file->text), kShownBytes);
      if (line != nullptr && line->kind == ValueKind::integer)
        text += fmt::format(":{}", line->integer);
      if (function != nullptr && !function->text.empty())
        text += fmt::format(" in {}", printable(function->text, kShownBytes));
      return text;
    }
    return {};
  }

  const Values& values_;
  const std::string& where_;
  Dump dump_;
  std::size_t sizes_ = 0, frames_ = 0, group_ranks_ = 0;
};

/// The bytes of a source, up to Values::kBytes.
Result<std::string> read_bytes(ByteSource& source, const std::string& where) {
  constexpr std::size_t kPiece = 1u << 20;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPiece);
    const auto got = source.read(std::as_writable_bytes(std::span(bytes).subspan(before)));
    if (!got) return tl::unexpected(got.error());
    bytes.resize(before + *got);
    if (*got == 0) return bytes;
    if (bytes.size() > Values::kBytes)
      return fail(Errc::limit_exceeded, where,
                  fmt::format("is larger than {} MiB", Values::kBytes >> 20),
                  "record with a smaller TORCH_NCCL_TRACE_BUFFER_SIZE (TORCH_FR_BUFFER_SIZE)");
  }
}

}  // namespace

std::string_view name(State state) {
  constexpr std::array<std::string_view, 3> kNames = {"scheduled", "started", "completed"};
  return kNames[static_cast<std::size_t>(state)];
}

Result<Dump> read_dump(ByteSource& source, const std::string& where) {
  auto bytes = read_bytes(source, where);
  if (!bytes) return tl::unexpected(bytes.error());
  const bool pickle = bytes->starts_with('\x80');
  auto values =
      pickle ? read_pickle(*std::move(bytes), where) : read_json(*std::move(bytes), where);
  if (!values) return tl::unexpected(values.error());
  return DumpReader(**values, where).read();
}

}  // namespace orrery::trace::flight_recorder
