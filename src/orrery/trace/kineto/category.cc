// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/category.h"

#include <cctype>

namespace orrery::trace::kineto {
namespace {

using profile::Kind;

struct Known {
  std::string_view name;  // in lower case, without underlines and spaces
  Role role;
  Kind kind = Kind::annotation;
};

constexpr Known kKnown[] = {
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
    {"trace", Role::left_out},
    {"criticalpath", Role::left_out},
    {"cpuinstantevent", Role::left_out},
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
  const auto ends = [&plain](std::string_view end) {
    return plain.size() >= end.size() &&
           std::string_view(plain).substr(plain.size() - end.size()) == end;
  };
  for (const Known& known : kKnown) {
    if (plain != known.name) continue;
    out.role = known.role;
    out.kind = known.kind;
    return out;
  }
  // Other devices put their name in front: xpu_runtime, privateuse1_driver, hpu_kernel …
  out.role = Role::event;
  if (ends("runtime") || ends("driver")) {
    out.kind = Kind::call;
  } else if (ends("kernel")) {
    out.kind = Kind::kernel;
  } else if (ends("memcpy")) {
    out.kind = Kind::memcpy;
  } else if (ends("memset")) {
    out.kind = Kind::memset;
  } else {
    out.role = Role::unknown;
  }
  return out;
}

}  // namespace orrery::trace::kineto
