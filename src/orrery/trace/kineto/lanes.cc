// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/lanes.h"

#include "orrery/trace/json/scan.h"
#include "orrery/trace/json/unescape.h"
#include "orrery/trace/kineto/interner.h"
#include "orrery/trace/kineto/raw_numbers.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {
namespace {

constexpr std::int64_t kFirstTextNumber = -1'000'000;  // no system uses such thread ids

/// The number after the word in "stream 7" and "thread 123 (main)".
std::string_view number_after_word(std::string_view word) {
  for (const std::string_view what : {"stream ", "Stream ", "thread ", "Thread "}) {
    if (!word.starts_with(what)) continue;
    const std::string_view rest = word.substr(what.size());
    return rest.substr(0, rest.find_first_not_of("0123456789"));
  }
  return {};
}

}  // namespace

std::int64_t Lanes::number(std::string_view raw) {
  if (raw.empty()) return 0;
  if (const auto value = integer(raw)) return *value;
  const std::string_view word = unquoted(raw);
  if (const std::string_view digits = number_after_word(word); !digits.empty())
    if (const auto value = integer(digits)) return *value;
  const auto next = kFirstTextNumber - static_cast<std::int64_t>(text_numbers_.size());
  return text_numbers_.emplace(std::string(word.substr(0, 256)), next).first->second;
}

std::uint32_t Lanes::lane(bool device, std::int64_t process, std::int64_t id, Key key) {
  const auto mixed = static_cast<std::uint64_t>(process) * 31 + static_cast<std::uint64_t>(id) * 7 +
                     (device ? 1 : 0);
  Slot& slot = recent_[(mixed ^ mixed >> 6) % recent_.size()];
  if (slot.lane != profile::kNone && slot.process == process && slot.id == id &&
      slot.device == device)
    return slot.lane;
  slot = {process, id, profile_.lane(device, process, id), device};
  if (slot.lane >= keys_.size()) keys_.resize(slot.lane + 1, key);
  return slot.lane;
}

std::uint32_t Lanes::host(std::string_view process, std::string_view thread) {
  const Key key{number(process), number(thread)};
  return lane(false, key.first, key.second, key);
}

std::uint32_t Lanes::device(std::string_view device, std::string_view stream,
                            std::string_view process, std::string_view thread) {
  const Key key{number(process), number(thread)};
  return lane(true, integer_or(device, key.first), integer_or(stream, key.second), key);
}

void Lanes::name(std::string_view what, std::string_view process, std::string_view thread,
                 std::string_view name) {
  const Key key{number(process), number(thread)};
  const bool of_thread = what == "thread_name";
  if (key == last_key_ && name == last_name_) return;
  std::string text;
  json::unescape(unquoted(name), text);
  text = std::string(json::trim(text));
  if (text.empty()) return;
  if (of_thread) {
    last_key_ = key;
    last_name_ = name;
    thread_names_[key] = std::move(text);
  } else {
    process_names_[key.first] = std::move(text);
  }
}

void Lanes::finish() {
  for (std::size_t l = 0; l < profile_.lanes.size(); ++l) {
    profile::Lane& lane = profile_.lanes[l];
    const auto named = thread_names_.find(keys_[l]);
    if (named != thread_names_.end()) {
      lane.name = named->second;
      continue;
    }
    for (const auto& [word, number] : text_numbers_)
      if (number == lane.id) lane.name = word;
    const auto process = process_names_.find(keys_[l].first);
    if (lane.name.empty() && !lane.device && process != process_names_.end())
      lane.name = process->second;
  }
}

}  // namespace orrery::trace::kineto
