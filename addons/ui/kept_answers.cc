// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/kept_answers.h"

#include "orrery/config/json.h"
#include "orrery/core/system/sha256.h"

namespace orrery::ui {

namespace {

/// Equal for questions that differ in white space and in the order of keys only.
std::string key_of(const Question& question) {
  const nlohmann::json options = nlohmann::json::parse(question.options, nullptr, false);
  return sha256_of(question.command + '\n' +
                   options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

std::optional<Outcome> KeptAnswers::find(const Question& question) {
  const std::string key = key_of(question);
  std::optional<Outcome> found;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = by_key_.find(key);
    if (entry == by_key_.end()) return {};
    newest_first_.splice(newest_first_.begin(), newest_first_, entry->second);
    found = entry->second->second;
  }
  if (!CurrentFiles(folder_).unchanged(found->files)) return {};
  return found;
}

void KeptAnswers::keep(const Question& question, const Outcome& outcome) {
  const std::size_t size = outcome.document.size();
  if (size > most_ / 4) return;
  const std::string key = key_of(question);
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
