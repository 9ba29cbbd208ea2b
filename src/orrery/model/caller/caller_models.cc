// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/caller/caller_models.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/check.h"
#include "orrery/core/text/text.h"

namespace orrery::model {

namespace {

constexpr double kSecondsPerTick = 1e-12;

/// A kernel as a JSON object. Its texts are words of Orrery, which need no escapes.
std::string to_json(const graph::Kernel& kernel, std::string_view device, std::string_view model) {
  std::string sizes, traits;
  const auto names = graph::size_names(kernel.operation);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (kernel.sizes[i] > 0)
      sizes += fmt::format("{}\"{}\": {}", sizes.empty() ? "" : ", ", names[i], kernel.sizes[i]);
  for (std::size_t bit = 0; bit < graph::kTraits; ++bit)
    if ((kernel.traits >> bit & 1u) != 0)
      traits += fmt::format("{}\"{}\"", traits.empty() ? "" : ", ", graph::trait_name(bit));
  std::string device_text;
  append_json_text(device_text, device);
  return fmt::format(
      "{{\"kernel\": \"{}\", \"operation\": \"{}\", \"pass\": \"{}\", \"formats\": [\"{}\", "
      "\"{}\", \"{}\"], \"sizes\": {{{}}}, \"traits\": [{}], \"launches\": {}, \"flops\": {}, "
      "\"bytes\": {}, \"device\": {}, \"model\": \"{}\"}}",
      graph::to_text(kernel), graph::name(kernel.operation), graph::name(kernel.pass),
      graph::name(kernel.a), graph::name(kernel.b), graph::name(kernel.out), sizes, traits,
      kernel.launches, kernel.flops, kernel.bytes, device_text, model);
}

}  // namespace

std::optional<Time> CallerModels::ask(const Function& function, Answers& answers,
                                      const std::string& about,
                                      std::optional<Time> predicted) const {
  const std::string key =
      predicted ? fmt::format("{} {}", about, predicted->count()) : about + " none";
  const std::scoped_lock lock(mutex_);
  if (const auto known = answers.times.find(key); known != answers.times.end())
    return known->second;
  std::optional<double> seconds;
  if (predicted) seconds = static_cast<double>(predicted->count()) * kSecondsPerTick;
  const double answer = function(about, seconds);
  std::optional<Time> time = predicted;
  if (seconds ? answer != *seconds : !std::isnan(answer)) {
    ORRERY_CHECK(answer > 0 && answer < kMaxSeconds);
    time = Time(std::llround(answer / kSecondsPerTick));
    ++answers.changed;
  }
  answers.times.emplace(key, time);
  return time;
}

std::optional<TimeEstimate> CallerModels::kernel_time(
    const graph::Kernel& kernel, std::string_view device,
    const std::optional<TimeEstimate>& predicted) const {
  const std::string about = to_json(kernel, device, predicted ? name(predicted->source) : "none");
  const std::optional<Time> time =
      ask(kernel_time_, kernels_, about, predicted ? std::optional(predicted->time) : std::nullopt);
  if (!time || (predicted && *time == predicted->time)) return predicted;
  return TimeEstimate{*time, TimeSource::callable};
}

std::int64_t CallerModels::message_time(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                                        std::int64_t predicted) const {
  const std::string about = fmt::format(
      "{{\"kind\": \"message\", \"from\": {}, \"to\": {}, \"bytes\": {}}}", from, to, bytes);
  return ask(network_time_, network_, about, Time(predicted)).value_or(Time(predicted)).count();
}

Time CallerModels::collective_time(std::string_view collective, std::int64_t bytes,
                                   std::uint32_t ranks, std::uint32_t nodes, Time predicted) const {
  const std::string about =
      fmt::format("{{\"kind\": \"{}\", \"bytes\": {}, \"ranks\": {}, \"hosts\": {}}}", collective,
                  bytes, ranks, nodes);
  return ask(network_time_, network_, about, predicted).value_or(predicted);
}

CallerModels::Use CallerModels::use_of_kernels() const {
  const std::scoped_lock lock(mutex_);
  return {kernels_.times.size(), kernels_.changed};
}

CallerModels::Use CallerModels::use_of_network() const {
  const std::scoped_lock lock(mutex_);
  return {network_.times.size(), network_.changed};
}

}  // namespace orrery::model
