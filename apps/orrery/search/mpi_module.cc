// SPDX-License-Identifier: Apache-2.0
#include "search/mpi_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "orrery/core/text/units.h"
#include "resources/module_file.h"
#include "search/mpi_plugin.h"

namespace orrery::app {

namespace {

Error no_module(std::string what) {
  return {Errc::usage, "--executor mpi", std::move(what),
          "from source: './setup mpi', then configure and build again; as a package: install "
          "orrery-mpi; or --part env, which needs no MPI"};
}

struct Module {
  decltype(&orrery_mpi_library) library = nullptr;
  decltype(&orrery_mpi_begin) begin = nullptr;
  decltype(&orrery_mpi_end) end = nullptr;
};

/// Stays loaded: MPI libraries do not like to go.
Result<Module> load() {
  const std::string path = module_file("orrery_mpi.so");
  if (path.empty()) return tl::unexpected(no_module("this program was built without MPI"));
  // Global: Open MPI loads parts of its own that look for its names.
  void* loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (loaded == nullptr) {
    const char* why = ::dlerror();
    return tl::unexpected(no_module(std::string("cannot be loaded: ") + (why ? why : "no reason")));
  }
  const auto find = [&](auto& function, const char* called) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(loaded, called));
    return function != nullptr;
  };
  Module module;
  decltype(&orrery_mpi_version) version = nullptr;
  const bool whole = find(version, "orrery_mpi_version") &&
                     find(module.library, "orrery_mpi_library") &&
                     find(module.begin, "orrery_mpi_begin") && find(module.end, "orrery_mpi_end");
  if (!whole || std::strcmp(version(), ORRERY_VERSION) != 0)
    return tl::unexpected(no_module(path + " is of another version of this program"));
  return module;
}

/// How many processes a launcher says there are; 1: none says anything.
std::int64_t launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* text = std::getenv(name))
      if (const auto count = parse_integer(text)) return *count;
  return 1;
}

}  // namespace

Result<std::string> mpi_library() {
  const auto module = load();
  if (!module) return tl::unexpected(module.error());
  std::string_view text = module->library();
  text = text.substr(0, text.find_first_of(",\n"));
  return std::string(text);
}

Result<MpiProcesses> MpiProcesses::begin() {
  const auto module = load();
  if (!module) return tl::unexpected(module.error());
  explore::Channel* channel = module->begin();
  if (channel == nullptr) return tl::unexpected(no_module("the MPI library does not start"));
  MpiProcesses made(channel, module->end);
  if (channel->count() > 1 || launched() <= 1) return made;
  // Each would take itself for the first.
  made.leave();
  return fail(Errc::usage, "--executor mpi",
              "the launcher says that there are several processes, MPI that there is one",
              "start it with the mpirun of the MPI that it was built with (orrery doctor)");
}

void MpiProcesses::leave() { end_(channel_.release()); }

}  // namespace orrery::app
