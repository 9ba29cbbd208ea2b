// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/question_fields.h"

#include <fmt/format.h>

namespace orrery::study {

namespace {

template <class... Rows>
constexpr std::size_t members_in(const std::tuple<Rows...>&) {
  return (std::size_t{!std::is_same_v<Rows, QuestionGroup>} + ...);
}

template <class Owner, class... Members>
void check_rows(const Members&... /*members*/) {
  static_assert(sizeof...(Members) == members_in(QuestionTable<Owner>::fields));
}

// A new member does not compile before it stands here and has a row in its table.
[[maybe_unused]] void every_member_has_a_row(const Question& question) {
  {
    const auto& [traces, rank, threads, no_link, tensors] = question.recorded;
    check_rows<RecordedTraces>(traces, rank, threads, no_link, tensors);
  }
  {
    const auto& [spec, texts, model, tp, pp, dp, cp, ep, sharding, schedule, chunks, recompute,
                 global_batch, micro_batch, seq, optimizer, compat, sp, set] = question.job;
    check_rows<JobDescription>(spec, texts, model, tp, pp, dp, cp, ep, sharding, schedule, chunks,
                               recompute, global_batch, micro_batch, seq, optimizer, compat, sp,
                               set);
  }
  {
    const auto& [fold, collectives, skip, threads, verify_fold, brief_names] = question.work;
    check_rows<Work>(fold, collectives, skip, threads, verify_fold, brief_names);
  }
  {
    const auto& [layers, microbatches] = question.structure;
    check_rows<TraceStructure>(layers, microbatches);
  }
  const auto& [workload, recorded, job, changes, structure, recorded_on, device, groups, replicate,
               repair, some_ranks, cluster, cluster_text, astra_network, astra_system, astra_memory,
               num_queues_per_dim, injection_scale, compute_scale, comm_scale, rendezvous_protocol,
               network, collective_algorithm, chunk_order, compute, kernel_files, rules, without,
               in_step_factors, work, record, exposed_by_group, spans, stream_folder,
               stream_beyond] = question;
  check_rows<Question>(
      workload, recorded, job, changes, structure, recorded_on, device, groups, replicate, repair,
      some_ranks, cluster, cluster_text, astra_network, astra_system, astra_memory,
      num_queues_per_dim, injection_scale, compute_scale, comm_scale, rendezvous_protocol, network,
      collective_algorithm, chunk_order, compute, kernel_files, rules, without, in_step_factors,
      work, record, exposed_by_group, spans, stream_folder, stream_beyond);
}

}  // namespace

std::string field_text(const std::string& value) { return value; }
std::string field_text(bool value) { return value ? "true" : "false"; }
std::string field_text(std::int64_t value) { return fmt::format("{}", value); }
std::string field_text(std::uint64_t value) { return fmt::format("{}", value); }
std::string field_text(std::uint32_t value) { return fmt::format("{}", value); }
std::string field_text(double value) { return fmt::format("{}", value); }
std::string field_text(const JobDescription::Text& value) {
  return fmt::format("{}\n{}", value.name, value.text);
}
std::string field_text(const InStepFactor& value) {
  return fmt::format("{}:{}:{}:{}", value.bits, value.factor, value.least, value.most);
}

std::string stage_key(const Question& question, Stage stage) {
  std::string key;
  each_field(question, [&](const std::string& name, const auto& field, const auto& value) {
    if ((field.stages & stage) == 0) return;
    const std::string text = field_text(value);
    key += fmt::format("{} {}:{}\n", name, text.size(), text);
  });
  return key;
}

}  // namespace orrery::study
