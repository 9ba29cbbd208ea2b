// SPDX-License-Identifier: Apache-2.0
//
// The settings of routers as options; defaults and limits are those of the cluster file.
#pragma once

#include <string_view>
#include <tuple>

#include "orrery/commands/command_options.h"
#include "orrery/core/text/fixed_text.h"
#include "orrery/platform/noc_limits.h"
#include "orrery/platform/noc_names.h"

namespace orrery::commands {

using platform::noc_limit;
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

inline constexpr auto kRouterOptions = std::tuple{
    QuestionField{"routing", &NocSettings::routing, "--routing", "TEXT", kAnswer, "yx",
                  kWordsOf<platform::NocRouting>}
        .shows_default(),
    QuestionField{"channels", &NocSettings::channels, "--channels", "N", kAnswer, "2",
                  "Virtual channels of a link"}
        .between(noc_limit(&NocSettings::channels).least, noc_limit(&NocSettings::channels).most)
        .shows_default(),
    QuestionField{"buffer", &NocSettings::buffer, "--buffer", "N", kAnswer, "4",
                  "Flits of a channel's buffer"}
        .between(noc_limit(&NocSettings::buffer).least, noc_limit(&NocSettings::buffer).most)
        .shows_default(),
    QuestionField{"stages", &NocSettings::stages, "--stages", "N", kAnswer, "2",
                  "Stages of a router's pipeline"}
        .between(noc_limit(&NocSettings::stages).least, noc_limit(&NocSettings::stages).most)
        .shows_default(),
    QuestionField{"credit_cycles", &NocSettings::credit, "--credit-cycles", "N", kAnswer, "2",
                  "Cycles until a router uses a credit that has arrived"}
        .between(noc_limit(&NocSettings::credit).least, noc_limit(&NocSettings::credit).most)
        .shows_default(),
    QuestionField{"speedup", &NocSettings::speedup, "--speedup", "N", kAnswer, "2",
                  "Inputs into the switch for each port"}
        .between(noc_limit(&NocSettings::speedup).least, noc_limit(&NocSettings::speedup).most)
        .shows_default(),
    QuestionField{"allocator_iterations", &NocSettings::iterations, "--allocator-iterations", "N",
                  kAnswer, "2", "Rounds of iSLIP per cycle"}
        .between(noc_limit(&NocSettings::iterations).least,
                 noc_limit(&NocSettings::iterations).most)
        .shows_default(),
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
    config::UndeclaredField{&NocSettings::seed}};

}  // namespace orrery::commands

namespace orrery::platform {

constexpr const auto& question_table(const NocSettings*) { return commands::kRouterOptions; }

}  // namespace orrery::platform
