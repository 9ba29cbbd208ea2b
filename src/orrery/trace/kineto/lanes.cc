// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/lanes.h"

#include "orrery/trace/json/unescape.h"
#include "orrery/trace/kineto/interner.h"
#include "orrery/trace/kineto/raw_numbers.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {
namespace {

constexpr std::int64_t kFirstWord = -1'000'000;  // no system numbers its threads like this

std::string_view without_space(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "stream 7" and "thread 123 (main)": the number behind the word.
std::string_view numbered(std::string_view word) {
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
  const std::string_view word = content(raw);
  if (const std::string_view digits = numbered(word); !digits.empty())
    if (const auto value = integer(digits)) return *value;
  const auto next = kFirstWord - static_cast<std::int64_t>(words_.size());
  return words_.emplace(std::string(word.substr(0, 256)), next).first->second;
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
  json::unescape(content(name), text);
  text = std::string(without_space(text));
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
    for (const auto& [word, number] : words_)
      if (number == lane.id) lane.name = word;
    const auto process = process_names_.find(keys_[l].first);
    if (lane.name.empty() && !lane.device && process != process_names_.end())
      lane.name = process->second;
  }
}

}  // namespace orrery::trace::kineto
