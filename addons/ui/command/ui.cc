// SPDX-License-Identifier: Apache-2.0
//
// orrery ui: a server for one user, on this machine.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "addons/ui/command/openapi.h"
#include "addons/ui/command/rows.h"
#include "addons/ui/confine.h"
#include "addons/ui/http_module.h"
#include "addons/ui/service.h"
#include "orrery/commands/command_options.h"
#include "orrery/core/system/memory_limit.h"
#include "orrery/core/system/module_file.h"

namespace orrery::ui {
extern const std::string_view kPage;
}

namespace orrery::commands {

namespace {

namespace fs = std::filesystem;

/// Processes that wait for a question: a page asks for a step and its memory at once, and a few
/// people may ask together. Each needs about 15 MB.
constexpr std::size_t kMostWaiting = 4;

struct UiOptions {
  std::string folder = ".", socket;
  std::uint32_t port = 0, jobs = 0;
  double timeout = 600;
  std::optional<Bytes> memory;
  bool api_only = false, no_open = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"folder", &UiOptions::folder, "FOLDER", "", kNothing, "traces",
                    "The folder of the files that questions may name, and of results"},
      QuestionField{"port", &UiOptions::port, "--port", "N", kNothing, "8800",
                    "The port on 127.0.0.1; by default a free one"}
          .between(1, 65535),
      QuestionField{"no_open", &UiOptions::no_open, "--no-open", "", kNothing, "true",
                    "Print the address only, and open no browser"},
      QuestionField{"api_only", &UiOptions::api_only, "--api-only", "", kNothing, "true",
                    "Serve no page: for other programs"},
      QuestionField{"socket", &UiOptions::socket, "--socket", "FILE", kNothing, "ui.sock",
                    "Serve on a Unix socket instead; its permissions decide who may ask"},
      QuestionField{"jobs", &UiOptions::jobs, "--jobs", "N", kNothing, "2",
                    "Questions that are answered at once; by default one per core"}
          .between(1, 1024),
      QuestionField{"timeout", &UiOptions::timeout, "--job-seconds", "S", kNothing, "60",
                    "Seconds after which a question is given up"}
          .shows_default(),
      QuestionField{"memory", &UiOptions::memory, "--job-memory", "SIZE", kNothing, "8GB",
                    "Memory of each question; by default what is free, shared among --jobs"}};
};

struct HttpModule {
  decltype(&orrery_http_open) open = nullptr;
};

Result<HttpModule> load_http() {
  const auto missing = [](std::string what) {
    return fail(Errc::usage, "ui", std::move(what),
                "from source: './setup', then configure and build again; as a package: install "
                "orrery-ui");
  };
  const std::string path = module_file(ui::kHttpModuleFile);
  if (path.empty()) return missing("this program was built without cpp-httplib");
  void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* const why = ::dlerror();
    return missing(fmt::format("cannot be loaded: {}", why != nullptr ? why : "unknown reason"));
  }
  const auto find = [&](auto& function, const char* called) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(loaded, called));
    return function != nullptr;
  };
  HttpModule module;
  decltype(&orrery_http_version) version = nullptr;
  if (!find(version, "orrery_http_version") || !find(module.open, "orrery_http_open") ||
      std::strcmp(version(), ORRERY_VERSION) != 0)
    return missing(path + " belongs to another version of this program");
  return module;
}

/// Whether a server answers at a Unix socket.
bool is_in_use(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int trial = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answered =
      ::connect(trial, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(trial);
  return answered;
}

/// A socket that a server left behind is removed.
Result<void> prepare_socket(const std::string& path) {
  sockaddr_un longest{};
  if (path.size() >= sizeof longest.sun_path)
    return fail(Errc::usage, "--socket", "the path is too long for a socket", "use a shorter one");
  std::error_code ignored;
  const fs::file_status found = fs::symlink_status(path, ignored);
  if (found.type() == fs::file_type::not_found) return {};
  if (found.type() != fs::file_type::socket || is_in_use(path))
    return fail(Errc::output_exists, path, "is there already", "use another name");
  fs::remove(path, ignored);
  return {};
}

ui::ChildLimits limits_of(const UiOptions& options, std::size_t at_once) {
  ui::ChildLimits limits;
  limits.seconds = options.timeout;
  limits.memory_bytes = options.memory
                            ? static_cast<std::uint64_t>(options.memory->count())
                            : std::min<std::uint64_t>(available_memory(), std::uint64_t{1} << 46) /
                                  std::max<std::size_t>(1, at_once);
  return limits;
}

/// A page that only leads to the address: command lines, with tokens, are visible to all users.
/// Empty: it could not be written.
std::string write_way(const std::string& address) {
  std::string path = (fs::temp_directory_path() / "orrery-ui-XXXXXX.html").string();
  const int descriptor = ::mkstemps(path.data(), 5);
  if (descriptor < 0) return {};
  const std::string page = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>orrery ui</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">orrery ui</a>\n",
      address);
  const bool done =
      ::write(descriptor, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  ::close(descriptor);
  if (done) return path;
  ::unlink(path.c_str());
  return {};
}

void open_page(const std::string& address, const Context& context) {
  const std::string way = write_way(address);
  if (way.empty()) return;
  context.show_page(way);
  std::thread([way] {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    ::unlink(way.c_str());
  }).detach();
}

/// The folder's path without links.
Result<std::string> check_options(const UiOptions& options, const Context& context) {
  if (!(options.timeout > 0))
    return fail(Errc::usage, "--job-seconds", "must be above 0", "for example 600");
  if (!options.socket.empty() && options.port != 0)
    return fail(Errc::usage, "--socket", "replaces --port", "give one of them");
  std::error_code error;
  const fs::path folder = fs::canonical(options.folder, error);
  if (error || !fs::is_directory(folder, error))
    return fail(Errc::config_not_found, options.folder, "is no folder",
                "give the folder of your traces and clusters");
  if (auto fine = context.check_program("ui"); !fine) return tl::unexpected(fine.error());
  if (!options.socket.empty())
    if (auto fine = prepare_socket(options.socket); !fine) return tl::unexpected(fine.error());
  return folder.string();
}

/// Prints the address, and what the user should know.
void announce(const UiOptions& options, const std::string& address, const std::string& folder,
              const Context& context) {
  std::cout << address << "\n" << std::flush;
  context.note(fmt::format("files: {}; end with Ctrl-C", folder));
  if (!ui::can_confine_files())
    context.warn(
        "this kernel has no Landlock: files outside of the folder are protected only by "
        "the check of names in questions");
  if (options.api_only) return;
  if (ui::kPage.empty())
    context.warn(
        "this program was built without its page ('./setup --page', then build): only the "
        "API answers");
  else if (!options.no_open)
    open_page(address, context);
}

ui::ServiceRules rules_of(const UiOptions& options, const std::string& folder, int port,
                          Context& context) {
  ui::ServiceRules rules;
  rules.access = {.port = port,
                  .token = options.socket.empty() ? ui::random_token() : std::string()};
  rules.folder = folder;
  rules.version = ORRERY_VERSION;
  if (!options.api_only) rules.page = ui::kPage;
  rules.openapi = openapi_document(context, ORRERY_VERSION);
  rules.commands = asked_commands();
  rules.writes = [&context, mutex = std::make_shared<std::mutex>()](const ui::Question& question) {
    const std::lock_guard lock(*mutex);  // options are bound to the context
    return writes_files(question.command, question.options, context);
  };
  rules.jobs.at_once =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  return rules;
}

int serve(UiOptions& options, Context& context) {
  const auto folder = check_options(options, context);
  if (!folder) return context.fail(folder.error());
  const auto module = load_http();
  if (!module) return context.fail(module.error());
  if (!options.socket.empty()) options.api_only = true;

  // The server binds first: its rules name the port. It accepts requests in serve().
  std::optional<ui::Children> children;
  std::unique_ptr<ui::Service> service;
  ui::Listen listen;
  listen.socket = options.socket;
  listen.port = static_cast<int>(options.port);
  const std::unique_ptr<ui::HttpServer> server(
      module->open(listen, [&](ui::Request& request) { return service->handle(request); }));
  if (server == nullptr)
    return context.fail({Errc::usage, options.socket.empty() ? "--port" : "--socket",
                         fmt::format("cannot be used: {}", std::strerror(errno)),
                         "another program may use it; without the option, a free port is used"});
  ui::ServiceRules rules = rules_of(options, *folder, server->port(), context);
  if (options.socket.empty() && rules.access.token.empty())
    return context.fail({Errc::defect, "ui", "the system has no random numbers", ""});
  children.emplace(ui::ChildProgram{context.program_file(), addons::ui::kAnswerQuestion, *folder,
                                    limits_of(options, rules.jobs.at_once)},
                   std::min(rules.jobs.at_once, kMostWaiting));
  service = std::make_unique<ui::Service>(
      std::move(rules), [&children](const ui::Question& question, const auto& on_progress,
                                    const std::atomic<bool>& cancelled) {
        return children->answer(question, on_progress, cancelled);
      });
  const std::string address = options.socket.empty() ? fmt::format("http://127.0.0.1:{}/#token={}",
                                                                   server->port(), service->token())
                                                     : "unix:" + options.socket;
  announce(options, address, *folder, context);
  server->serve();
  return kOk;
}

}  // namespace

Action add_ui(CommandOptions& command, Context& context) {
  describe(
      command,
      "Serves a page on this machine: pick a job and a cluster, change them, and see step\n"
      "time, memory, cost and the critical path change. The same API answers other programs.\n"
      "Only programs with the token in the printed address get answers. Questions are answered\n"
      "in processes that can read and write only files of the folder (docs/ui.md).\n"
      "\n"
      "Examples:\n"
      "  orrery ui\n"
      "  orrery ui traces --no-open\n"
      "  orrery ui --api-only --socket ui.sock\n");
  return action_with_options<UiOptions>(command, context, serve);
}

}  // namespace orrery::commands
