// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/renamed_options.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/model/caller/caller_models.h"
#include "orrery/report/json/envelope.h"

namespace orrery::commands {

namespace {

/// Thrown out of a function of the caller, to end the call.
struct Cancelled {};

class CallContext final : public Context {
 public:
  explicit CallContext(std::string_view called, const CallOptions& options) : options_(options) {
    command = called;
    json = true;
    color = progress = "never";
    temporary_folder = options.temporary_folder;
    if (options.kernel_time || options.network_time)
      caller_models_ = std::make_shared<const model::CallerModels>(checked(options.kernel_time),
                                                                   checked(options.network_time));
  }

  [[nodiscard]] report::Style out_style() const override { return {}; }
  int fail(const Error& error, const Findings& findings) const override {
    report_error(error);
    answer_.json = report::error_envelope(command, error, findings);
    return exit_code(error.code);
  }
  void report_error(const Error& error) const override {
    add_note("error: " + printable_lines(to_string(error)));
  }
  void note(std::string_view text) const override { add_note(printable(text)); }
  void warn(std::string_view text) const override { add_note("warning: " + printable(text)); }
  int deliver(std::string_view text, const std::function<std::string()>& to_json,
              int code) const override {
    answer_.text = text;
    answer_.json = document(to_json);
    if (output.empty()) return code;
    const auto done = write_output(output, answer_.json, force);
    return done ? code : fail(done.error(), {});
  }
  [[nodiscard]] std::unique_ptr<ProgressSink> start_progress() const override {
    return std::make_unique<Sink>(*this);
  }
  /// A program that calls the library shows pages itself.
  void show_page(const std::string&) const override {}
  [[nodiscard]] std::string launcher_variable(const char*) const override { return {}; }
  [[nodiscard]] std::string program_file() const override { return {}; }
  [[nodiscard]] bool wants_run() const override { return options_.keep_run; }
  void take_run(result::Run run) const override {
    answer_.run = std::make_shared<const result::Run>(std::move(run));
  }
  [[nodiscard]] std::shared_ptr<const model::CallerModels> caller_models() const override {
    return caller_models_;
  }

  [[nodiscard]] CallAnswer take_answer() { return std::move(answer_); }

 private:
  class Sink final : public ProgressSink {
   public:
    explicit Sink(const CallContext& context) : context_(context) {}
    void begin(const ProgressPhase& phase, std::uint64_t of) override { update(phase, 0, of); }
    void update(const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) override {
      const CallOptions& options = context_.options_;
      const std::lock_guard lock(context_.mutex_);
      if (options.progress) options.progress(phase, done, of);
      if (options.cancelled && options.cancelled()) throw Cancelled{};
    }
    void clear() override {}
    [[nodiscard]] bool active() const override {
      return context_.options_.progress || context_.options_.cancelled;
    }

   private:
    const CallContext& context_;
  };

  static model::CallerModels::Function checked(model::CallerModels::Function function) {
    if (!function) return {};
    return [function = std::move(function)](const std::string& about,
                                            std::optional<double> predicted) {
      const double seconds = function(about, predicted);
      const bool fine = seconds > 0 && seconds < model::CallerModels::kMaxSeconds;
      const bool unchanged = predicted ? seconds == *predicted : std::isnan(seconds);
      if (!fine && !unchanged) throw Cancelled{};
      return seconds;
    };
  }

  void add_note(std::string text) const {
    const std::lock_guard lock(mutex_);
    answer_.notes.push_back(std::move(text));
  }

  const CallOptions& options_;
  std::shared_ptr<const model::CallerModels> caller_models_;
  mutable std::mutex mutex_;
  mutable CallAnswer answer_;
};

/// The name in JSON of an option that an earlier release called `key`; empty: none.
std::string renamed_key(const CommandOptions& command, std::string_view key) {
  std::string option = fmt::format("--{}", key);
  std::replace(option.begin(), option.end(), '_', '-');
  const std::string_view now = renamed_option(command.name, option);
  return now.empty() ? "" : json_name(now);
}

/// The field of a key. Of an argument and an option with one name: the option.
FieldRecord* find_field(CommandOptions& command, std::string_view key) {
  FieldRecord* found = nullptr;
  for (FieldRecord& field : command.fields)
    if (!field.options.empty() && json_name(field.options) == key &&
        (found == nullptr || field.options.starts_with('-')))
      found = &field;
  return found;
}

tl::unexpected<Error> unknown_key(const CommandOptions& command, const std::string& key) {
  std::vector<std::string> names;
  for (const FieldRecord& field : command.fields)
    if (!field.options.empty() && !is_of_terminal(json_name(field.options)))
      names.push_back(json_name(field.options));
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint = did_you_mean(key, views);
  if (hint.empty()) hint = fmt::format("'orrery schema question {}' lists the keys", command.name);
  return fail(Errc::config_unknown_key, "question:/" + key,
              fmt::format("{} has no such option", command.name), std::move(hint));
}

/// A value as the option takes it; empty: of another kind.
std::optional<std::string> text_of(const config::Json& value, std::string_view kind) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() && kind == "boolean") return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer() && (kind == "integer" || kind == "number")) return value.dump();
  if (value.is_number() && kind == "number") return fmt::format("{}", value.get<double>());
  if (value.is_number() && kind == "string") return value.dump();  // "tp": 8
  return std::nullopt;
}

Result<void> set_value(FieldRecord& field, const std::string& key, const config::Json& value) {
  const std::string where = "question:/" + key;
  const auto text = text_of(value, field.kind.json);
  if (!text)
    return fail(Errc::config_type, where,
                fmt::format("must be a {}, not {}", field.kind.json, config::json_kind(value)),
                fmt::format("{}", field.kind.words));
  // Standard output belongs to the program that calls.
  if (field.stages == kNothing && field.type == "FILE" && *text == "-")
    return fail(Errc::usage, where, "'-' is only for the command line", "name a file");
  if (auto set = field.set(*text); !set)
    return fail(set.error().code, where, set.error().what, set.error().hint);
  ++field.times_given;
  return {};
}

Result<void> set_field_of(CommandOptions& command, const std::string& key,
                          const config::Json& value) {
  FieldRecord* field = is_of_terminal(key) ? nullptr : find_field(command, key);
  if (field == nullptr)
    if (const std::string now = renamed_key(command, key); !now.empty())
      field = find_field(command, now);
  if (field == nullptr) return unknown_key(command, key);
  if (value.is_null()) return {};
  const bool many = field->kind.is_list || field->values_each > 1;
  if (!value.is_array()) return set_value(*field, key, value);
  if (!many)
    return fail(Errc::config_type, "question:/" + key, "must be one value, not a list",
                std::string(field->kind.words));
  for (const config::Json& one : value)
    if (auto set = set_value(*field, key, one); !set) return set;
  return {};
}

Result<void> set_question(CommandOptions& command, std::string_view question) {
  const auto read = config::parse_json(question.empty() ? "{}" : question, "question");
  if (!read) return tl::unexpected(read.error());
  if (!read->is_object())
    return fail(Errc::config_type, "question",
                fmt::format("must be an object, not {}", config::json_kind(*read)),
                R"({"model": "llama-3.1-8b", "cluster": "h100-sxm:8"})");
  for (const auto& [key, value] : read->items())
    if (auto set = set_field_of(command, key, value); !set) return set;
  for (FieldRecord& field : command.fields) {
    if (field.is_required && field.times_given == 0 &&
        find_field(command, json_name(field.options))->times_given == 0)
      return fail(Errc::config_missing_key, "question:/" + json_name(field.options), "is missing",
                  std::string(field.about));
    if (!field.excludes.empty() && field.times_given > 0 && command.is_given(field.excludes))
      return fail(Errc::config_conflict, "question:/" + json_name(field.options),
                  fmt::format("excludes {}", json_name(field.excludes)), "give one of the two");
  }
  if (command.on_given) command.on_given();
  return {};
}

int run_command(CallContext& context, std::string_view command, std::string_view question) {
  const Command* row = find_command(command);
  if (row == nullptr || row->group == Group::hidden) {
    if (const auto missing = missing_part_error(command)) return context.fail(*missing, {});
    return context.fail({Errc::usage, "command", fmt::format("there is no command '{}'", command),
                         did_you_mean(command, command_names())},
                        {});
  }
  if (context.caller_models() != nullptr && row->name != "run")
    return context.fail({Errc::usage, "kernel_time, network_time",
                         fmt::format("{} predicts no times with functions of the caller", command),
                         "give them to run, or leave them out"},
                        {});
  BoundCommand bound(*row, context);
  if (auto set = set_question(bound.options, question); !set) return context.fail(set.error(), {});
  context.question = question_json(bound.options);
  if (auto fine = context.check_output(); !fine) return context.fail(fine.error(), {});
  return bound.action();
}

}  // namespace

CallAnswer call(std::string_view name, std::string_view question, const CallOptions& options) {
  const Command* row = find_command(name);
  const std::string_view command = row == nullptr ? name : row->name;  // not an old name
  CallContext context(command, options);
  int status = kDefect;
  try {
    status = run_command(context, command, question);
  } catch (const Cancelled&) {
    (void)context.fail({Errc::cancelled, std::string(command), "the caller cancelled it", ""}, {});
    status = kInterrupted;
  } catch (const std::bad_alloc& failure) {
    status = context.fail(memory_error(failure), {});
  } catch (const std::exception& error) {
    (void)context.fail({Errc::defect, std::string(command), error.what(), "please report it"}, {});
  }
  CallAnswer answer = context.take_answer();
  answer.status = status;
  return answer;
}

}  // namespace orrery::commands
