// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "orrery/graph/content_hash.h"

namespace orrery::graph {
namespace {

using std::string_view;

constexpr std::array<string_view, kOperations> kOperationNames = {
    "unsaid",      "gemm",        "batched_gemm", "grouped_gemm",  "attention",  "convolution",
    "layer_norm",  "rms_norm",    "batch_norm",   "softmax",       "activation", "rotary",
    "dropout",     "elementwise", "reduction",    "cross_entropy", "embedding",  "embedding_bag",
    "interaction", "router",      "permute",      "optimizer",     "cast",       "copy",
    "transfer",    "pooling"};
constexpr std::array<string_view, kPasses> kPassNames = {"forward", "input_grad", "weight_grad",
                                                         "backward"};
constexpr std::array<string_view, kFormats> kFormatNames = {
    "unsaid",    "fp64",   "fp32",      "tf32", "bf16",  "fp16", "fp8",
    "fp8_block", "fp8_mx", "fp4_block", "int8", "int32", "int64"};
constexpr std::array<string_view, kTraits> kTraitNames = {
    "bias",  "epilogue",     "accumulates", "causal",    "transposed_a", "transposed_b",
    "gated", "multi_tensor", "portable",    "quantized", "first",        "caches"};

constexpr std::array<string_view, 3> kGemm = {"m", "n", "k"};
constexpr std::array<string_view, 4> kBatchedGemm = {"batch", "m", "n", "k"};
constexpr std::array<string_view, 7> kGroupedGemm = {"groups", "rows",   "n",      "k",
                                                     "tokens", "chosen", "experts"};
constexpr std::array<string_view, 8> kAttention = {"batch", "heads",   "kv_heads",  "queries",
                                                   "keys",  "key_dim", "value_dim", "window"};
constexpr std::array<string_view, 8> kConvolution = {"batch", "in",       "out",      "height",
                                                     "width", "filter_h", "filter_w", "stride"};
constexpr std::array<string_view, 2> kRows = {"rows", "features"};
constexpr std::array<string_view, 2> kElements = {"elements", "features"};
constexpr std::array<string_view, 3> kEmbedding = {"lookups", "rows", "features"};
constexpr std::array<string_view, 8> kEmbeddingBag = {
    "tables", "batch", "pooling", "rows", "features", "unique", "hot", "hot_lookups"};
constexpr std::array<string_view, 3> kInteraction = {"batch", "vectors", "features"};
constexpr std::array<string_view, 3> kRouter = {"tokens", "experts", "chosen"};

/// The enumerator (or index) with this name; nullopt: none.
template <class Enum, class Table>
std::optional<Enum> enumerator_of(const Table& names, string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

void put(std::string& text, string_view key, std::int64_t value) {
  text += fmt::format(" {}={}", key, value);
}

/// Removes and returns the text up to the next space.
string_view next_word(string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool read_formats(string_view word, Kernel& kernel) {
  const std::size_t comma = word.find(','), arrow = word.find('>');
  if (comma == string_view::npos || arrow == string_view::npos || comma > arrow) return false;
  const auto a = format_of(word.substr(0, comma));
  const auto b = format_of(word.substr(comma + 1, arrow - comma - 1));
  const auto out = format_of(word.substr(arrow + 1));
  if (!a || !b || !out) return false;
  kernel.a = *a;
  kernel.b = *b;
  kernel.out = *out;
  return true;
}

/// The field of `key`; null: kernels of this operation have none.
std::int64_t* field_of(Kernel& kernel, string_view key) {
  if (key == "flops") return &kernel.flops;
  if (key == "bytes") return &kernel.bytes;
  const auto names = size_names(kernel.operation);
  const auto found = std::find(names.begin(), names.end(), key);
  return found == names.end() ? nullptr
                              : &kernel.sizes[static_cast<std::size_t>(found - names.begin())];
}

/// The number of host launches with this name; null: another word.
std::uint32_t* host_field_of(Kernel& kernel, string_view key) {
  if (key == "host_launches") return &kernel.host_launches;
  return key == "looped_launches" ? &kernel.looped_launches : nullptr;
}

bool read_number(string_view word, std::size_t equals, Kernel& kernel) {
  const string_view key = word.substr(0, equals), digits = word.substr(equals + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value <= 0) return false;
  if (key == "launches") {
    if (value < 2 || value > 0xffffffff || kernel.launches != 1) return false;
    kernel.launches = static_cast<std::uint32_t>(value);
    return true;
  }
  if (std::uint32_t* field = host_field_of(kernel, key); field != nullptr) {
    if (value > 0xffffff || *field != 0) return false;
    *field = static_cast<std::uint32_t>(value);
    return true;
  }
  std::int64_t* field = field_of(kernel, key);
  if (field == nullptr || *field != 0) return false;
  *field = value;
  return true;
}

}  // namespace

string_view name(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}
string_view name(Pass pass) { return kPassNames[static_cast<std::size_t>(pass)]; }
string_view name(Format format) { return kFormatNames[static_cast<std::size_t>(format)]; }
string_view trait_name(std::size_t bit) { return kTraitNames[bit]; }

std::optional<Operation> operation_of(string_view name) {
  return enumerator_of<Operation>(kOperationNames, name);
}

std::optional<Format> format_of(string_view name) {
  return enumerator_of<Format>(kFormatNames, name);
}

std::span<const string_view> size_names(Operation operation) {
  switch (operation) {
    case Operation::unsaid:
      return {};
    case Operation::gemm:
      return kGemm;
    case Operation::batched_gemm:
      return kBatchedGemm;
    case Operation::grouped_gemm:
      return kGroupedGemm;
    case Operation::attention:
      return kAttention;
    case Operation::convolution:
      return kConvolution;
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::softmax:
    case Operation::cross_entropy:
      return kRows;
    case Operation::embedding:
      return kEmbedding;
    case Operation::embedding_bag:
      return kEmbeddingBag;
    case Operation::interaction:
      return kInteraction;
    case Operation::router:
      return kRouter;
    default:
      return kElements;
  }
}

std::size_t defining_sizes(Operation operation) {
  switch (operation) {
    case Operation::grouped_gemm:
      return 4;
    case Operation::embedding_bag:
      return 5;
    default: {
      const auto names = size_names(operation);
      return names.data() == kElements.data() ? 1 : names.size();
    }
  }
}

int bits_of(Format format) {
  switch (format) {
    case Format::unsaid:
      return 0;
    case Format::fp64:
    case Format::int64:
      return 64;
    case Format::fp32:
    case Format::tf32:
    case Format::int32:
      return 32;
    case Format::bf16:
    case Format::fp16:
      return 16;
    case Format::fp8:
    case Format::fp8_block:
    case Format::fp8_mx:
    case Format::int8:
      return 8;
    case Format::fp4_block:
      return 4;
  }
  return 0;
}

std::string to_text(const Kernel& kernel) {
  std::string text = fmt::format("{} {} {},{}>{}", name(kernel.operation), name(kernel.pass),
                                 name(kernel.a), name(kernel.b), name(kernel.out));
  const auto names = size_names(kernel.operation);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (kernel.sizes[i] != 0) put(text, names[i], kernel.sizes[i]);
  for (std::size_t bit = 0; bit < kTraits; ++bit) {
    if ((kernel.traits >> bit & 1) == 0) continue;
    text += ' ';
    text += kTraitNames[bit];
  }
  if (kernel.launches != 1) put(text, "launches", kernel.launches);
  if (kernel.host_launches != 0) put(text, "host_launches", kernel.host_launches);
  if (kernel.looped_launches != 0) put(text, "looped_launches", kernel.looped_launches);
  if (kernel.host_waits) text += " host_waits";
  if (kernel.flops != 0) put(text, "flops", kernel.flops);
  if (kernel.bytes != 0) put(text, "bytes", kernel.bytes);
  return text;
}

std::optional<Kernel> parse_kernel(string_view text) {
  Kernel kernel;
  const auto operation = operation_of(next_word(text));
  const auto pass = enumerator_of<Pass>(kPassNames, next_word(text));
  if (!operation || !pass || !read_formats(next_word(text), kernel)) return std::nullopt;
  kernel.operation = *operation;
  kernel.pass = *pass;
  while (!text.empty()) {
    const string_view word = next_word(text);
    const std::size_t equals = word.find('=');
    if (equals != string_view::npos) {
      if (!read_number(word, equals, kernel)) return std::nullopt;
      continue;
    }
    if (word == "host_waits") {
      if (std::exchange(kernel.host_waits, true)) return std::nullopt;
      continue;
    }
    const auto bit = enumerator_of<std::uint8_t>(kTraitNames, word);
    if (!bit || (kernel.traits >> *bit & 1) != 0) return std::nullopt;
    kernel.traits = static_cast<std::uint16_t>(kernel.traits | 1u << *bit);
  }
  return kernel;
}

std::uint64_t hash_of(const Kernel& kernel) {
  ContentHash hash;
  hash.add(
      static_cast<std::uint64_t>(kernel.operation) | static_cast<std::uint64_t>(kernel.pass) << 8 |
          static_cast<std::uint64_t>(kernel.a) << 16 | static_cast<std::uint64_t>(kernel.b) << 24 |
          static_cast<std::uint64_t>(kernel.out) << 32 | std::uint64_t{kernel.traits} << 40,
      kernel.launches, static_cast<std::uint64_t>(kernel.flops),
      static_cast<std::uint64_t>(kernel.bytes));
  const auto size = [&](std::size_t i) { return static_cast<std::uint64_t>(kernel.sizes[i]); };
  hash.add(size(0), size(1), size(2), size(3));
  hash.add(size(4), size(5), size(6), size(7));
  if (kernel.host_launches + kernel.looped_launches != 0 || kernel.host_waits)
    hash.add(kernel.host_launches | std::uint64_t{kernel.looped_launches} << 24 |
             std::uint64_t{kernel.host_waits} << 48);
  return hash.value();
}

Time LaunchTimes::of(const Kernel& kernel) const {
  if (kernel.operation == Operation::optimizer) return optimizer;
  return kernel.pass == Pass::forward ? forward : backward;
}

std::uint32_t LaunchTimes::count(const Kernel& kernel) const {
  return std::max<std::uint32_t>(kernel.framework_launches() + kernel.looped_launches, 1);
}

Time LaunchTimes::mean(const Kernel& kernel) const {
  if (kernel.looped_launches == 0) return of(kernel);
  const Time looped = kernel.pass == Pass::forward ? looped_forward : looped_backward;
  const std::int64_t all =
      of(kernel).count() * kernel.framework_launches() + looped.count() * kernel.looped_launches;
  return Time((all + count(kernel) - 1) / count(kernel));
}

Time LaunchTimes::shortest() const {
  Time shortest{};
  for (const Time time : all())
    if (time != Time{} && (shortest == Time{} || time < shortest)) shortest = time;
  return shortest;
}

const Kernel& KernelTable::operator[](KernelId id) const {
  const std::scoped_lock lock(mutex_);
  return kernels_[id];
}

std::size_t KernelTable::size() const {
  const std::scoped_lock lock(mutex_);
  return kernels_.size();
}

LaunchTimes KernelTable::launch_times() const {
  const std::scoped_lock lock(mutex_);
  return launch_times_;
}

void KernelTable::set_launch_times(const LaunchTimes& times) {
  const std::scoped_lock lock(mutex_);
  launch_times_ = times;
}

KernelId KernelTable::intern(const Kernel& kernel) {
  const std::uint64_t hash = hash_of(kernel);
  const std::scoped_lock lock(mutex_);
  const auto [first, last] = ids_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (kernels_[at->second] == kernel) return at->second;
  const auto id = static_cast<KernelId>(kernels_.size());
  kernels_.push_back(kernel);
  ids_.emplace(hash, id);
  return id;
}

}  // namespace orrery::graph
