// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/svg_head.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"

namespace orrery::report {

std::string svg_head(double width, double height, int font_size, std::string_view style,
                     std::string_view title, std::string_view note) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"{2}\">\n{3}<rect class=\"b\" "
      "width=\"100%\" height=\"100%\"/>\n<text class=\"t\" x=\"12\" y=\"22\" font-size=\"15\">{4}"
      "</text>\n<text class=\"f\" x=\"12\" y=\"40\">{5}</text>\n",
      width, height, font_size, style, xml_text(title), xml_text(note));
}

}  // namespace orrery::report
