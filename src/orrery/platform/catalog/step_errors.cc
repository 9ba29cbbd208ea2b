// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/step_errors.h"

#include <fmt/format.h>

#include "orrery/config/built_in_list.h"
#include "orrery/config/parameters.h"

namespace orrery::platform {

extern const std::string_view kStepErrorsText;  // cmake/OrreryEmbed.cmake

namespace {

config::BuiltInList<StepErrors>& step_error_list() {
  static config::BuiltInList<StepErrors> list(config::split_entries(kStepErrorsText));
  return list;
}

constexpr std::array kKnownDevice = {StepErrorTerm{"between sources", &StepErrors::source},
                                     StepErrorTerm{"between model families", &StepErrors::family},
                                     StepErrorTerm{"between releases", &StepErrors::release},
                                     StepErrorTerm{"between devices", &StepErrors::device},
                                     StepErrorTerm{"between plans", &StepErrors::plan}};
constexpr std::array kUnknownDevice = {
    kKnownDevice[0], kKnownDevice[1], kKnownDevice[2],
    StepErrorTerm{"device without measured steps", &StepErrors::unknown_device}, kKnownDevice[4]};

}  // namespace

std::span<const StepErrorTerm> step_error_terms(bool known_device) {
  return known_device ? kKnownDevice : kUnknownDevice;
}

const StepErrors* find_step_errors(std::string_view kind, std::string_view products) {
  const StepErrors* const own = step_error_list().find(fmt::format("{}, {}", kind, products));
  return own != nullptr ? own : step_error_list().find(kind);
}

std::span<const StepErrors> all_step_errors() { return step_error_list().all(); }
Result<void> check_step_errors() { return step_error_list().check(); }

}  // namespace orrery::platform
