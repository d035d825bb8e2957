#include "cluster/task_record.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "core/whole_file.h"
#include "json/json_file.h"
#include "json/members_json.h"

namespace tailwave {

std::optional<TaskRecord> read_task_record(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  return read_record<TaskRecord>(read_json_file(file).document);
}

void write_task_record(const std::filesystem::path& file, const TaskRecord& record) {
  nlohmann::json json;
  write_members(json, record);
  replace_file(file, json.dump(2) + "\n");
}

}  // namespace tailwave
