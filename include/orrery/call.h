// SPDX-License-Identifier: Apache-2.0
//
// The C interface (orrery.h) for C++: answers are freed automatically. The headers in commands/
// have a question type and a function for each command. The library contains none of this code, so
// that a program and the library may be built by different compilers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/orrery.h"

namespace orrery::api {

/// The progress of a call. Texts live until the callback returns.
struct Progress {
  std::string_view phase;  ///< "read", "simulate", "write"
  std::string_view unit;   ///< of `done` and `of`: "ranks", "plans", "bytes"
  std::uint64_t done = 0;
  std::uint64_t of = 0;  ///< 0: unknown
};

struct CallOptions {
  /// Calls are sequential, from the calling thread or from one of its workers. Must not throw and
  /// must not call the library.
  std::function<void(const Progress&)> progress;
  /// Returns true to end the call with status 130. Called as often as `progress`, under the same
  /// rules.
  std::function<bool()> cancelled;
  bool keep_run = false;         ///< the answer contains the tables of the run
  std::string temporary_folder;  ///< for traces beyond half of the memory; empty: none
};

/// The answer of a call. Cheap to copy; may be read by several threads.
class Answer {
 public:
  explicit Answer(orrery_answer* answer) : answer_(answer, orrery_free) {
    if (answer == nullptr) throw std::bad_alloc();
  }

  /// The exit code of the command line. 0: success; 1: the answer is no; others: docs/library.md.
  [[nodiscard]] int status() const { return orrery_status(answer_.get()); }
  /// The document that `orrery COMMAND --json` prints. If the call failed, it contains "error".
  [[nodiscard]] std::string_view json() const { return orrery_json(answer_.get()); }
  /// The text that `orrery COMMAND` prints.
  [[nodiscard]] std::string_view text() const { return orrery_text(answer_.get()); }
  /// Notes, warnings and errors, one per line.
  [[nodiscard]] std::string_view notes() const { return orrery_notes(answer_.get()); }
  /// With CallOptions::keep_run: the names of the tables in docs/reference/run-file.md, one per
  /// line.
  [[nodiscard]] std::string_view table_names() const { return orrery_table_names(answer_.get()); }
  /// One of these tables in columns; the caller releases `schema` and `array`. Returns false if
  /// there is no such table or not enough memory.
  [[nodiscard]] bool table(const std::string& name, ArrowSchema& schema, ArrowArray& array) const {
    return orrery_table(answer_.get(), name.c_str(), &schema, &array) == 0;
  }
  /// The view "event" or "critical_path" of the run file, of one rank or of all.
  [[nodiscard]] bool view(const std::string& name, std::optional<std::uint32_t> rank,
                          ArrowSchema& schema, ArrowArray& array) const {
    const std::int64_t which = rank ? std::int64_t{*rank} : -1;
    return orrery_view(answer_.get(), name.c_str(), which, &schema, &array) == 0;
  }

 private:
  std::shared_ptr<orrery_answer> answer_;
};

/// Calls a command by its name, with a question in JSON. Throws std::bad_alloc.
[[nodiscard]] inline Answer call(const std::string& command, const std::string& question,
                                 const CallOptions& options = {}) {
  orrery_call_options given{};
  given.user = const_cast<CallOptions*>(&options);
  if (options.progress)
    given.progress = [](void* user, const char* phase, const char* unit, std::uint64_t done,
                        std::uint64_t of) {
      static_cast<const CallOptions*>(user)->progress({phase, unit, done, of});
    };
  if (options.cancelled)
    given.cancelled = [](void* user) {
      return static_cast<const CallOptions*>(user)->cancelled() ? 1 : 0;
    };
  given.keep_run = options.keep_run ? 1 : 0;
  given.temporary_folder = options.temporary_folder.c_str();
  return Answer(orrery_call(command.c_str(), question.c_str(), &given));
}

/// Builds a question as JSON, for the question types. Members that are not set are omitted.
class QuestionText {
 public:
  template <class T>
  QuestionText& add(std::string_view key, const std::optional<T>& value) {
    if (value) put_value(key_of(key), *value);
    return *this;
  }
  template <class T>
  QuestionText& add(std::string_view key, const std::vector<T>& values) {
    if (values.empty()) return *this;
    std::string& text = key_of(key) += '[';
    for (std::size_t i = 0; i < values.size(); ++i)
      put_value(i == 0 ? text : text += ',', values[i]);
    text += ']';
    return *this;
  }
  [[nodiscard]] std::string finish() { return std::move(text_) + (text_.empty() ? "{}" : "}"); }

 private:
  std::string& key_of(std::string_view key) {
    text_ += text_.empty() ? "{" : ",";
    put_value(text_, std::string(key));
    return text_ += ':';
  }
  static void put_value(std::string& text, bool value) { text += value ? "true" : "false"; }
  static void put_value(std::string& text, std::int64_t value) { text += std::to_string(value); }
  static void put_value(std::string& text, double value) {
    char digits[32];
    (void)std::snprintf(digits, sizeof digits, "%.17g", value);
    text += digits;
  }
  static void put_value(std::string& text, const std::string& value) {
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        text += c;
        continue;
      }
      char digits[8];
      (void)std::snprintf(digits, sizeof digits, "\\u%04x", static_cast<unsigned>(c));
      text += digits;
    }
    text += '"';
  }

  std::string text_;
};

}  // namespace orrery::api
