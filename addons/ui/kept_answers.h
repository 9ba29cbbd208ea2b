// SPDX-License-Identifier: Apache-2.0
//
// Answers by the content of their question and of the files that it reads.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "addons/ui/child.h"
#include "addons/ui/folder.h"

namespace orrery::ui {

/// Keeps the newest answers, up to a number of bytes. The names of the folder's files are a part of
/// each question, since questions may hold patterns ("rank*.json"). Thread-safe.
class KeptAnswers {
 public:
  /// `folder` outlives it.
  KeptAnswers(const Folder& folder, std::size_t bytes) : folder_(folder), most_(bytes) {}

  /// Equal for questions that differ in white space and in the order of keys only. Take it before
  /// the question is answered. Reads the names of the folder's files.
  [[nodiscard]] std::string key_of(const Question& question) const;
  /// The answer to a question with this key, if all files that it read are as they were, and those
  /// that were missing still are. Reads these files.
  [[nodiscard]] std::optional<Outcome> find(const std::string& key);
  void keep(const std::string& key, const Outcome& outcome);

 private:
  using Entry = std::pair<std::string, Outcome>;

  const Folder& folder_;
  const std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> newest_first_;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace orrery::ui
