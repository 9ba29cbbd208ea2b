// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/power/device_power.h"
#include "orrery/serving/request_file.h"
#include "orrery/study/questions/device_price.h"
#include "orrery/study/serving/engine_setup.h"

namespace orrery::study {
namespace {

using serving::Arrivals;

constexpr std::int64_t kDefaultPrompts = 1000;
constexpr std::size_t kIntervals = 10;

/// Options that have no effect on the requests of a file.
Result<void> check_ignored(const LoadQuestion& load) {
  const LoadQuestion known;
  const auto refused = [](const char* option, const char* why) {
    return fail(Errc::usage, option, why, "leave out the option, or --requests");
  };
  const char* const lengths = "has no effect on the requests of a file: it has their lengths";
  if (load.input_len != known.input_len) return refused("--random-input-len", lengths);
  if (load.output_len != known.output_len) return refused("--random-output-len", lengths);
  if (load.range_ratio != known.range_ratio) return refused("--random-range-ratio", lengths);
  if (load.prefixes > 0)
    return refused("--prefixes", "has no effect on the requests of a file: it has their prefixes");
  if (load.seed != known.seed && load.rate == 0)
    return refused("--seed", "has no effect on the requests of a file without --rate");
  return {};
}

Result<void> check_load(const LoadQuestion& load) {
  const auto finite = [](double value) { return value >= 0 && value <= 1e9; };
  if (!finite(load.rate))
    return fail(Errc::usage, "--rate", "must be above 0 and at most 1e9", "--rate 10");
  if (!(load.burstiness > 0 && load.burstiness <= 1e6))
    return fail(Errc::usage, "--burstiness", "must be above 0 and at most 1e6", "--burstiness 0.5");
  if (!(load.range_ratio >= 0 && load.range_ratio <= 1))
    return fail(Errc::usage, "--random-range-ratio", "is a share from 0 to 1", "0.5");
  if (load.concurrency > 0 && load.rate > 0)
    return fail(Errc::usage, "--max-concurrency", "cannot be combined with --rate",
                "clients send their next request when the last one has ended");
  if (load.arrivals != Arrivals::poisson && load.rate == 0)
    return fail(Errc::usage, "--arrivals", "needs a rate", "--rate 10");
  if (load.burstiness != 1 && (load.rate == 0 || load.arrivals == Arrivals::constant))
    return fail(Errc::usage, "--burstiness", "needs a rate and random arrivals",
                "--rate 10 --arrivals gamma");
  if ((load.prefixes > 0) != (load.prefix_len > 0))
    return fail(Errc::usage, "--prefixes", "needs the length of a prefix, and the reverse",
                "--prefixes 10 --prefix-len 200");
  return load.requests.empty() ? Result<void>{} : check_ignored(load);
}

Result<serving::RequestStream> stream_of(const LoadQuestion& load, std::string& words,
                                         Findings& findings) {
  if (auto fine = check_load(load); !fine) return tl::unexpected(fine.error());
  serving::SampledRequests sampled;
  sampled.arrivals = load.burstiness != 1 ? Arrivals::gamma : load.arrivals;
  sampled.rate = load.rate;
  sampled.burstiness = load.burstiness;
  sampled.clients = load.concurrency;
  sampled.seed = load.seed;
  serving::RequestStream stream;
  if (load.requests.empty()) {
    sampled.count = load.num_prompts > 0 ? load.num_prompts : kDefaultPrompts;
    sampled.input = {load.input_len, load.range_ratio};
    sampled.output = {load.output_len, load.range_ratio};
    sampled.shared_prefixes = load.prefixes;
    sampled.prefix_tokens = load.prefix_len;
    auto made = serving::sample_requests(sampled);
    if (!made) return made;
    stream = *std::move(made);
  } else {
    auto read = serving::read_requests(load.requests, findings);
    if (!read) return read;
    stream = *std::move(read);
    const auto limit = static_cast<std::size_t>(load.num_prompts);
    if (limit > 0 && stream.requests.size() > limit) stream.requests.resize(limit);
    stream.clients = load.concurrency;
    if (load.rate > 0)
      if (auto fine = serving::sample_arrivals(sampled, stream.requests); !fine)
        return tl::unexpected(fine.error());
  }
  if (load.concurrency > 0)
    words = fmt::format("{} clients", load.concurrency);
  else if (load.rate > 0)
    words = fmt::format("{:.4g} requests/s, {}", load.rate, config::enum_name(sampled.arrivals));
  else
    words = load.requests.empty() ? "all at once" : "as in the file";
  return stream;
}

/// The load of a measured result, where options do not state it: its rate, limit of clients, number
/// of requests and mean lengths.
Result<LoadQuestion> load_of(const MeasuredService& measured, LoadQuestion load) {
  const LoadQuestion known;
  if (load.num_prompts == 0) load.num_prompts = measured.requests;
  if (load.rate == 0 && load.concurrency == 0) {
    load.rate = measured.rate;
    load.concurrency = measured.concurrency;
    if (load.rate > 0 && load.concurrency >= measured.requests) load.concurrency = 0;
    if (load.rate > 0 && load.concurrency > 0)
      return fail(Errc::config_conflict, load.benchmark,
                  "has a rate and a limit of clients, which are not simulated together",
                  "choose one: --rate or --max-concurrency");
    if (load.rate > 0 && load.burstiness == known.burstiness) load.burstiness = measured.burstiness;
  }
  if (!load.requests.empty()) return load;
  const auto mean = [&](std::int64_t tokens) {
    return std::clamp<std::int64_t>(
        std::llround(static_cast<double>(tokens) / static_cast<double>(measured.requests)), 1,
        serving::kMaxRequestTokens);
  };
  if (load.input_len == known.input_len) load.input_len = mean(measured.input_tokens);
  if (load.output_len == known.output_len) load.output_len = mean(measured.output_tokens);
  return load;
}

/// Whether options or a file state the lengths of requests.
bool states_lengths(const LoadQuestion& load) {
  const LoadQuestion known;
  return load.prefixes > 0 || load.range_ratio > 0 || !load.requests.empty() ||
         load.input_len != known.input_len || load.output_len != known.output_len;
}

/// Each request has its measured lengths.
void use_lengths(const MeasuredService& measured, serving::RequestStream& stream) {
  if (measured.inputs.size() != stream.requests.size()) return;
  for (std::size_t i = 0; i < measured.inputs.size(); ++i) {
    stream.requests[i].input = measured.inputs[i];
    stream.requests[i].output = measured.outputs[i];
  }
}

/// Largest relative error of the grid at steps that are not its points.
double grid_error(const serving::StepCost& cost, const serving::RequestStream& stream,
                  const serving::EngineOptions& options) {
  const auto count = static_cast<std::int64_t>(stream.requests.size());
  const std::int64_t keys = stream.input_tokens() / count + stream.output_tokens() / count / 2;
  double most = 0;
  for (std::int64_t decodes = 1; decodes <= options.max_num_seqs; decodes = decodes * 2 + 1) {
    serving::StepShape shape{.tokens = decodes,
                             .samples = decodes,
                             .decodes = decodes,
                             .decode_keys = decodes * (keys + decodes),
                             .chunks = {}};
    for (const std::int64_t chunk : {std::int64_t{0}, std::int64_t{77}, std::int64_t{1111}}) {
      if (decodes + chunk > options.max_num_batched_tokens) break;
      shape.tokens = decodes + chunk;
      if (chunk > 0) shape.chunks = {{chunk, keys / 3}};
      const double exact = seconds(cost.exact(shape));
      most = std::max(most, std::abs(seconds(cost(shape)) / exact - 1));
    }
  }
  return most;
}

StepBreakdown breakdown(const EngineSetup& setup, std::int64_t sequences, std::int64_t keys,
                        std::int64_t prompt) {
  StepBreakdown made;
  made.sequences = sequences;
  made.keys = keys;
  made.tokens = sequences + prompt;
  const serving::PassCount layers = setup.pass->layers(setup.parts.padded(made.tokens));
  made.kernels = layers.kernel_seconds;
  made.collectives = layers.collective_seconds;
  made.head = setup.pass->head(sequences + (prompt > 0 ? 1 : 0)).seconds();
  if (sequences > 0)
    made.attention = prompt > 0 ? setup.pass->mixed_decode(sequences, keys)
                                : setup.pass->decode(sequences, keys);
  if (prompt > 0) made.attention += setup.pass->chunk(prompt, 0);
  made.server = seconds(setup.options.server.step);
  return made;
}

/// A typical step of each kind: the mean number of sequences.
void add_breakdowns(const EngineSetup& setup, Inference& made) {
  const auto count = static_cast<std::int64_t>(made.stream.requests.size());
  const std::int64_t input = std::max<std::int64_t>(made.stream.input_tokens() / count, 1);
  const std::int64_t keys = input + made.stream.output_tokens() / count / 2;
  const auto sequences = std::max<std::int64_t>(std::llround(made.metrics.occupancy.running), 1);
  made.decode_step = breakdown(setup, sequences, keys, 0);
  const std::int64_t prompt = std::min(input, setup.options.max_num_batched_tokens);
  made.prompt_step = breakdown(
      setup, setup.options.engine == serving::Engine::sglang ? 0 : sequences, keys, prompt);
}

Result<void> add_cost_and_energy(const InferQuestion& question, const EngineSetup& setup,
                                 Inference& made) {
  const auto devices = static_cast<double>(made.devices());
  const double output = made.metrics.output_per_s;
  model::DevicePower power = model::power_of(setup.device_power);
  if (!question.power.empty()) {
    const auto parsed = model::parse_power(question.power, "--power");
    if (!parsed) return tl::unexpected(parsed.error());
    power = *parsed;
  }
  made.power = devices * power.at(made.metrics.occupancy.busy);
  if (output > 0) made.energy_per_1e6 = made.power / output * 1e6;
  if (question.price.empty()) return {};
  const auto price = price_of(question.price, made.gpu);
  if (!price) return tl::unexpected(price.error());
  made.price = *price;
  if (output > 0) made.cost_per_1e6 = *price * devices / 3600 / output * 1e6;
  return {};
}

}  // namespace

namespace {

template <class E>
std::optional<E> named(std::string_view name) {
  for (const auto& [word, value] : config::EnumNames<E>::names)
    if (word == name) return value;
  return std::nullopt;
}

/// "ttft_p99"; empty: no such latency or statistic.
std::optional<serving::StatisticLimit> statistic_named(std::string_view name) {
  const std::size_t at = name.rfind('_');
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view latency = name.substr(0, at);
  if (latency == "e2e" || latency == "e2el") latency = "latency";  // vLLM's name, and a short one
  const auto kind = named<serving::LatencyKind>(latency);
  const auto statistic = named<serving::Statistic>(name.substr(at + 1));
  if (!kind || !statistic) return std::nullopt;
  return serving::StatisticLimit{*kind, *statistic};
}

/// Sets one limit, "ttft_p99=500ms". Errc: usage.
Result<void> set_limit(std::string_view item, serving::ServiceLimits& limits) {
  const char* const example = "--slo ttft_p99=500ms,tpot_mean=30ms or --slo ttft=500ms,share=0.95";
  const std::size_t equal = item.find('=');
  const std::string_view name = item.substr(0, equal);
  const bool has_value = equal != std::string_view::npos;
  if (name == "share" && has_value) {
    const auto share = parse_number(item.substr(equal + 1));
    if (!share || !(*share > 0 && *share <= 1))
      return fail(Errc::usage, "--slo", "share is above 0 and at most 1", example);
    limits.share = *share;
    return {};
  }
  auto statistic = statistic_named(name);
  std::optional<double>* const limit = name == "ttft"   ? &limits.ttft
                                       : name == "tpot" ? &limits.tpot
                                       : name == "latency" || name == "e2e" || name == "e2el"
                                           ? &limits.latency
                                           : nullptr;
  if ((limit == nullptr && !statistic) || !has_value)
    return fail(Errc::usage, "--slo",
                fmt::format("{} is not a limit{}", in_quotes(item),
                            name == "itl" ? ": it needs a statistic, as itl_p99" : ""),
                example);
  const auto time = parse_time(item.substr(equal + 1), "--slo");
  if (!time) return fail(Errc::usage, "--slo", time.error().what, example);
  if (*time <= Time{})
    return fail(Errc::usage, "--slo", fmt::format("{} must be above 0", name), example);
  if (statistic) {
    statistic->seconds = seconds(*time);
    for (const serving::StatisticLimit& one : limits.statistics)
      if (one.name() == statistic->name())
        return fail(Errc::usage, "--slo", fmt::format("{} is given twice", name), example);
    limits.statistics.push_back(*statistic);
    return {};
  }
  *limit = seconds(*time);
  return {};
}

}  // namespace

Result<serving::ServiceLimits> parse_limits(const std::string& text) {
  serving::ServiceLimits limits;
  if (text.empty()) return limits;
  for (const std::string_view item : list_items(text))
    if (auto set = set_limit(item, limits); !set) return tl::unexpected(set.error());
  if (limits.share != serving::ServiceLimits{}.share && !limits.limits_requests())
    return fail(Errc::usage, "--slo", "share needs a limit of a request",
                "--slo ttft=500ms,share=0.95");
  return limits;
}

Result<void> check_longest(const InferQuestion& question, const serving::RequestStream& stream) {
  const std::int64_t most = question.engine.max_model_len;
  if (most == 0 || stream.longest() <= most) return {};
  return fail(Errc::usage, "--max-model-len",
              fmt::format("a request has {} tokens", stream.longest()),
              "raise the limit, or leave the request out");
}

InferQuestion with_default_sizes(InferQuestion question) {
  const auto at_least_one = [](std::int64_t& size) { size = std::max<std::int64_t>(size, 1); };
  if (question.gpu.empty()) question.gpu = "h100-sxm";
  at_least_one(question.instances);
  at_least_one(question.engine.tensor_parallel_size);
  at_least_one(question.engine.data_parallel_size);
  return question;
}

Result<ServingLoad> read_load(const LoadQuestion& question, Findings& findings) {
  ServingLoad made;
  LoadQuestion load = question;
  std::optional<MeasuredService> measured;
  if (!load.benchmark.empty()) {
    auto read = read_measured_service(load.benchmark);
    if (!read) return tl::unexpected(read.error());
    measured = *std::move(read);
    auto stated = load_of(*measured, std::move(load));
    if (!stated) return tl::unexpected(stated.error());
    load = *std::move(stated);
    made.measured = measured->values;
  }
  auto stream = stream_of(load, made.words, findings);
  if (!stream) return tl::unexpected(stream.error());
  made.stream = *std::move(stream);
  if (measured && !states_lengths(question)) use_lengths(*measured, made.stream);
  return made;
}

Result<Inference> infer(const InferQuestion& asked, Findings& findings) {
  const InferQuestion question = with_default_sizes(asked);
  if (question.model.empty())
    return fail(Errc::usage, "--model", "is missing",
                "a model of the catalog (llama-3.1-8b), or a config.json of Hugging Face");
  Inference made;
  const auto limits = parse_limits(question.slo);
  if (!limits) return tl::unexpected(limits.error());
  made.limits = *limits;
  auto load = read_load(question.load, findings);
  if (!load) return tl::unexpected(load.error());
  made.stream = std::move(load->stream);
  made.load = std::move(load->words);
  made.measured = std::move(load->measured);
  const auto engine = set_up_engine(question, findings);
  if (!engine) return tl::unexpected(engine.error());
  if (auto fine = check_longest(question, made.stream); !fine) return tl::unexpected(fine.error());
  made.model = question.model;
  made.gpu = question.gpu;
  made.engine = config::enum_name(question.engine.engine);
  made.devices_per_instance = engine->devices;
  made.instances = question.instances;
  made.parallel = fmt::format("tp {}", question.engine.tensor_parallel_size);
  if (question.engine.data_parallel_size > 1)
    made.parallel += fmt::format(", dp {}", question.engine.data_parallel_size);
  if (question.engine.enable_expert_parallel && engine->devices > 1)
    made.parallel += fmt::format(", ep {}", engine->devices);
  made.setup = serving_setup(question, *engine);
  const serving::StepCost cost(engine->parts);
  auto run = serving::serve(made.stream, made.setup, cost);
  if (!run) return tl::unexpected(run.error());
  made.run = *std::move(run);
  made.metrics = serving::measure(made.stream, made.setup, made.run, made.limits);
  made.intervals = serving::intervals_of(made.setup, made.run, kIntervals);
  made.memory = engine->memory;
  made.server = engine->server;
  made.grid_points = cost.points();
  made.grid_error = grid_error(cost, made.stream, made.setup.options);
  add_breakdowns(*engine, made);
  if (auto fine = add_cost_and_energy(question, *engine, made); !fine)
    return tl::unexpected(fine.error());
  made.findings = findings;
  return made;
}

}  // namespace orrery::study
