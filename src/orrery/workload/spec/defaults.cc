// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "orrery/core/text/units.h"
#include "orrery/workload/spec/model_catalog.h"
#include "orrery/workload/spec/spec_rules.h"

namespace orrery::workload {
namespace {

struct Divisor {
  std::string_view name;
  std::int64_t size;
};

/// The degrees that multiply the number of ranks, except dp.
std::vector<Divisor> cuts(const Parallel& p) {
  std::vector<Divisor> out;
  for (const Divisor& each : {Divisor{"tp", p.tp}, Divisor{"cp", p.cp}, Divisor{"pp", p.pp},
                              Divisor{"ep", p.ep_own_axis ? p.ep : 1}}) {
    if (each.size > 1) out.push_back(each);
  }
  return out;
}

/// Their product; 0 if it exceeds `maximum`.
std::int64_t ranks_of(const std::vector<Divisor>& all, std::int64_t maximum) {
  std::int64_t ranks = 1;
  for (const Divisor& each : all) {
    if (each.size > maximum / ranks) return 0;
    ranks *= each.size;
  }
  return ranks;
}

/// "tp 8 x pp 3"
std::string product_text(const std::vector<Divisor>& all) {
  std::string text;
  for (const Divisor& each : all)
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", each.name, format_count(each.size));
  return text;
}

/// The nearest sizes of one degree with which the product divides `devices`: "pp 2 or 4".
std::string would_divide(const std::vector<Divisor>& all, std::int64_t devices) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Divisor> others = all;
    others[i].size = 1;
    const std::int64_t rest = ranks_of(others, devices);
    if (rest == 0 || devices % rest != 0) continue;
    const std::int64_t room = devices / rest;
    std::int64_t below = std::min(all[i].size - 1, room), above = all[i].size + 1;
    while (room % below != 0) --below;
    while (above <= room && room % above != 0) ++above;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", or ", all[i].name, format_count(below));
    if (above <= room) text += fmt::format(" or {}", format_count(above));
  }
  return text;
}

Result<std::int64_t> dp_for(const Parallel& plan, std::int64_t devices, const std::string& where) {
  if (devices == 0) return 1;
  const std::vector<Divisor> all = cuts(plan);
  const std::int64_t ranks = ranks_of(all, devices);
  if (ranks != 0 && devices % ranks == 0) return devices / ranks;
  const std::string would = would_divide(all, devices);
  return fail(
      Errc::config_conflict, where,
      fmt::format("the cluster has {} devices, which is not a multiple of {}",
                  format_count(devices), product_text(all)),
      would.empty() ? "change the plan, or the cluster's size" : "these divide it: " + would);
}

std::string seq_text(Spec& spec) {
  const ModelEntry* model = find_model(spec.model.name);
  const bool known = model != nullptr && model->seq > 0;
  spec.batch.seq = known ? model->seq : Batch{}.seq;
  if (!reads_text(spec.model)) return {};
  return fmt::format("{} tokens each{}", format_count(spec.batch.seq),
                     known ? fmt::format(": the training length of {}", model->name) : "");
}

std::string batch_text(const Spec& spec) {
  const std::int64_t each = spec.default_microbatches();
  return fmt::format(
      "batch {}: {}", format_count(spec.global_batch()),
      each == 1
          ? "one microbatch per rank"
          : fmt::format("{} microbatch{} for each of {} stages", each / spec.parallel.pp,
                        each == spec.parallel.pp ? "" : "es", format_count(spec.parallel.pp)));
}

}  // namespace

std::int64_t Spec::default_microbatches() const {
  constexpr std::int64_t kMicrobatchesPerStage = 8;
  const bool fill = parallel.pp > 1 && schedule.kind != ScheduleKind::file;
  if (!fill || compat == Compat::stage) return 1;
  return parallel.pp * ((kMicrobatchesPerStage + schedule.chunks - 1) / schedule.chunks);
}

Spec unresolved_spec() {
  Spec spec;
  spec.parallel.dp = 0;
  spec.batch.seq = 0;
  return spec;
}

Result<void> resolve_defaults(Spec& spec, std::int64_t devices, const std::string& where,
                              Findings& findings) {
  std::string text;
  const auto say = [&](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  if (spec.parallel.dp == 0) {
    const auto dp = dp_for(spec.parallel, devices, where);
    if (!dp) return tl::unexpected(dp.error());
    spec.parallel.dp = *dp;
    if (*dp > 1) say(fmt::format("dp {}: the remaining devices of the cluster", format_count(*dp)));
  }
  // Files state gradient accumulation per rank, so that the step grows with dp.
  if (spec.batch.global == 0 && spec.batch.accumulated > 0 &&
      (__builtin_mul_overflow(spec.batch.accumulated, spec.batch.micro, &spec.batch.global) ||
       __builtin_mul_overflow(spec.batch.global, spec.parallel.dp, &spec.batch.global)))
    return fail(Errc::config_range, "batch.global",
                fmt::format("{} accumulated microbatches of {} on {} ranks are too many sequences",
                            spec.batch.accumulated, spec.batch.micro, spec.parallel.dp));
  const bool open_seq = spec.batch.seq == 0;
  const std::string seq = open_seq ? seq_text(spec) : "";
  if (spec.batch.global == 0 && spec.schedule.kind != ScheduleKind::file) say(batch_text(spec));
  say(seq);
  if (!text.empty()) findings.add(FindingCode::chosen_by_default, text);
  return {};
}

}  // namespace orrery::workload
