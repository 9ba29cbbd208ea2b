// SPDX-License-Identifier: Apache-2.0
#include "hostile_case.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

#include "orrery/core/sanitized_testing.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
namespace chakra = trace::chakra;

namespace {

// Who works or sleeps for so long hangs. Where the program is optimized all is done within two
// seconds of the processor's time, where it is not within forty; a busy machine lets it wait, too.
#if defined(__OPTIMIZE__)
constexpr rlim_t kCpuSeconds = rounds(30, 600);
#else
constexpr rlim_t kCpuSeconds = 600;
#endif
constexpr std::chrono::minutes kPatience{20};

std::string get(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Files sound_files() {
  using chakra::testing::node;
  const std::string trace = chakra::testing::trace(
      {node(0, 4, {}, {chakra::attribute_int64("num_ops", 1'000'000)}),
       node(1, 7, {0},
            {chakra::attribute_bool("is_cpu_op", false), chakra::attribute_int64("comm_type", 0),
             chakra::attribute_int64("comm_size", 1 << 20)})});
  return {
      {"w.0.et", trace},
      {"w.1.et", trace},
      {"two.yaml", "device: h100-sxm\nnetwork: [{block: ring, size: 2, link: nvlink4}]\n"},
      {"net.yml", "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n"},
      {"sys.json",
       R"({"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
"preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"],
"reduce-scatter-implementation": ["ring"], "all-to-all-implementation": ["ring"],
"collective-optimization": "localBWAware", "local-mem-bw": 1600})"},
      {"mem.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})"}};
}

// In the child: what must not go wrong quietly ends in an exit code no case expects.
pid_t start(const char* program, char* const* arguments, const char* folder, rlim_t disk) {
  const auto onto = [](const char* path, int flags, int target) {
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(99);
  };
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(folder) != 0) _exit(99);
  onto("/dev/null", O_RDONLY, 0);
  onto(".out", O_WRONLY | O_CREAT | O_TRUNC, 1);
  onto(".err", O_WRONLY | O_CREAT | O_TRUNC, 2);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit cpu{kCpuSeconds, kCpuSeconds};
  setrlimit(RLIMIT_CPU, &cpu);
  const rlimit file{disk, disk};
  if (disk > 0) setrlimit(RLIMIT_FSIZE, &file);
#ifndef ORRERY_SANITIZED  // a sanitizer's shadow needs terabytes of addresses
  const rlimit addresses{rlim_t{2} << 30, rlim_t{2} << 30};
  setrlimit(RLIMIT_AS, &addresses);
#endif
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(program, arguments);
  _exit(99);
}

/// Waits for the child's end; kills it, and returns true, when it is late.
bool ends_late(pid_t child, const sigset_t& ends, int& status, rusage& used) {
  bool late = false;
  const timespec patience{std::chrono::seconds(kPatience).count(), 0};
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    if (sigtimedwait(&ends, nullptr, &patience) >= 0 || errno != EAGAIN) continue;
    late = true;
    kill(child, SIGKILL);
  }
  return late;
}

/// Of the processor.
double seconds(const rusage& used) {
  const auto sum = [](const timeval& a, const timeval& b) {
    return static_cast<double>(a.tv_sec + b.tv_sec) +
           1e-6 * static_cast<double>(a.tv_usec + b.tv_usec);
  };
  return sum(used.ru_utime, used.ru_stime);
}

}  // namespace

void put(const fs::path& path, std::string_view bytes) {
  fs::remove_all(path);
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::function<void(const fs::path&)> too_large(std::string name, std::string piece) {
  return [name = std::move(name), piece = std::move(piece)](const fs::path& folder) {
    std::ofstream out(folder / name, std::ios::binary);
    for (std::size_t size = 0; size < (std::size_t{17} << 20); size += piece.size()) out << piece;
  };
}

void prepare(const Case& hostile, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, bytes] : sound_files()) put(folder / name, bytes);
  for (const auto& [name, bytes] : hostile.files) put(folder / name, bytes);
  if (hostile.make) hostile.make(folder);
}

Answer answer(const Case& hostile, const fs::path& folder, const fs::path& program) {
  std::vector<std::string> words = {"orrery"};
  std::istringstream in(hostile.command);
  for (std::string word; in >> word;) words.push_back(word);

  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  Answer out;
  sigset_t ends;  // blocked, so that none is lost between a look and a wait
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  const pid_t child = start(program.c_str(), arguments.data(), folder.c_str(), hostile.disk);
  int status = 0;
  rusage used{};
  out.late = ends_late(child, ends, status, used);
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  out.late = out.late || (killed && seconds(used) > kCpuSeconds - 1);
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  out.cpu_seconds = seconds(used);
  out.peak_megabytes = static_cast<double>(used.ru_maxrss) / 1024;
#ifdef ORRERY_SANITIZED
  out.peak_megabytes /= 10;
#endif
  out.out = get(folder / ".out");
  out.err = get(folder / ".err");
  return out;
}

}  // namespace orrery::hostile
