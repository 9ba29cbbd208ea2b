// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_interpreter.h"

#include <fmt/format.h>

namespace orrery::synthesis {

PlanInterpreter::PlanInterpreter(const Plan& plan, const PlanOrder& order, const PlanPlaces& places)
    : plan_(plan),
      order_(order),
      places_(places),
      contents_(static_cast<std::uint32_t>(plan.ranks.size()), places.inputs()),
      value_(places.count(), 0),
      writer_(places.count(), kNoStep) {
  std::uint32_t results = 0, inputs = 0;
  for_each_step(plan, [&](const StepPosition&, const PlanBlock&, const PlanStep& step) {
    result_offsets_.push_back(results);
    input_offsets_.push_back(inputs);
    results += step.count;
    inputs += step.count * static_cast<std::uint32_t>(step.reads.size());
  });
  results_.assign(results, 0);
  inputs_.assign(inputs, kNoStep);
}

void PlanInterpreter::put_inputs() {
  for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
    const bool has = plan_.collective != CollectiveType::broadcast || rank == plan_.root;
    for (std::uint32_t chunk = 0; has && chunk < places_.inputs(); ++chunk)
      value_[places_.index_of(rank, PlanBuffer::input, chunk)] = contents_.input(rank, chunk);
  }
}

std::vector<PlanError> PlanInterpreter::run() {
  put_inputs();
  std::vector<PlanError> errors;
  for (const std::uint32_t number : order_.order)
    execute_step(number, order_.numbers.at(number), errors);
  return errors;
}

void PlanInterpreter::execute_step(std::uint32_t number, const StepPosition& at,
                                   std::vector<PlanError>& errors) {
  const PlanStep& step = step_at(plan_, at);
  const auto report = [&](PlanFault fault, std::string what, std::uint32_t place) {
    if (!errors.empty() && errors.back().at == at) return;  // report at most one error per step
    errors.push_back({fault, at, true, std::move(what), history_of(place)});
  };
  std::uint32_t* result = results_.data() + result_offsets_[number];
  const std::uint32_t* sent =
      step.receives ? results_.data() + result_offsets_[order_.sender_of[number]] : nullptr;
  for (std::uint32_t i = 0; i < step.count; ++i) {
    bool any = step.receives;
    std::uint32_t sum = step.receives ? sent[i] : 0;
    for (std::size_t r = 0; r < step.reads.size(); ++r) {
      const std::uint32_t place = place_of(step.reads[r], i);
      const std::uint32_t value = value_[place];
      inputs_[input_offsets_[number] + r * step.count + i] = writer_[place];
      const auto where = [&] { return to_text(places_.at(place)); };
      if (value == 0)
        report(PlanFault::empty_place, fmt::format("reads {}, which is still empty", where()),
               place);
      if (!any) {
        sum = value;
        any = true;
        continue;
      }
      ChunkContents::AddResult how = ChunkContents::AddResult::fine;
      const std::uint32_t added = contents_.add(sum, value, how);
      if (how == ChunkContents::AddResult::twice)
        report(PlanFault::added_twice,
               fmt::format("adds {} to {} in {}: both contain the data of gpu {}",
                           contents_.to_text(sum), contents_.to_text(value), where(),
                           contents_.common_rank(sum, value)),
               place);
      if (how == ChunkContents::AddResult::different)
        report(PlanFault::different_added,
               fmt::format("adds {} to {} in {}", contents_.to_text(sum), contents_.to_text(value),
                           where()),
               place);
      sum = added;
    }
    result[i] = sum;
  }
  // Write only after all reads.
  for (const PlanSpan& span : step.writes) {
    for (std::uint32_t i = 0; i < step.count; ++i) {
      const std::uint32_t place = place_of(span, i);
      value_[place] = result[i];
      writer_[place] = number;
    }
  }
}

std::uint32_t PlanInterpreter::expected(std::uint32_t rank, std::uint32_t chunk) {
  switch (plan_.collective) {
    case CollectiveType::all_gather:
      return contents_.input(chunk / places_.inputs(), chunk % places_.inputs());
    case CollectiveType::reduce_scatter:
      return contents_.sum_of_all(rank * places_.outputs() + chunk);
    case CollectiveType::all_to_all: {
      const auto each = places_.inputs() / static_cast<std::uint32_t>(plan_.ranks.size());
      return contents_.input(chunk / each, rank * each + chunk % each);
    }
    case CollectiveType::broadcast:
      return contents_.input(plan_.root, chunk);
    default:
      return contents_.sum_of_all(chunk);
  }
}

std::vector<PlanError> PlanInterpreter::compare(std::size_t max_histories) {
  std::vector<PlanError> errors;
  for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
    if (plan_.collective == CollectiveType::reduce && rank != plan_.root) continue;
    for (std::uint32_t chunk = 0; chunk < places_.outputs(); ++chunk) {
      const std::uint32_t place = places_.index_of(rank, PlanBuffer::output, chunk);
      const std::uint32_t should = expected(rank, chunk), is = value_[place];
      if (is == should) continue;
      PlanError& error = errors.emplace_back();
      error.fault = PlanFault::wrong_result;
      error.has_step = writer_[place] != kNoStep;
      error.at = error.has_step ? order_.numbers.at(writer_[place]) : StepPosition{rank, 0, 0};
      if (errors.size() > max_histories) continue;  // no description for further errors
      error.what = fmt::format("{} contains {}, but must contain {}", to_text(places_.at(place)),
                               contents_.to_text(is), contents_.to_text(should));
      if (!error.has_step) error.what += ": no step writes there";
      const bool lacks = error.has_step && contents_.is_same_chunk(is, should);
      const std::uint32_t missing = lacks ? contents_.missing(is) : kNoStep;
      if (lacks) error.what += fmt::format(": the data of gpu {} is missing", missing);
      error.history = history_of(place, missing);
    }
  }
  return errors;
}

// The index of the step's chunk that was written to `place`.
std::uint32_t PlanInterpreter::written_chunk(std::uint32_t number, std::uint32_t place) const {
  const PlanStep& step = step_at(plan_, order_.numbers.at(number));
  for (const PlanSpan& span : step.writes)
    for (std::uint32_t i = 0; i < span.count; ++i)
      if (place_of(span, i) == place) return i;
  return 0;
}

// Follows the contents of a place back from its last writer to their origin, along messages if
// there are any.
std::vector<std::string> PlanInterpreter::history_of(std::uint32_t place,
                                                     std::uint32_t missing) const {
  std::vector<std::string> lines;
  std::uint32_t number = writer_[place];
  if (number == kNoStep) return lines;
  std::uint32_t chunk = written_chunk(number, place);
  while (number != kNoStep && lines.size() < kHistoryLines) {
    const StepPosition at = order_.numbers.at(number);
    const PlanStep& step = step_at(plan_, at);
    const std::uint32_t held = results_[result_offsets_[number] + chunk];
    std::string line = fmt::format("{}{} wrote {}", lines.empty() ? "" : "before that ",
                                   to_text(plan_, at), contents_.to_text(held));
    for (std::size_t r = 0; r < step.reads.size(); ++r)
      line += fmt::format("{}{}", r == 0 ? " from " : " and ",
                          to_text(places_.at(place_of(step.reads[r], chunk))));
    if (step.receives) line += step.reads.empty() ? " from a message" : " and a message";
    if (at.rank == missing) line += ", without its own data";
    lines.push_back(std::move(line));
    if (step.receives) {
      number = order_.sender_of[number];
      continue;
    }
    std::uint32_t next = kNoStep, from = 0;
    for (std::size_t r = 0; r < step.reads.size() && next == kNoStep; ++r) {
      next = inputs_[input_offsets_[number] + r * step.count + chunk];
      from = place_of(step.reads[r], chunk);
    }
    number = next;
    if (number != kNoStep) chunk = written_chunk(number, from);
  }
  return lines;
}

}  // namespace orrery::synthesis
