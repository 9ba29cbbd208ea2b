// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/search/mpi_module.h"

#include <dlfcn.h>

#include <cstring>
#include <string_view>

#include "orrery/commands/search/mpi_plugin.h"
#include "orrery/core/system/module_file.h"
#include "orrery/core/text/units.h"

namespace orrery::commands {

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

/// The module stays loaded: MPI libraries cannot be unloaded safely.
Result<Module> load() {
  const std::string path = module_file("orrery_mpi.so");
  if (path.empty()) return tl::unexpected(no_module("this program was built without MPI"));
  // Global, because plug-ins of Open MPI look up its symbols.
  void* loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (loaded == nullptr) {
    const char* why = ::dlerror();
    return tl::unexpected(
        no_module(std::string("cannot be loaded: ") + (why ? why : "unknown reason")));
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
    return tl::unexpected(no_module(path + " belongs to another version of this program"));
  return module;
}

/// The number of processes that a launcher set; 1 without a launcher.
std::int64_t launched(const Context& context) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const auto count = parse_integer(context.launcher_variable(name))) return *count;
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

Result<MpiProcesses> MpiProcesses::begin(const Context& context) {
  const auto module = load();
  if (!module) return tl::unexpected(module.error());
  explore::Channel* channel = module->begin();
  if (channel == nullptr) return tl::unexpected(no_module("the MPI library cannot be started"));
  MpiProcesses made(channel, module->end);
  if (channel->count() > 1 || launched(context) <= 1) return made;
  // Each process would act as the first.
  made.leave();
  return fail(Errc::usage, "--executor mpi",
              "the launcher started several processes, but MPI reports one",
              "use the mpirun of the MPI library that Orrery was built with (orrery doctor)");
}

void MpiProcesses::leave() { end_(channel_.release()); }

}  // namespace orrery::commands
