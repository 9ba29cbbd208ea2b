// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/record.h"

#include "orrery/trace/json/name_index.h"

namespace orrery::trace::kineto {
namespace {

struct Spelling {
  std::string_view name;
  Arg arg;
};

constexpr Spelling kSpellings[] = {
    {"External id", Arg::external_id},
    {"external id", Arg::external_id},
    {"External Id", Arg::external_id},
    {"Record function id", Arg::record_function_id},
    {"Sequence number", Arg::sequence},
    {"Fwd thread id", Arg::forward_thread},
    {"Input Dims", Arg::dims},
    {"Input dims", Arg::dims},
    {"Input Strides", Arg::strides},
    {"Input type", Arg::types},
    {"Input types", Arg::types},
    {"Concrete Inputs", Arg::concrete},
    {"correlation", Arg::correlation},
    {"Correlation", Arg::correlation},
    {"device", Arg::device},
    {"stream", Arg::stream},
    {"bytes", Arg::bytes},
    {"Bytes", Arg::bytes},
    {"size", Arg::size},
    {"Collective name", Arg::collective},
    {"dtype", Arg::dtype},
    {"In msg nelems", Arg::in_elements},
    {"Out msg nelems", Arg::out_elements},
    {"In split size", Arg::in_split},
    {"Out split size", Arg::out_split},
    {"Group size", Arg::group_size},
    {"Process Group Name", Arg::group_name},
    {"Process Group Description", Arg::group_description},
    {"Process Group Ranks", Arg::group_ranks},
    {"Process Group ID", Arg::group_id},
    {"Rank", Arg::rank},
    {"Seq", Arg::comm_sequence},
    {"Src Rank", Arg::source_rank},
    {"Dst Rank", Arg::destination_rank},
    {"Root Rank", Arg::root_rank},
    {"Root rank", Arg::root_rank},
    {"Global rank start", Arg::rank_start},
    {"Global rank stride", Arg::rank_stride},
    {"Is asynchronized op", Arg::asynchronous},
    {"Is asynchronized", Arg::asynchronous},
    {"cuda_sync_kind", Arg::sync_kind},
    {"wait_on_stream", Arg::wait_stream},
    {"wait_on_cuda_event_record_corr_id", Arg::wait_record},
    {"graph id", Arg::graph_id},
    {"graph node id", Arg::graph_node},
    {"Addr", Arg::address},
    {"Total Allocated", Arg::allocated},
    {"Total Reserved", Arg::reserved},
    {"Device Id", Arg::memory_device},
    {"Device Type", Arg::device_type},
    {"original_stream", Arg::original_stream},
    {"name", Arg::name},
    {"Ev Idx", Arg::ignored},
    {"queued", Arg::ignored},
    {"context", Arg::ignored},
    {"memory bandwidth (GB/s)", Arg::ignored},
    {"cbid", Arg::ignored},
    {"cid", Arg::ignored},
    {"critical", Arg::ignored},
    {"finished", Arg::ignored},
    {"k_work_ptr", Arg::ignored},
    {"packet_ptr", Arg::ignored},
    {"Python id", Arg::ignored},
    {"Python parent id", Arg::ignored},
    {"Python module id", Arg::ignored},
    {"Trace name", Arg::ignored},
    {"Trace iteration", Arg::ignored},
    {"Profiler Event Index", Arg::ignored},
    {"Module Hierarchy", Arg::ignored},
    {"Call stack", Arg::ignored},
    {"wait_on_cuda_event_id", Arg::ignored},
};

Arg arg_named(std::string_view key) {
  const Spelling* spelling = json::NameIndex<kSpellings>::find(key);
  return spelling == nullptr ? Arg::unknown : spelling->arg;
}

/// A field's key: simdjson gives its begin, and it ends before the next quote.
std::string_view key_of(simdjson::ondemand::field& field) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

/// The text of any value.
bool raw(simdjson::ondemand::value value, std::string_view& out) {
  const std::string_view token = value.raw_json_token();
  if (token.empty()) return false;
  if (token.front() == '[') {
    simdjson::ondemand::array array;
    if (value.get_array().get(array) || array.raw_json().get(out)) return false;
  } else if (token.front() == '{') {
    simdjson::ondemand::object object;
    if (value.get_object().get(object) || object.raw_json().get(out)) return false;
  } else {
    out = token;
  }
  out = trimmed(out);
  return true;
}

std::string_view* member(Record& record, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return &record.phase;
      if (key == "ts") return &record.start;
      if (key == "id") return &record.id;
      break;
    case 3:
      if (key == "cat") return &record.category;
      if (key == "pid") return &record.process;
      if (key == "tid") return &record.thread;
      if (key == "dur") return &record.duration;
      break;
    case 4:
      if (key == "name") return &record.name;
      break;
    default:
      break;
  }
  return nullptr;
}

}  // namespace

void Record::clear() {
  phase = category = name = process = thread = start = duration = id = {};
  extra_count = 0;
  present_ = 0;
}

void Record::set(std::string_view key, std::string_view raw) {
  if (const Arg arg = arg_named(key); arg != Arg::ignored) set(arg, key, raw);
}

void Record::set(Arg arg, std::string_view key, std::string_view raw) {
  if (arg != Arg::unknown) {
    args_[index(arg)] = raw;
    present_ |= std::uint64_t{1} << index(arg);
  } else if (extra_count < kExtras) {
    extras[extra_count++] = {key, raw};
  }
}

bool Record::read(simdjson::ondemand::object& element) {
  clear();
  for (auto each : element) {
    simdjson::ondemand::field field;
    if (std::move(each).get(field)) return false;
    const std::string_view key = key_of(field);
    if (std::string_view* known = member(*this, key)) {
      if (!raw(field.value(), *known)) return false;
    } else if (key == "args") {
      if (!read_args(field.value())) return false;
    }
  }
  return true;
}

bool Record::read_args(simdjson::ondemand::value value) {
  if (const std::string_view token = value.raw_json_token(); token.empty() || token.front() != '{')
    return true;  // null, or an unknown value
  simdjson::ondemand::object object;
  if (value.get_object().get(object)) return false;
  for (auto each : object) {
    simdjson::ondemand::field field;
    if (std::move(each).get(field)) return false;
    const std::string_view key = key_of(field);
    const Arg arg = arg_named(key);
    if (arg == Arg::ignored) continue;
    std::string_view text;
    if (!raw(field.value(), text)) return false;
    set(arg, key, text);
  }
  return true;
}

}  // namespace orrery::trace::kineto
