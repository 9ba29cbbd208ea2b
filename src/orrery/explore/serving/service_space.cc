// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/serving/service_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/core/text/text.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/device_price.h"
#include "orrery/study/serving/engine_setup.h"

namespace orrery::explore {
namespace {

constexpr std::int64_t kNode = 8;  // devices

/// Prices as typed, by device; the price of any device has no name. Errc: usage.
Result<std::map<std::string, std::string>> prices_of(const std::string& text,
                                                     const std::vector<std::string>& devices) {
  std::map<std::string, std::string> prices;
  if (text.empty()) return prices;
  for (const std::string_view item : list_items(text)) {
    const auto price = study::parse_device_price(std::string(item));
    if (!price) return tl::unexpected(price.error());
    const bool known = price->device.empty() ||
                       std::find(devices.begin(), devices.end(), price->device) != devices.end();
    if (!known)
      return fail(Errc::usage, "--price",
                  "--gpu does not name the device " + in_quotes(price->device),
                  "prices are given by device: h100-sxm=2.5,h200=3.5");
    if (!prices.emplace(price->device, price->text).second)
      return fail(Errc::usage, "--price", "a device has two prices", "give each device one price");
  }
  for (const std::string& device : devices)
    if (!prices.contains("") && !prices.contains(device))
      return fail(Errc::usage, "--price", "there is no price of " + in_quotes(device),
                  "give a price for each device, or for none");
  return prices;
}

/// Sizes of attention of one instance: tensor parallelism and copies.
struct Attention {
  std::int64_t tp = 1, dp = 1;
  bool experts = false;
};

std::vector<Attention> attention_sizes(const study::EngineQuestion& stated, std::int64_t node,
                                       bool moe) {
  std::vector<Attention> all;
  const auto sizes = [&](std::int64_t given) {
    std::vector<std::int64_t> made;
    if (given > 0) return std::vector<std::int64_t>{given};
    for (std::int64_t size = 1; size <= node; size *= 2) made.push_back(size);
    return made;
  };
  const bool copies = stated.data_parallel_size > 0 || moe;
  for (const std::int64_t tp : sizes(stated.tensor_parallel_size))
    for (const std::int64_t dp :
         copies ? sizes(stated.data_parallel_size) : std::vector<std::int64_t>{1}) {
      const bool is_stated = stated.tensor_parallel_size > 0 && stated.data_parallel_size > 0;
      if (tp * dp > std::max({node, stated.tensor_parallel_size, stated.data_parallel_size}) &&
          !is_stated)
        continue;
      if (dp == 1 && !stated.enable_expert_parallel) all.push_back({tp, dp, false});
      // On one device there is nothing to separate.
      if (stated.enable_expert_parallel || (moe && tp * dp > 1)) all.push_back({tp, dp, true});
    }
  return all;
}

}  // namespace

Result<std::vector<std::string>> devices_of(const std::string& gpu) {
  std::vector<std::string> devices;
  if (gpu.empty()) return std::vector<std::string>{"h100-sxm"};
  for (const std::string_view item : list_items(gpu)) {
    const auto device = study::catalog_device(std::string(item));
    if (!device) return tl::unexpected(device.error());
    if (std::find(devices.begin(), devices.end(), (*device)->name) != devices.end())
      return fail(Errc::usage, "--gpu", fmt::format("{} is named twice", in_quotes(item)),
                  "--gpu h100-sxm,h200");
    devices.emplace_back((*device)->name);
  }
  return devices;
}

Result<std::vector<InstanceSize>> instance_sizes(const study::InferQuestion& question) {
  const auto devices = devices_of(question.gpu);
  if (!devices) return tl::unexpected(devices.error());
  const auto prices = prices_of(question.price, *devices);
  if (!prices) return tl::unexpected(prices.error());
  std::vector<InstanceSize> all;
  study::InferQuestion of_model = question;
  of_model.gpu = devices->front();
  const auto moe = study::has_experts(of_model);
  if (!moe) return tl::unexpected(moe.error());
  for (const std::string& device : *devices) {
    const std::int64_t island = platform::find_device(device)->build.island;
    const std::int64_t node = island > 0 ? std::min(island, kNode) : 1;
    std::vector<Attention> sizes = attention_sizes(question.engine, node, *moe);
    const std::size_t on_node = sizes.size(), before = all.size();
    if (question.engine.tensor_parallel_size == 0 && question.engine.data_parallel_size == 0)
      for (const std::int64_t nodes : {2, 4})
        sizes.push_back({nodes * node, 1, question.engine.enable_expert_parallel});
    for (const Attention& one : sizes) {
      InstanceSize& size = all.emplace_back();
      size.is_fallback = all.size() > before + on_node;
      size.question = question;
      size.question.gpu = device;
      size.question.instances = 1;
      size.question.engine.tensor_parallel_size = one.tp;
      size.question.engine.data_parallel_size = one.dp;
      size.question.engine.enable_expert_parallel = one.experts;
      if (const auto own = prices->find(device), any = prices->find("");
          own != prices->end() || any != prices->end()) {
        size.question.price = own != prices->end() ? own->second : any->second;
        size.price = study::parse_device_price(size.question.price)->price;
      }
    }
  }
  return all;
}

Result<std::vector<StepLimits>> step_limits(const InstanceSize& size) {
  const auto known = study::engine_options(size.question);
  if (!known) return tl::unexpected(known.error());
  const auto values = [](std::int64_t stated, std::int64_t known_value, std::int64_t from,
                         std::int64_t to) {
    std::vector<std::int64_t> made{known_value};
    if (stated > 0) return made;
    for (std::int64_t value = from; value <= to; value *= 2)
      if (value != known_value) made.push_back(value);
    return made;
  };
  const study::EngineQuestion& stated = size.question.engine;
  std::vector<StepLimits> all;
  for (const std::int64_t tokens :
       values(stated.max_num_batched_tokens, known->max_num_batched_tokens, 1024, 16384))
    for (const std::int64_t seqs : values(stated.max_num_seqs, known->max_num_seqs, 32, 1024))
      if (seqs <= tokens || (stated.max_num_batched_tokens > 0 && stated.max_num_seqs > 0))
        all.push_back({tokens, seqs});
  return all;
}

}  // namespace orrery::explore
