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

namespace orrery::ui {

/// Keeps the newest answers, up to a number of bytes. Thread-safe.
class KeptAnswers {
 public:
  KeptAnswers(std::string folder, std::size_t bytes) : folder_(std::move(folder)), most_(bytes) {}

  /// The answer to an equal question, if all files that it read are as they were, and those that
  /// were missing still are. Reads these files.
  [[nodiscard]] std::optional<Outcome> find(const Question& question);
  void keep(const Question& question, const Outcome& outcome);

 private:
  using Entry = std::pair<std::string, Outcome>;

  const std::string folder_;
  const std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> newest_first_;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace orrery::ui
