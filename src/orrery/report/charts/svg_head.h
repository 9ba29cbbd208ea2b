// SPDX-License-Identifier: Apache-2.0
//
// What plots have in common: their first lines and their colors.
#pragma once

#include <string>
#include <string_view>

namespace orrery::report {

/// Colors of background (class b), text (t), minor text (f) and grid (g), in light and dark mode.
inline constexpr std::string_view kChartStyle =
    "<style>.b{fill:#fff}.t{fill:#222}.f{fill:#666}.g{stroke:#ddd}"
    "@media(prefers-color-scheme:dark){.b{fill:#16191d}.t{fill:#e6e6e6}.f{fill:#a0a0a0}"
    ".g{stroke:#2c3138}}</style>\n";

/// The start of a plot of that many pixels: style, background, title, and a note below it.
[[nodiscard]] std::string svg_head(double width, double height, int font_size,
                                   std::string_view style, std::string_view title,
                                   std::string_view note);

}  // namespace orrery::report
