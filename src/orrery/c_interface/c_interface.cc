// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/c_interface/arrow_table.h"
#include "orrery/commands/call.h"
#include "orrery/commands/command.h"
#include "orrery/orrery.h"
#include "orrery/result/columns/run_views.h"

struct orrery_answer {
  orrery::commands::CallAnswer answer;
  std::string notes, tables;
};

namespace {

using orrery::commands::CallOptions;
using orrery::commands::ProgressPhase;

std::string_view view(const char* text) { return text == nullptr ? "" : text; }

template <class Texts>
std::string lines(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) (all += text) += '\n';
  return all;
}

CallOptions options_of(const orrery_call_options* given) {
  CallOptions options;
  if (given == nullptr) return options;
  if (given->progress != nullptr)
    options.progress = [given](const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) {
      given->progress(given->user, std::string(phase.name).c_str(), std::string(phase.unit).c_str(),
                      done, of);
    };
  if (given->cancelled != nullptr)
    options.cancelled = [given] { return given->cancelled(given->user) != 0; };
  options.keep_run = given->keep_run != 0;
  options.temporary_folder = view(given->temporary_folder);
  return options;
}

/// `build`: the table of a run, or an error.
template <class Build>
int hand_out(const orrery_answer& answer, ArrowSchema& schema, ArrowArray& array,
             const Build& build) {
  if (!answer.answer.run) return orrery::commands::kUsage;
  try {
    auto table = build(*answer.answer.run);
    if (!table) return orrery::commands::kUsage;
    orrery::c_interface::export_table(*std::move(table), schema, array);
    return orrery::commands::kOk;
  } catch (const std::bad_alloc&) {
    return orrery::exit_code(orrery::Errc::limit_exceeded);
  }
}

using Function = std::function<double(const std::string&, std::optional<double>)>;

Function function_of(double (*given)(void*, const char*, double), void* user) {
  if (given == nullptr) return {};
  return [given, user](const std::string& about, std::optional<double> predicted) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return given(user, about.c_str(), predicted.value_or(kUnknown));
  };
}

}  // namespace

extern "C" {

int orrery_api_version() { return ORRERY_API_VERSION; }

const char* orrery_version() { return ORRERY_VERSION; }

const char* orrery_commands() {
  static const std::string names = lines(orrery::commands::command_names());
  return names.c_str();
}

orrery_answer* orrery_call(const char* command, const char* question,
                           const orrery_call_options* options) {
  return orrery_call_with_models(command, question, options, nullptr);
}

orrery_answer* orrery_call_with_models(const char* command, const char* question,
                                       const orrery_call_options* options,
                                       const orrery_models* models) {
  try {
    auto made = std::make_unique<orrery_answer>();
    CallOptions all = options_of(options);
    if (models != nullptr) {
      all.kernel_time = function_of(models->kernel_time, models->user);
      all.network_time = function_of(models->network_time, models->user);
    }
    made->answer = orrery::commands::call(view(command), view(question), all);
    made->notes = lines(made->answer.notes);
    if (made->answer.run) made->tables = lines(orrery::result::run_table_names());
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

int orrery_status(const orrery_answer* answer) { return answer->answer.status; }
const char* orrery_json(const orrery_answer* answer) { return answer->answer.json.c_str(); }
const char* orrery_text(const orrery_answer* answer) { return answer->answer.text.c_str(); }
const char* orrery_notes(const orrery_answer* answer) { return answer->notes.c_str(); }
const char* orrery_table_names(const orrery_answer* answer) { return answer->tables.c_str(); }

int orrery_table(const orrery_answer* answer, const char* name, ArrowSchema* schema,
                 ArrowArray* array) {
  return hand_out(*answer, *schema, *array, [name](const orrery::result::Run& run) {
    return orrery::result::run_table(run, view(name));
  });
}

int orrery_view(const orrery_answer* answer, const char* name, std::int64_t rank,
                ArrowSchema* schema, ArrowArray* array) {
  if (rank < -1 || rank > UINT32_MAX) return orrery::commands::kUsage;
  const auto only = rank < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(rank));
  return hand_out(*answer, *schema, *array, [name, only](const orrery::result::Run& run) {
    return orrery::result::run_view(run, view(name), only);
  });
}

void orrery_free(orrery_answer* answer) { delete answer; }
}
