// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace orrery::app {

struct Shell {
  std::string_view name;
  std::string_view place;  ///< where the shell searches for scripts on Debian, below /usr/share
};

inline constexpr std::array<Shell, 3> kShells = {
    {{"bash", "bash-completion/completions/orrery"},
     {"zsh", "zsh/vendor-completions/_orrery"},
     {"fish", "fish/vendor_completions.d/orrery.fish"}}};

/// The completion script for one of kShells.
[[nodiscard]] std::string completion_script(const CLI::App& table, std::string_view shell);

}  // namespace orrery::app
