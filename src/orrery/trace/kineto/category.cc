// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/category.h"

#include <cctype>
#include <utility>

namespace orrery::trace::kineto {
namespace {

using profile::Kind;

struct CategoryRule {
  std::string_view name;  // in lower case, without underscores and spaces
  Role role;
  Kind kind = Kind::annotation;
};

constexpr CategoryRule kCategoryRules[] = {
    {"cpuop", Role::event, Kind::op},
    {"operator", Role::event, Kind::op},
    {"hpuop", Role::event, Kind::op},
    {"userannotation", Role::event, Kind::annotation},
    {"annotation", Role::event, Kind::annotation},
    {"pythonfunction", Role::event, Kind::python},
    {"runtime", Role::event, Kind::call},
    {"driver", Role::event, Kind::call},
    {"overhead", Role::event, Kind::overhead},
    {"kernel", Role::event, Kind::kernel},
    {"concurrentkernel", Role::event, Kind::kernel},
    {"memcpy", Role::event, Kind::memcpy},
    {"memset", Role::event, Kind::memset},
    {"gpumemcpy", Role::event, Kind::memcpy},
    {"gpumemset", Role::event, Kind::memset},
    {"mtiaccpevents", Role::event, Kind::device_other},
    {"collectivecomm", Role::event, Kind::device_other},
    {"gpuuserannotation", Role::event, Kind::device_range},
    {"cudaprofilerrange", Role::event, Kind::device_range},
    {"cudasync", Role::event, Kind::sync},
    {"fwdbwd", Role::forward_flow},
    {"forwardbackward", Role::forward_flow},
    {"ac2g", Role::launch_flow},
    {"async", Role::launch_flow},
    {"asynccputogpu", Role::launch_flow},
    {"asyncgpu", Role::launch_flow},
    {"trace", Role::skipped},
    {"criticalpath", Role::skipped},
    {"cpuinstantevent", Role::skipped},
};

}  // namespace

Category category_named(std::string_view name) {
  Category out;
  out.name = name;
  std::string plain;
  for (const char c : name.substr(0, 64)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const CategoryRule& rule : kCategoryRules) {
    if (plain != rule.name) continue;
    out.role = rule.role;
    out.kind = rule.kind;
    return out;
  }
  // Other devices prefix their name: xpu_runtime, privateuse1_driver, hpu_kernel …
  constexpr std::pair<std::string_view, Kind> kEndings[] = {{"runtime", Kind::call},
                                                            {"driver", Kind::call},
                                                            {"kernel", Kind::kernel},
                                                            {"memcpy", Kind::memcpy},
                                                            {"memset", Kind::memset}};
  for (const auto& [ending, kind] : kEndings) {
    if (!plain.ends_with(ending)) continue;
    out.role = Role::event;
    out.kind = kind;
  }
  return out;
}

}  // namespace orrery::trace::kineto
