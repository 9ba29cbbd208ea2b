// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/trace_header.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/json/unescape.h"
#include "orrery/trace/kineto/raw_numbers.h"

namespace orrery::trace::kineto {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFactBytes = 1u << 16;
constexpr std::size_t kFacts = 1024;

std::int64_t number(const Json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_number_unsigned()) {
    const auto value = found->get<std::uint64_t>();
    return value > std::uint64_t{1} << 62 ? otherwise : static_cast<std::int64_t>(value);
  }
  if (found->is_number_integer()) return found->get<std::int64_t>();
  return found->is_string() ? integer_or(found->get_ref<const std::string&>(), otherwise)
                            : otherwise;
}

std::string word(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string();
}

std::optional<std::uint32_t> rank(const Json& object, const char* key) {
  const std::int64_t value = number(object, key, -1);
  if (value < 0 || value > static_cast<std::int64_t>(limits::kRanks)) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

profile::Group group_of(const Json& entry) {
  profile::Group out;
  out.name = word(entry, "pg_name");
  out.description = word(entry, "pg_desc");
  out.backend = word(entry, "backend_config");
  if (out.backend.empty()) out.backend = word(entry, "backend");
  std::int64_t size = number(entry, "pg_size", -1);
  if (size < 0) size = number(entry, "group_size", -1);
  if (size > 0 && size <= static_cast<std::int64_t>(limits::kRanks))
    out.size = static_cast<std::int32_t>(size);
  const auto ranks = entry.find("ranks");
  if (ranks == entry.end()) return out;
  if (ranks->is_string()) {
    out.ranks = parse_ranks(ranks->get_ref<const std::string&>());
  } else if (ranks->is_array()) {
    for (const Json& each : *ranks) {
      if (!each.is_number_unsigned() || each.get<std::uint64_t>() > limits::kRanks) {
        out.ranks.clear();
        break;
      }
      out.ranks.push_back(each.get<std::uint32_t>());
    }
  }
  return out;
}

}  // namespace

void TraceHeader::add(std::string_view key, std::string_view value) {
  if (key == "baseTimeNanoseconds") {
    base_ns_ = integer_or(value, 0);
    add_fact(key, value);
  } else if (key == "schemaVersion") {
    profile_.schema = unquoted(value);
  } else if (key == "distributedInfo") {
    add_distributed(value);
  } else if (key == "deviceProperties") {
    add_devices(value);
  } else if (key != "INFO") {  // the profiler's log
    add_fact(key, value);
  }
}

void TraceHeader::add_distributed(std::string_view value) {
  const Json info = json::nests_deeper(value, limits::kJsonDepth)
                        ? Json()
                        : Json::parse(value.begin(), value.end(), nullptr, false);
  if (!info.is_object()) {
    findings_.add(FindingCode::corrupt_record_dropped,
                  fmt::format("{}: distributedInfo", profile_.where));
    return;
  }
  profile_.rank = rank(info, "rank");
  profile_.world_size = rank(info, "world_size");
  profile_.backend = word(info, "backend");
  if (const std::string version = word(info, "nccl_version"); !version.empty())
    profile_.facts.emplace_back("nccl_version", version);
  const auto groups = info.find("pg_config");
  if (groups == info.end() || !groups->is_array()) return;
  for (const Json& entry : *groups)
    if (entry.is_object()) builder_.add_group(group_of(entry));
}

void TraceHeader::add_devices(std::string_view value) {
  const Json list = json::nests_deeper(value, limits::kJsonDepth)
                        ? Json()
                        : Json::parse(value.begin(), value.end(), nullptr, false);
  if (!list.is_array()) {
    findings_.add(FindingCode::corrupt_record_dropped,
                  fmt::format("{}: deviceProperties", profile_.where));
    return;
  }
  for (const Json& entry : list) {
    if (!entry.is_object()) continue;
    profile::Device device;
    device.id = number(entry, "id", static_cast<std::int64_t>(profile_.devices.size()));
    device.name = word(entry, "name");
    device.memory_bytes = std::max<std::int64_t>(0, number(entry, "totalGlobalMem", 0));
    device.processors = std::max<std::int64_t>(0, number(entry, "numSms", 0));
    profile_.devices.push_back(std::move(device));
  }
}

void TraceHeader::add_fact(std::string_view key, std::string_view value) {
  if (profile_.facts.size() >= kFacts) return;
  std::string name, text;
  json::unescape(key, name);
  if (!value.empty() && value.front() == '"') {
    json::unescape(unquoted(value), text);
  } else {
    on_one_line(value, text);
  }
  if (text.size() > kFactBytes) {
    findings_.add(FindingCode::string_cut,
                  fmt::format("{}: \"{}\" has {} bytes", profile_.where, name, text.size()));
    text.resize(beginning(text, kFactBytes).size());
  }
  profile_.facts.emplace_back(std::move(name), std::move(text));
}

}  // namespace orrery::trace::kineto
