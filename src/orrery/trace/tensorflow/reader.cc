// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/reader.h"

#include <set>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/trace/tensorflow/device_name.h"
#include "orrery/trace/tensorflow/node_records.h"
#include "orrery/trace/tensorflow/step_import.h"

namespace orrery::trace::tensorflow {

Result<profile::Profile> read(std::unique_ptr<ByteSource> source, const ReadOptions& options,
                              Findings& findings) {
  ORRERY_CHECK(options.strings != nullptr);
  profile::Profile profile;
  profile.strings = options.strings;
  profile.format = "run_metadata";
  profile.where = options.where;
  StepImport import(options.device, profile, findings);
  RecordHandlers handlers;
  handlers.device = [&](std::string_view name) { import.begin_device(name); };
  handlers.node = [&](const NodeRecord& node) { import.add(node); };
  handlers.thread = [&](std::uint64_t thread, std::string_view name) {
    import.name_thread(thread, name);
  };
  handlers.graph_node =
      [&](std::string_view name, std::string_view op, const std::vector<std::string_view>& inputs,
          const GroupAttributes& group) { import.add_graph_node(name, op, inputs, group); };
  handlers.damaged = [&] {
    ++profile.account.records;
    import.leave_out("damaged", FindingCode::event_dropped);
  };
  if (auto done = read_records(*source, options.where, handlers); !done)
    return tl::unexpected(done.error());
  if (!import.finish())
    return fail(Errc::input_empty, options.where, "contains no executed node",
                "record with RunOptions.FULL_TRACE, or tf.summary.trace_on(profiler=True)");
  profile.index(findings);
  return profile;
}

Result<std::vector<std::int64_t>> devices_in(std::unique_ptr<ByteSource> source,
                                             const std::string& where) {
  std::set<std::string> gpus;
  DeviceName device;
  RecordHandlers handlers;
  handlers.device = [&](std::string_view name) { device = parse_device_name(name); };
  handlers.node = [&](const NodeRecord&) {
    if (device.use != DeviceName::Use::host) gpus.insert(device.device);
  };
  handlers.damaged = [] {};
  if (auto done = read_records(*source, where, handlers); !done)
    return tl::unexpected(done.error());
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < gpus.size(); ++i) numbers.push_back(static_cast<std::int64_t>(i));
  return numbers;
}

}  // namespace orrery::trace::tensorflow
