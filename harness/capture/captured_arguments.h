#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture/captured_launch.h"
#include "capture/captured_values.h"
#include "capture/signature.h"

namespace tailwave {

// What a manifest calls the memory of launches that are alike, what it says it is, and the arguments that point there.
class CapturedArguments {
 public:
  explicit CapturedArguments(const std::vector<CapturedLaunch>& launches);  // kept by reference

  // Of the launches' memory: after the first argument that points there; what all that point there say it is, or bytes.
  [[nodiscard]] const std::string& name(std::size_t memory) const { return names_[memory]; }
  [[nodiscard]] ScalarType type(std::size_t memory) const { return types_[memory]; }

  [[nodiscard]] nlohmann::ordered_json json() const;  // of all arguments, for "args"

 private:
  // What `value` gives of each launch, as the manifest says it.
  template <class Value>
  [[nodiscard]] nlohmann::ordered_json by_size_of(Value value) const {
    return by_size(of_each(launches_, value));
  }
  [[nodiscard]] const SignatureType* said_of(std::size_t argument) const;
  [[nodiscard]] std::string name_of(std::size_t memory) const;
  [[nodiscard]] ScalarType type_of(std::size_t memory) const;
  [[nodiscard]] nlohmann::ordered_json pointer_json(std::size_t argument, std::size_t which) const;
  [[nodiscard]] nlohmann::ordered_json scalar_json(std::size_t argument) const;
  void add_bytes(std::size_t argument, std::size_t begin, std::size_t end,
                 nlohmann::ordered_json& fields) const;
  [[nodiscard]] nlohmann::ordered_json argument_json(std::size_t i) const;

  const std::vector<CapturedLaunch>& launches_;
  const CapturedLaunch& first_;
  std::vector<SignatureType> signature_;  // empty: not known
  std::vector<std::string> names_;        // of memory
  std::vector<ScalarType> types_;         // likewise
};

}  // namespace tailwave
