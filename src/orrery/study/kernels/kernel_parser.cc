// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/table/minimum_work.h"

namespace orrery::study {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using std::string_view;

constexpr std::int64_t kLargestSize = std::int64_t{1} << 48;

tl::unexpected<Error> wrong_kernel(std::string what, std::string hint = {}) {
  return fail(Errc::usage, "KERNEL", std::move(what), std::move(hint));
}

std::vector<string_view> operations() {
  std::vector<string_view> names;
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    names.push_back(name(static_cast<Operation>(i)));
  return names;
}

std::optional<graph::Pass> pass_of(string_view word) {
  for (std::size_t i = 0; i < graph::kPasses; ++i)
    if (name(static_cast<graph::Pass>(i)) == word) return static_cast<graph::Pass>(i);
  return std::nullopt;
}

Result<Format> format_word(string_view word) {
  if (word == "fp4") return Format::fp4_block;
  if (const auto format = graph::format_of(word)) return *format;
  std::vector<string_view> names;
  for (std::size_t i = 1; i < graph::kFormats; ++i) names.push_back(name(static_cast<Format>(i)));
  const std::string near = did_you_mean(word, names);
  return fail(Errc::usage, "--dtype",
              fmt::format("'{}' is not a format", printable(word, kShownBytes)),
              near.empty() ? "one of " + join(names) : near);
}

/// Parses "bf16", or "fp8,fp8>bf16".
Result<void> set_formats(string_view text, Kernel& kernel) {
  const std::size_t comma = text.find(','), arrow = text.find('>');
  const bool three = comma != string_view::npos && arrow != string_view::npos && comma < arrow;
  const auto a = format_word(text.substr(0, three ? comma : text.size()));
  const auto b = three ? format_word(text.substr(comma + 1, arrow - comma - 1)) : a;
  const auto out = three ? format_word(text.substr(arrow + 1)) : a;
  for (const auto* format : {&a, &b, &out})
    if (!*format) return tl::unexpected(format->error());
  kernel.a = *a;
  kernel.b = *b;
  kernel.out = *out;
  return {};
}

class KernelWords {
 public:
  explicit KernelWords(Kernel& kernel)
      : kernel_(kernel), names_(graph::size_names(kernel.operation)) {}

  Result<void> read(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) return named(word, equals);
    if (!word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '-'))
      return next_size(word);
    if (word.find('>') != std::string::npos) return set_formats(word, kernel_);
    if (const auto pass = pass_of(word)) {
      kernel_.pass = *pass;
      return {};
    }
    std::vector<string_view> known;
    for (std::size_t bit = 0; bit < graph::kTraits; ++bit) {
      if (graph::trait_name(bit) == word) {
        kernel_.traits = static_cast<std::uint16_t>(kernel_.traits | 1u << bit);
        return {};
      }
      known.push_back(graph::trait_name(bit));
    }
    for (std::size_t i = 0; i < graph::kPasses; ++i)
      known.push_back(name(static_cast<graph::Pass>(i)));
    const std::string near = did_you_mean(word, known);
    return wrong_kernel(
        fmt::format("'{}' is neither a size nor a trait", printable(word, kShownBytes)),
        near.empty() ? "traits are " + join(known) : near);
  }

 private:
  Result<void> next_size(const std::string& word) {
    if (next_ >= names_.size())
      return wrong_kernel(fmt::format("'{}' is one size too many", printable(word, kShownBytes)),
                          fmt::format("{} takes {}", name(kernel_.operation), join(names_)));
    const auto value = number(word, names_[next_]);
    if (!value) return tl::unexpected(value.error());
    return set(names_[next_], next_, *value);
  }

  Result<void> named(const std::string& word, std::size_t equals) {
    const string_view key = string_view(word).substr(0, equals);
    const auto value = number(word.substr(equals + 1), key);
    if (!value) return tl::unexpected(value.error());
    if (key == "launches" && *value <= 0xffffffff) {
      kernel_.launches = static_cast<std::uint32_t>(*value);
      return {};
    }
    if (key == "flops" || key == "bytes") {
      (key == "flops" ? kernel_.flops : kernel_.bytes) = *value;
      return {};
    }
    const auto found = std::find(names_.begin(), names_.end(), key);
    if (found != names_.end())
      return set(key, static_cast<std::size_t>(found - names_.begin()), *value);
    std::vector<string_view> keys(names_.begin(), names_.end());
    keys.insert(keys.end(), {"launches", "flops", "bytes"});
    const std::string near = did_you_mean(key, keys);
    return wrong_kernel(
        fmt::format("{} has no size '{}'", name(kernel_.operation), printable(key, kShownBytes)),
        near.empty() ? "it has " + join(names_) : near);
  }

  Result<void> set(string_view key, std::size_t place, std::int64_t value) {
    if (kernel_.sizes[place] != 0) return wrong_kernel(fmt::format("{} is given twice", key));
    kernel_.sizes[place] = value;
    next_ = place + 1;
    return {};
  }

  static Result<std::int64_t> number(const std::string& text, string_view key) {
    const auto value = parse_integer(text);
    if (!value)
      return wrong_kernel(fmt::format("{} is '{}', which is not a whole number",
                                      printable(key, kShownBytes), printable(text, kShownBytes)));
    const bool size = key != "flops" && key != "bytes";
    if (*value < 1 || (size && *value > kLargestSize))
      return wrong_kernel(
          fmt::format("{} is {}; sizes are from 1 to 2^48", printable(key, kShownBytes), *value),
          *value == 0 ? "omit sizes that do not apply" : "");
    return *value;
  }

  Kernel& kernel_;
  std::span<const string_view> names_;
  std::size_t next_ = 0;
};

/// Sets FLOPs and bytes to their minimum, if not given.
Result<void> set_work(Kernel& kernel) {
  if (!model::set_minimum_work(kernel))
    return wrong_kernel("the FLOPs or bytes of these sizes exceed 64 bits");
  return {};
}

}  // namespace

bool is_optional_size(Operation operation, std::size_t size) {
  if (operation == Operation::attention) return size == 2 || size >= 6;  // kv_heads, value_dim …
  if (operation == Operation::embedding_bag) return size >= 5;           // unique, hot, hot_lookups
  if (operation == Operation::convolution) return size == 7;
  return size >= graph::defining_sizes(operation);
}

Result<Kernel> parse_kernel(std::span<const std::string> words, string_view dtype,
                            string_view pass) {
  Kernel kernel;
  const std::string& first = words.front();
  const auto operation = graph::operation_of(first);
  if (!operation || *operation == Operation::unsaid) {
    const std::string near = did_you_mean(first, operations());
    return wrong_kernel(fmt::format("'{}' is not an operation", printable(first, kShownBytes)),
                        near.empty() ? "'orrery kernels' lists operations and their sizes" : near);
  }
  kernel.operation = *operation;
  if (auto fine = set_formats(dtype, kernel); !fine) return tl::unexpected(fine.error());
  KernelWords reader(kernel);
  for (const std::string& word : words.subspan(1))
    if (auto fine = reader.read(word); !fine) return tl::unexpected(fine.error());
  if (!pass.empty()) {
    if (auto fine = one_of("--pass", pass, {"forward", "input_grad", "weight_grad", "backward"});
        !fine)
      return tl::unexpected(fine.error());
    kernel.pass = *pass_of(pass);
  }
  const auto names = graph::size_names(*operation);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (kernel.sizes[i] != 0 || is_optional_size(*operation, i)) continue;
    return wrong_kernel(fmt::format("{} is missing", names[i]),
                        fmt::format("{} takes {}", name(*operation), join(names)));
  }
  if (auto fine = set_work(kernel); !fine) return tl::unexpected(fine.error());
  return kernel;
}

}  // namespace orrery::study
