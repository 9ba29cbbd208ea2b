// SPDX-License-Identifier: Apache-2.0
//
// The settings of routers as options; defaults and limits are those of the cluster file.
#pragma once

#include <string_view>
#include <tuple>

#include "orrery/commands/command_options.h"
#include "orrery/core/text/fixed_text.h"
#include "orrery/platform/noc_names.h"
#include "orrery/platform/noc_numbers.h"

namespace orrery::commands {

using platform::NocSettings;

/// The words of an enumeration: "a, b or c".
template <class Enum>
struct WordsOf {
  template <class Put>
  static constexpr void write(Put put) {
    const auto& names = config::EnumNames<Enum>::names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      put(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ");
      put(names[i].first);
    }
  }
};
template <class Enum>
inline constexpr std::string_view kWordsOf = FixedText<WordsOf<Enum>>::kView;

/// The sentence of a number, as help begins it: with a capital letter.
template <std::int64_t NocSettings::*kMember>
struct SentenceOf {
  template <class Put>
  static constexpr void write(Put put) {
    constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const std::string_view about = platform::noc_number(kMember).about;
    put(kUpper.substr(kLower.find(about[0]), 1));
    put(about.substr(1));
  }
};

template <std::int64_t NocSettings::*kMember>
constexpr auto number_option(std::string_view name, std::string_view option,
                             std::string_view other) {
  constexpr const platform::NocNumber& kNumber = platform::noc_number(kMember);
  return QuestionField{
      name, kMember, option, "N", kAnswer, other, FixedText<SentenceOf<kMember>>::kView}
      .between(kNumber.least, kNumber.most)
      .shows_default();
}

inline constexpr auto kRouterOptions = std::tuple{
    QuestionField{"routing", &NocSettings::routing, "--routing", "TEXT", kAnswer, "yx",
                  kWordsOf<platform::NocRouting>}
        .shows_default(),
    number_option<&NocSettings::channels>("channels", "--channels", "2"),
    number_option<&NocSettings::buffer>("buffer", "--buffer", "4"),
    number_option<&NocSettings::stages>("stages", "--stages", "2"),
    number_option<&NocSettings::credit>("credit_cycles", "--credit-cycles", "2"),
    number_option<&NocSettings::speedup>("speedup", "--speedup", "2"),
    number_option<&NocSettings::iterations>("allocator_iterations", "--allocator-iterations", "2"),
    QuestionField{"channel_allocator", &NocSettings::channel_allocator, "--channel-allocator",
                  "TEXT", kAnswer, "separable", kWordsOf<platform::NocAllocator>}
        .shows_default(),
    QuestionField{"switch_allocator", &NocSettings::switch_allocator, "--switch-allocator", "TEXT",
                  kAnswer, "separable", kWordsOf<platform::NocAllocator>}
        .shows_default(),
    QuestionField{"switching", &NocSettings::switching, "--switching", "TEXT", kAnswer,
                  "cut_through", kWordsOf<platform::NocSwitching>}
        .shows_default(),
    QuestionField{"waits_for_tail", &NocSettings::waits_for_tail, "--waits-for-tail", "", kAnswer,
                  "true", "A channel serves the next packet only when its buffer is empty"},
    config::UndeclaredField{&NocSettings::flit},
    config::UndeclaredField{&NocSettings::packet},
    config::UndeclaredField{&NocSettings::head},
    config::UndeclaredField{&NocSettings::cycle},
    config::UndeclaredField{&NocSettings::clocks},
    config::UndeclaredField{&NocSettings::synchronizer},
    config::UndeclaredField{&NocSettings::skip},
    config::UndeclaredField{&NocSettings::seed}};

}  // namespace orrery::commands

namespace orrery::platform {

constexpr const auto& question_table(const NocSettings*) { return commands::kRouterOptions; }

}  // namespace orrery::platform
