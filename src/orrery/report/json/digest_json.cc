// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/digest_json.h"

#include <algorithm>

namespace orrery::report {

using analysis::Digest;

namespace {

constexpr std::size_t kSlowestShown = 3;

void number_or_null(JsonWriter& json, std::string_view name, std::optional<double> number) {
  json.key(name);
  number ? json.value(*number) : json.null();
}

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

void write_breakdown(JsonWriter& json, const analysis::Breakdown& step) {
  json.key("breakdown").begin_object();
  json.nanoseconds("compute", step.compute).nanoseconds("exposed_comm", step.comm_only);
  json.nanoseconds("exposed_memory", step.memory_only).nanoseconds("idle", step.idle);
  json.nanoseconds("comm", step.comm).nanoseconds("first_finish", step.fastest);
  json.nanoseconds("median_finish", step.median).key("slowest").begin_array();
  for (std::size_t i = 0; i < std::min(kSlowestShown, step.slowest.size()); ++i) {
    json.begin_object().field("rank", step.slowest[i].rank);
    json.nanoseconds("finish", step.slowest[i].finish).end_object();
  }
  json.end_array().end_object();
}

void write_throughput(JsonWriter& json, const Digest& digest) {
  json.key("throughput");
  if (!digest.yield) {
    json.null();
    return;
  }
  const auto& [work, speed] = *digest.yield;
  const auto known = [](double number) {
    return number > 0 ? std::optional<double>(number) : std::nullopt;
  };
  json.begin_object().field("samples", work.samples).field("samples_per_s", speed.samples);
  json.key("tokens");
  work.tokens > 0 ? json.value(work.tokens) : json.null();
  number_or_null(json, "tokens_per_s", known(speed.tokens));
  number_or_null(json, "device_tokens_per_s", known(speed.tokens / digest.ranks));
  json.field("model_flop", work.model_flops).field("hardware_flop", work.hardware_flops);
  json.field("device_model_flop_per_s", speed.flops);
  number_or_null(json, "peak_flop_per_s", known(digest.peak_flops));
  text_or_null(json, "peak_precision", digest.peak_precision);
  number_or_null(json, "mfu", speed.mfu);
  number_or_null(json, "hfu", speed.hfu);
  json.end_object();
}

void write_memory(JsonWriter& json, const std::optional<analysis::MemoryPeak>& memory) {
  json.key("memory");
  if (!memory) {
    json.null();
    return;
  }
  json.begin_object().field("peak_bytes", memory->peak.count()).key("rank");
  memory->rank ? json.value(*memory->rank) : json.null();
  text_or_null(json, "role", memory->role);
  const bool known = memory->capacity > Bytes{};
  json.key("capacity_bytes");
  known ? json.value(memory->capacity.count()) : json.null();
  json.key("fits");
  known ? json.value(memory->peak <= memory->capacity) : json.null();
  json.end_object();
}

void write_off(JsonWriter& json, const std::optional<result::ErrorInterval>& off) {
  json.key("low_error_ns");
  off ? json.nanoseconds(off->lower) : json.null();
  json.key("high_error_ns");
  off ? json.nanoseconds(off->upper) : json.null();
}

void write_band(JsonWriter& json, const Digest& digest) {
  json.key("prediction_interval");
  if (digest.band) {
    json.begin_object().nanoseconds("low", digest.band->lower);
    json.nanoseconds("high", digest.band->upper);
    json.nanoseconds("unknown", digest.band->unknown).end_object();
  } else {
    json.null();
  }
  json.key("error_classes").begin_array();
  for (const result::ErrorClass& one : digest.errors) {
    json.begin_object().field("class", one.name).nanoseconds("time", one.time);
    write_off(json, one.off);
    json.end_object();
  }
  json.end_array();
  write_time_by_provenance(json, "time_by_basis", digest.time_by_provenance);
  json.key("library_collectives").begin_array();
  for (const result::PredictedCollective& one : digest.predicted) {
    json.begin_object().field("type", one.type).field("bytes", one.bytes.count());
    json.field("group_size", one.ranks).field("hosts", one.nodes).nanoseconds("time", one.time);
    json.field("source", one.source);
    text_or_null(json, "algorithm", one.algorithm);
    write_off(json, one.off);
    json.end_object();
  }
  json.end_array();
}

void write_path(JsonWriter& json, const std::optional<analysis::PathDigest>& path) {
  json.key("critical_path");
  if (!path) {
    json.null();
    return;
  }
  json.begin_object().field("nodes", path->nodes).field("ranks", path->ranks);
  json.nanoseconds("compute", path->compute).nanoseconds("comm", path->comm);
  json.nanoseconds("memory", path->memory).nanoseconds("wait", path->wait);
  json.key("longest").begin_array();
  for (const analysis::PathNode& piece : path->longest) {
    json.begin_object().field("rank", piece.rank).field("node", piece.node);
    json.field("name", piece.name).field("kind", piece.kind);
    json.nanoseconds("start", piece.start).nanoseconds("end", piece.end).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void write_time_by_provenance(JsonWriter& json, std::string_view name,
                              const TimeByProvenance& time_by_provenance) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < kTimeProvenances; ++i)
    if (time_by_provenance[i] > Time{})
      json.begin_object()
          .field("basis", orrery::name(static_cast<TimeProvenance>(i)))
          .nanoseconds("time", time_by_provenance[i])
          .end_object();
  json.end_array();
}

void write_remote_memory(JsonWriter& json, const result::Run& run) {
  const std::vector<analysis::MemoryLevelUse> levels = analysis::memory_level_use(run);
  json.key("remote_memory").begin_object().nanoseconds("bin", run.remote_memory.bin);
  json.key("levels").begin_array();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const analysis::MemoryLevelUse& use = levels[i];
    json.begin_object().field("name", use.name).field("loaded_bytes", use.loaded);
    json.field("stored_bytes", use.stored).field("busy_share", use.in_use);
    json.field("peak_busy_share", use.busiest).nanoseconds("peak_busy_at", use.from);
    const auto curve = [&](std::string_view key, const std::vector<std::uint64_t>& bins) {
      json.key(key).begin_array();
      for (const std::uint64_t bytes : bins) json.value(bytes);
      json.end_array();
    };
    curve("bin_loaded_bytes", run.remote_memory.levels[i].loads);
    curve("bin_stored_bytes", run.remote_memory.levels[i].stores);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_digest(JsonWriter& json, const Digest& digest) {
  json.key("recorded_ns");
  digest.recorded ? json.nanoseconds(*digest.recorded) : json.null();
  write_band(json, digest);
  write_breakdown(json, digest.step);
  write_throughput(json, digest);
  write_memory(json, digest.memory);
  write_path(json, digest.path);
}

}  // namespace orrery::report
