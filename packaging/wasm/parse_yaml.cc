// SPDX-License-Identifier: Apache-2.0
//
// In the place of config/document_yaml.cc, which needs yaml-cpp.
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/config/plain_yaml.h"

namespace orrery::config {

Result<Json> parse_yaml(std::string_view text, const std::string& where,
                        std::vector<std::string>* repeated) {
  return parse_plain_yaml(text, where, repeated);
}

}  // namespace orrery::config
