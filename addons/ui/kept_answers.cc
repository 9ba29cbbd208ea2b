// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/kept_answers.h"

#include "orrery/config/json.h"
#include "orrery/core/system/sha256.h"

namespace orrery::ui {

std::string KeptAnswers::key_of(const Question& question) const {
  const nlohmann::json options = nlohmann::json::parse(question.options, nullptr, false);
  std::string text = question.command + '\n';
  text += options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t kMostFiles = 100'000;
  for (const FileEntry& file : folder_.files(kMostFiles)) text += '\n' + file.name;
  return sha256_of(text);
}

std::optional<Outcome> KeptAnswers::find(const std::string& key) {
  std::optional<Outcome> found;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = by_key_.find(key);
    if (entry == by_key_.end()) return {};
    newest_first_.splice(newest_first_.begin(), newest_first_, entry->second);
    found = entry->second->second;
  }
  if (!CurrentFiles(folder_.path()).unchanged(found->files)) return {};
  return found;
}

void KeptAnswers::keep(const std::string& key, const Outcome& outcome) {
  const std::size_t size = outcome.document.size();
  if (size > most_ / 4) return;
  const std::lock_guard lock(mutex_);
  if (const auto before = by_key_.find(key); before != by_key_.end()) {
    bytes_ -= before->second->second.document.size();
    newest_first_.erase(before->second);
    by_key_.erase(before);
  }
  newest_first_.emplace_front(key, outcome);
  by_key_[key] = newest_first_.begin();
  bytes_ += size;
  while (bytes_ > most_) {
    bytes_ -= newest_first_.back().second.document.size();
    by_key_.erase(newest_first_.back().first);
    newest_first_.pop_back();
  }
}

}  // namespace orrery::ui
