// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/job_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "orrery/core/text/suggest.h"

namespace orrery::study {

namespace {

struct PrecisionWord {
  std::string_view word;
  workload::Dtype products;
  workload::Scaling scaling;
};

// Scales: one per tensor for fp8; one per 32 elements for MXFP8 (OCP Microscaling Formats 1.0); one
// per 16 elements for NVFP4 (NVIDIA, "Introducing NVFP4", 2025), which is priced as `mx`.
constexpr PrecisionWord kPrecisions[] = {{"bf16", workload::Dtype::bf16, workload::Scaling::tensor},
                                         {"fp16", workload::Dtype::fp16, workload::Scaling::tensor},
                                         {"fp8", workload::Dtype::fp8, workload::Scaling::tensor},
                                         {"mxfp8", workload::Dtype::fp8, workload::Scaling::mx},
                                         {"nvfp4", workload::Dtype::fp4, workload::Scaling::mx}};

}  // namespace

std::vector<std::string_view> precision_words() {
  std::vector<std::string_view> words;
  for (const PrecisionWord& one : kPrecisions) words.push_back(one.word);
  return words;
}

Result<void> set_precision(workload::Spec& spec, std::string_view word) {
  if (auto known = one_of("--precision", word, precision_words()); !known) return known;
  for (const PrecisionWord& one : kPrecisions)
    if (one.word == word) {
      spec.precision.products = one.products;
      spec.precision.scaling = one.scaling;
    }
  return {};
}

void shard_in_hosts(workload::Spec& spec, Findings& findings) {
  constexpr std::int64_t kHost = 8;
  workload::Parallel& parallel = spec.parallel;
  if (parallel.shard_size != 0) return;
  const std::int64_t replicas = parallel.dp * parallel.cp;
  const std::int64_t in_host = std::max<std::int64_t>(kHost / parallel.tp, 1);
  if (replicas <= in_host) return;  // one copy
  parallel.shard_size = std::gcd(replicas, in_host);
  findings.add(FindingCode::default_assumed,
               fmt::format("parallel.shard_size = {} (hsdp in hosts of {} devices)",
                           parallel.shard_size, kHost));
}

}  // namespace orrery::study
