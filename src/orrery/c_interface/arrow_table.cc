// SPDX-License-Identifier: Apache-2.0
#include "orrery/c_interface/arrow_table.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::c_interface {

namespace {

using result::ColumnType;
using result::DataColumn;
using result::DataTable;

// The parent releases its children, except those that a consumer moved out: their `release` is
// null. Each child owns its data, so that it may outlive the parent.

struct SchemaData {
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<SchemaData> data(static_cast<SchemaData*>(schema->private_data));
  for (const auto& child : data->children)
    if (child->release != nullptr) child->release(child.get());
  schema->release = nullptr;
}

struct ArrayData {
  DataColumn column;
  std::array<const void*, 3> buffers{};
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
};

void release_array(ArrowArray* array) {
  const std::unique_ptr<ArrayData> data(static_cast<ArrayData*>(array->private_data));
  for (const auto& child : data->children)
    if (child->release != nullptr) child->release(child.get());
  array->release = nullptr;
}

const char* format_of(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "l";
    case ColumnType::real:
      return "g";
    case ColumnType::text:
      return "U";
  }
  return "n";
}

void export_schema(std::string_view name, const char* format, bool may_be_null,
                   ArrowSchema& schema) {
  auto data = std::make_unique<SchemaData>();
  data->name = name;
  schema = {};
  schema.format = format;
  schema.name = data->name.c_str();
  schema.flags = may_be_null ? ARROW_FLAG_NULLABLE : 0;
  schema.release = release_schema;
  schema.private_data = data.release();
}

void export_column(DataColumn column, std::int64_t rows, ArrowArray& array) {
  auto data = std::make_unique<ArrayData>();
  data->column = std::move(column);
  const DataColumn& owned = data->column;
  if (owned.nulls > 0) data->buffers[0] = owned.valid.data();
  array = {};
  array.n_buffers = 2;
  switch (owned.type) {
    case ColumnType::integer:
      data->buffers[1] = owned.integers.data();
      break;
    case ColumnType::real:
      data->buffers[1] = owned.reals.data();
      break;
    case ColumnType::text:
      data->buffers[1] = owned.offsets.data();
      data->buffers[2] = owned.texts.data();
      array.n_buffers = 3;
      break;
  }
  array.length = rows;
  array.null_count = owned.nulls;
  array.buffers = data->buffers.data();
  array.release = release_array;
  array.private_data = data.release();
}

}  // namespace

void export_table(DataTable table, ArrowSchema& schema, ArrowArray& array) {
  export_schema(table.name, "+s", false, schema);
  auto& schemas = *static_cast<SchemaData*>(schema.private_data);
  auto data = std::make_unique<ArrayData>();
  for (DataColumn& column : table.columns) {
    schemas.children.push_back(std::make_unique<ArrowSchema>());
    export_schema(column.name, format_of(column.type), column.may_be_null,
                  *schemas.children.back());
    data->children.push_back(std::make_unique<ArrowArray>());
    export_column(std::move(column), table.rows, *data->children.back());
  }
  for (const auto& child : schemas.children) schemas.pointers.push_back(child.get());
  for (const auto& child : data->children) data->pointers.push_back(child.get());
  schema.n_children = static_cast<std::int64_t>(schemas.pointers.size());
  schema.children = schemas.pointers.data();
  array = {};
  array.length = table.rows;
  array.n_buffers = 1;  // no row is NULL
  array.n_children = schema.n_children;
  array.buffers = data->buffers.data();
  array.children = data->pointers.data();
  array.release = release_array;
  array.private_data = data.release();
}

}  // namespace orrery::c_interface
