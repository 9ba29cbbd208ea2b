// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks of single operators, run one after another. Part of the programs that `orrery bench
// generate --micro` writes.
#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/plan/program.h"
#include "command_line.h"
#include "executor.h"

namespace orrery::bench {
namespace {

constexpr const char* kHelp =
    "Usage: benchmark [--iterations N] [--warm-up N] [--threads N] [--filter TEXT]\n"
    "                 [--csv FILE] [--json FILE] [--kernels FILE] [--device NAME] [FILE]\n"
    "Plays each benchmark of FILE (otherwise the benchmark.txt that it was built with) by itself.\n"
    "  --filter    only operators with this in their name\n"
    "  --csv       all times as a table, --json as JSON\n"
    "  --kernels   times of kernels that are known, as 'orrery kernels' reads them, of --device\n"
    "  --order     prints what would be played instead\n";

/// One benchmark: the fields of its line, its plan, and its measurements.
struct Single {
  std::uint64_t weight = 0;
  std::int64_t recorded_ns = 0;
  std::string_view name, tensors, kernel, plan;
  std::int64_t least = 0, half = 0, p90 = 0, p99 = 0;
  std::uint64_t failures = 0;
  [[nodiscard]] std::int64_t all_ns() const { return half * static_cast<std::int64_t>(weight); }
};

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("a benchmark without its numbers");
  return number;
}

/// Removes the front of `text` up to and including `stop`, and returns it without `stop`.
std::string_view cut(std::string_view& text, char stop) {
  const std::size_t end = std::min(text.find(stop), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return front;
}

std::vector<Single> read_all(std::string_view text) {
  if (cut(text, '\n') != "orrery microbenchmarks 1")
    throw std::runtime_error("line 1: expected 'orrery microbenchmarks 1'");
  constexpr std::string_view kNext = "\nbenchmark\t";
  std::vector<Single> all;
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (cut(line, '\t') != "benchmark") throw std::runtime_error("expected a benchmark's line");
    Single single;
    single.weight = number_of<std::uint64_t>(cut(line, '\t'));
    single.recorded_ns = number_of<std::int64_t>(cut(line, '\t'));
    single.name = cut(line, '\t');
    single.tensors = cut(line, '\t');
    single.kernel = line;
    const std::size_t end = text.find(kNext);
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    single.plan = text.substr(0, length);
    text.remove_prefix(length);
    all.push_back(single);
  }
  return all;
}

void measure(Single& single, const ReplayOptions& options) {
  const Program program = read_program(single.plan);
  const ReplayOutcome outcome = replay(program, options);
  std::vector<std::int64_t> each;
  for (std::size_t i = 0; i < outcome.wall_ns.size(); ++i) {
    each.push_back(0);
    for (std::size_t s = 0; s < program.steps.size(); ++s)
      each.back() += outcome.length_ns[i * program.steps.size() + s];
  }
  single.least = quantile(each, 0);
  single.half = quantile(each, 0.5);
  single.p90 = quantile(each, 0.9);
  single.p99 = quantile(each, 0.99);
  for (const std::uint32_t failures : outcome.failures)
    single.failures = std::max<std::uint64_t>(single.failures, failures);
}

void print(const std::vector<Single>& all) {
  std::printf("%-40s %7s %11s %11s %11s %12s  %s\n", "operator", "weight", "median us", "90 % us",
              "99 % us", "all ms", "tensors");
  std::int64_t sum = 0, recorded = 0;
  for (const Single& one : all) {
    sum += one.all_ns();
    recorded += one.recorded_ns;
    const std::string name(one.name), tensors(one.tensors);
    std::printf("%-40s %7" PRIu64 " %11.3f %11.3f %11.3f %12.3f  %s%s\n", name.c_str(), one.weight,
                static_cast<double>(one.half) / 1e3, static_cast<double>(one.p90) / 1e3,
                static_cast<double>(one.p99) / 1e3, static_cast<double>(one.all_ns()) / 1e6,
                tensors.c_str(), one.failures > 0 ? " FAILED" : "");
  }
  std::printf("\nweights times medians: %.3f ms\n", static_cast<double>(sum) / 1e6);
  if (recorded > 0) std::printf("recorded: %.3f ms\n", static_cast<double>(recorded) / 1e6);
}

/// Names contain neither newlines nor control characters. Quotes are doubled in CSV.
std::string quoted(std::string_view text, std::string_view before_quote) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += before_quote;
    if (c == '\\' && before_quote == "\\") out += '\\';
    out += c;
  }
  return out + '"';
}

void write_csv(const std::vector<Single>& all, std::ostream& out) {
  out << "operator,tensors,weight,min_ns,median_ns,p90_ns,p99_ns,all_ns,recorded_ns,failures\n";
  for (const Single& one : all)
    out << quoted(one.name, "\"") << ',' << quoted(one.tensors, "\"") << ',' << one.weight << ','
        << one.least << ',' << one.half << ',' << one.p90 << ',' << one.p99 << ',' << one.all_ns()
        << ',' << one.recorded_ns << ',' << one.failures << '\n';
}

void write_json(const std::vector<Single>& all, std::ostream& out) {
  out << '[';
  const char* between = "\n";
  for (const Single& one : all) {
    out << between << "{\"operator\": " << quoted(one.name, "\\")
        << ", \"tensors\": " << quoted(one.tensors, "\\") << ", \"calls\": " << one.weight
        << ", \"min_ns\": " << one.least << ", \"median_ns\": " << one.half
        << ", \"p90_ns\": " << one.p90 << ", \"p99_ns\": " << one.p99
        << ", \"all_ns\": " << one.all_ns() << ", \"recorded_ns\": " << one.recorded_ns
        << ", \"failures\": " << one.failures << '}';
    between = ",\n";
  }
  out << "\n]\n";
}

void write_kernels(const std::vector<Single>& all, const std::string& device, std::ostream& out) {
  out << "device,kernel,us\n";
  for (const Single& one : all)
    if (!one.kernel.empty() && one.failures == 0 && one.half > 0)
      out << device << ",\"" << one.kernel << "\"," << static_cast<double>(one.half) / 1000 << '\n';
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path.empty()) return;
  std::ofstream out(path, std::ios::binary);
  write(out);
  out.flush();
  if (!out) throw std::runtime_error(path + " cannot be written");
}

int run(int argc, char** argv) {
  CommandLine line;
  if (!read_command_line(argc, argv, {"--filter", "--csv", "--json", "--kernels", "--device"},
                         line)) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  const std::string text = read_file(line.file.empty() ? BENCHMARK_FILE : line.file);
  std::vector<Single> all = read_all(text);
  std::erase_if(all, [&](const Single& one) {
    return one.name.find(line.values[0]) == std::string_view::npos;
  });
  if (all.empty()) throw std::runtime_error("no operator has that in its name");
  for (Single& single : all) {
    if (line.order) {
      std::printf("%.*s\n", static_cast<int>(single.name.size()), single.name.data());
    } else {
      measure(single, line.options);
    }
  }
  if (line.order) return 0;
  print(all);
  const std::string device = line.values[4].empty() ? "host" : line.values[4];
  write_file(line.values[1], [&](std::ostream& out) { write_csv(all, out); });
  write_file(line.values[2], [&](std::ostream& out) { write_json(all, out); });
  write_file(line.values[3], [&](std::ostream& out) { write_kernels(all, device, out); });
  return 0;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    return orrery::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark: %s\n", error.what());
    return 3;
  }
}
