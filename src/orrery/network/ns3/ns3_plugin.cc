// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/ns3/ns3_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "orrery/core/text/text.h"
#include "plugins/ns3/orrery_ns3.h"

namespace orrery::model {

namespace {

constexpr const char* kGetIt =
    "./setup ns3 installs Debian's ns-3, then build Orrery again; no package contains the plug-in";

}  // namespace

Result<const OrreryNs3Functions*> load_ns3_plugin(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored))
    return fail(Errc::usage, "ns-3", "the plug-in for ns-3 is not installed", kGetIt);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return fail(Errc::usage, path,
                fmt::format("cannot be loaded: {}", printable(why == nullptr ? "" : why, 200)),
                kGetIt);
  }
  auto* const entry = reinterpret_cast<OrreryNs3Entry*>(::dlsym(library, ORRERY_NS3_ENTRY));
  if (entry == nullptr) {
    ::dlclose(library);
    return fail(Errc::usage, path, "is not a plug-in for ns-3", kGetIt);
  }
  const OrreryNs3Functions* const functions = entry();
  if (functions == nullptr || functions->abi != ORRERY_NS3_ABI)
    return fail(Errc::usage, path,
                fmt::format("belongs to another version of Orrery (interface {} instead of {})",
                            functions == nullptr ? 0 : functions->abi, ORRERY_NS3_ABI),
                "build both together");
  return functions;
}

Result<std::string> ns3_version(const std::string& path) {
  const auto loaded = load_ns3_plugin(path);
  if (!loaded) return tl::unexpected(loaded.error());
  return std::string((*loaded)->version);
}

}  // namespace orrery::model
