// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/file_fragment.h"

namespace orrery::explore {

using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::Reading;

bool is_file_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml") ||
         text.ends_with(".json");
}

void read_value(const Json& value, const std::string& path, const Limits&, FileFragment& out,
                Reading& reading) {
  if (!value.is_object() && !value.is_string())
    return reading.wrong_kind(path, value, "a mapping, or the name of a file");
  out.value = value;
}

OrderedJson schema_of(Kind<FileFragment>, const Limits&) {
  return {{"type", {"object", "string"}}};
}

std::string about_kind(Kind<FileFragment>, const Limits&) {
  return "a mapping, or the name of a file";
}

OrderedJson write_value(const FileFragment& tree) {
  return tree.value.is_null() ? OrderedJson(nullptr) : OrderedJson::parse(tree.value.dump());
}

}  // namespace orrery::explore
