#include "spec/t1/kernel.h"

#include <algorithm>
#include <system_error>

#include "spec/compiler_options.h"
#include "spec/names.h"
#include "spec/paths.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 3> kAxes{"X", "Y", "Z"};
constexpr std::array<std::string_view, 3> kBlockParameters{"block_size_x", "block_size_y", "block_size_z"};
using Sizes = std::array<Expression, 3>;

Expression one() {
  return Expression::constant(std::int64_t{1});
}

// Of nvcc alone, or what tailwave decides itself.
bool is_foreign(const std::string& option) {
  if (is_left_out_for_nvrtc(option)) return true;
  constexpr std::array<std::string_view, 9> kPrefixes{
      "-O",         "-arch",  "--gpu-architecture", "-gencode", "--generate-code",
      "-Xcompiler", "-ccbin", "--compiler-options", "-code"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return option.starts_with(prefix); });
}

bool is_cuda(const Json& root) {
  const std::string* language = root.find("KernelSpecification").find("Language").as_text();
  constexpr std::array<std::string_view, 4> kNames{"CUDA", "CUPY", "NVCUDA",
                                                   "PYCUDA"};  // Kernel Tuner's backends
  return language != nullptr && std::find(kNames.begin(), kNames.end(), *language) != kNames.end();
}

class KernelReader {
 public:
  KernelReader(const T1File& file, VariantSpec& variant, LaunchSpec& launch)
      : file_(file),
        variant_(variant),
        launch_(launch),
        place_(file.root.find("KernelSpecification")),
        beside_(file.beside_kernel()) {}

  void run() {
    read_name();
    read_file();
    read_options();
    launch_.grid.fill(one());
    launch_.block = launch_.grid;
    for (const Json& size : place_.find("ProblemSize").items())
      if (size.as_text() != nullptr) (void)read_t1_expression(size, file_);
    if (!beside_.find("launches")) {
      read_block();
      read_grid();
    }
    const Json shared = place_.find("SharedMemory");
    if (const auto bytes = expression_of(shared)) {
      launch_.dynamic_shared_bytes = *bytes;
      check_whole(*bytes, file_.default_scope(), 0, shared.pointer(), file_.errors);
    }
    add_macros();
  }

 private:
  // Of a key that may be absent or null.
  std::optional<Expression> expression_of(const Json& place) {
    if (!place || place.type() == "null") return std::nullopt;
    return read_t1_expression(place, file_);
  }

  void read_name() {
    const std::string* name = required_text(place_, "KernelName", file_.errors);
    if (name == nullptr) return;
    launch_.kernel = t1_kernel_name(file_.root);
    std::string types;
    for (const Json& type : place_.find("KernelTypeNames").items())
      if (type.as_text() != nullptr) types += (types.empty() ? "" : ", ") + *type.as_text();
    if (!types.empty()) launch_.kernel += "<" + types + ">";
    const std::string why = why_not_a_kernel(launch_.kernel);
    if (!why.empty())
      file_.errors.report(place_.find("KernelName").pointer(), "'" + launch_.kernel + "' " + why);
  }

  // Beside the file or, as Kernel Tuner looks for it too, beside its folder.
  void read_file() {
    if (beside_.find("source")) {
      if (const auto source = file_inside(file_.folder, beside_.find("source"), file_.side_errors))
        variant_.source = *source;
      return;
    }
    const std::string* name = required_text(place_, "KernelFile", file_.errors);
    if (name == nullptr) return;
    std::error_code error;
    const Json place = place_.find("KernelFile");
    const fs::path above = file_.folder.parent_path();
    const bool is_above = !fs::exists(file_.folder / *name, error) && fs::exists(above / *name, error);
    const auto source = t1_file_inside(
        is_above ? above : file_.folder, place,
        "nor is it in the folder above: put the kernel's file there, or name one that is there, relative to this file",
        file_.errors);
    if (source) variant_.source = *source;
  }

  void read_options() {
    if (!is_cuda(file_.root)) return;  // another compiler's, whose kernel has another source beside the file
    const Json list = place_.find("CompilerOptions");
    for (const Json& place : list.is_text() ? std::vector<Json>{list} : list.items()) {
      const std::string* option = place.as_text();
      if (option == nullptr) {
        file_.errors.report(place.pointer(), "expected a string, found " + with_article(place.type()));
      } else if (option->empty()) {
        continue;
      } else if (is_foreign(*option)) {
        file_.warnings.report(place.pointer(), "the option '" + *option + "' is left out",
                              "NVRTC does not know it, or tailwave decides it");
      } else if (const std::string why = why_not_an_option(*option, VariantSpec::Target::cuda);
                 !why.empty()) {
        file_.errors.report(place.pointer(), why, kAllowsAnyOption);
      } else {
        variant_.options.emplace_back(*option, Expression::constant(true));
      }
    }
  }

  void read_size(const Json& place, Sizes& size) {
    for (std::size_t i = 0; i < size.size(); ++i)
      if (const auto expression = expression_of(place.find(kAxes.at(i)))) size.at(i) = *expression;
  }

  // A whole number from 1 on with the defaults; reported where it is none.
  bool is_size(const Expression& size, const Values& scope, const std::string& pointer) {
    const std::size_t before = file_.errors.diagnostics().size();
    check_whole(size, scope, 1, pointer, file_.errors);
    return file_.errors.diagnostics().size() == before;
  }

  void read_block() {
    const Json local = place_.find("LocalSize");
    if (local) {
      read_size(local, launch_.block);
    } else if (file_.find("block_size_x") == nullptr) {
      launch_.block[0] = Expression::constant(std::int64_t{256});
      file_.warnings.report(place_.pointer(),
                            "neither LocalSize nor a parameter block_size_x: blocks have 256 threads");
    }
    const Values scope = file_.default_scope();
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const std::string name(kBlockParameters.at(i));
      const bool tuned = file_.find(name) != nullptr;
      if (!local && tuned) launch_.block.at(i) = Expression::parse(name);
      const std::string pointer = local ? local.find(kAxes.at(i)).pointer() : place_.pointer();
      if (!is_size(launch_.block.at(i), scope, pointer) || !local || !tuned) continue;
      const auto value = try_evaluate(launch_.block.at(i), scope, pointer, file_.errors);
      if (value && *value != scope.at(name)) {
        file_.warnings.report(
            local.pointer(), "blocks have " + to_string(*value) + " threads in " + kAxes.at(i) + ", " + name +
                                 " is " + to_string(scope.at(name)) + " with the defaults; LocalSize counts");
      }
    }
  }

  static constexpr const char* kEmptyProduct = "1";

  // The factors of a GridDiv as one text, "1" for an empty list; empty without it.
  std::string divisor(std::size_t axis) {
    const Json place = place_.find(std::string("GridDiv") + kAxes.at(axis));
    if (place.is_array() && place.items().empty()) return kEmptyProduct;
    std::vector<Json> factors = place.items();
    if (place.as_value()) factors = {place};
    std::string product;
    for (const Json& factor : factors)
      if (const auto expression = expression_of(factor))
        product += (product.empty() ? "(" : " * (") + expression->text() + ")";
    return product;
  }

  void read_grid() {
    const Json global = place_.find("GlobalSize");
    std::array<std::string, 3> divisors{divisor(0), divisor(1), divisor(2)};
    const bool divided = std::any_of(divisors.begin(), divisors.end(),
                                     [](const auto& text) { return !text.empty() && text != kEmptyProduct; });
    const bool by_problem = !file_.problem.empty() && (divided || !global);
    if (!by_problem && !global)
      return file_.errors.report(place_.pointer(),
                                 "neither ProblemSize nor GlobalSize: how large is the grid?");
    Sizes by_global = launch_.grid;
    if (global) read_global(global, by_global);
    launch_.grid = by_problem ? divided_problem(divisors) : by_global;
    const Values scope = file_.default_scope();
    bool good = true;
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const Json place = by_problem ? place_.find("ProblemSize") : global.find(kAxes.at(i));
      good = is_size(launch_.grid.at(i), scope, place.pointer()) && good;
    }
    if (good && by_problem && global) compare_grids(by_global, global.pointer());
  }

  void read_global(const Json& global, Sizes& grid) {
    const Json type = place_.find("GlobalSizeType");
    const std::string kind = type.as_text() == nullptr ? "CUDA" : *type.as_text();
    if (kind != "CUDA" && kind != "OpenCL" && kind != "Vulkan")
      return file_.errors.report(type.pointer(), "unknown GlobalSizeType '" + kind + "'",
                                 "one of 'CUDA', 'OpenCL', 'Vulkan'");
    read_size(global, grid);
    if (kind != "OpenCL") return;
    for (std::size_t i = 0; i < kAxes.size(); ++i)
      divide(grid.at(i).text(), launch_.block.at(i).text(), global.pointer(), grid.at(i));
  }

  // Texts that are expressions may be too long together, and the least whole number has none.
  void divide(const std::string& dividend, const std::string& divisor, const std::string& pointer,
              Expression& quotient) {
    try {
      quotient = Expression::parse("ceil_div(" + dividend + ", " + divisor + ")");
    } catch (const ExpressionError& error) {
      file_.errors.report(pointer, error);
    }
  }

  // Kernel Tuner's: where there is no GridDiv, a dimension is divided by its block_size if that is a parameter.
  Sizes divided_problem(const std::array<std::string, 3>& divisors) {
    Sizes grid = launch_.grid;
    for (std::size_t i = 0; i < file_.problem.size(); ++i) {
      std::string by = divisors.at(i);
      const std::string name(kBlockParameters.at(i));
      if (by.empty()) by = file_.find(name) == nullptr ? "1" : name;
      if (!file_.problem[i].empty())  // else it was reported
        divide(file_.problem[i], by, place_.find("ProblemSize").pointer(), grid.at(i));
    }
    return grid;
  }

  void compare_grids(const Sizes& by_global, const std::string& pointer) {
    const Values scope = file_.default_scope();
    std::string one, other;
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const auto value = try_evaluate(launch_.grid.at(i), scope, pointer, file_.errors);
      const auto global = try_evaluate(by_global.at(i), scope, pointer, file_.warnings);
      if (!value || !global) return;
      one += (i == 0 ? "" : " x ") + to_string(*value);
      other += (i == 0 ? "" : " x ") + to_string(*global);
    }
    if (one == other) return;
    file_.warnings.report(pointer, "the defaults give a grid of " + other + " blocks here, and " + one +
                                       " by ProblemSize and GridDiv, which count");
  }

  void add_macros() {
    constexpr std::array<const char*, 3> kGrid{"grid_size_x", "grid_size_y", "grid_size_z"};
    const auto add = [&](std::string_view name, const Expression& value) {
      if (file_.find(std::string(name)) == nullptr) variant_.defines.emplace_back(name, value);
    };
    if (!beside_.find("launches")) {
      for (std::size_t i = 0; i < kAxes.size(); ++i) add(kGrid.at(i), launch_.grid.at(i));
      for (std::size_t i = 0; i < kAxes.size(); ++i) add(kBlockParameters.at(i), launch_.block.at(i));
    }
    add("kernel_tuner", one());
    variant_.zero_unrolls_nothing = true;
  }

  const T1File& file_;
  VariantSpec& variant_;
  LaunchSpec& launch_;
  Json place_;
  Json beside_;  // what the side file says of the variant
};

}  // namespace

void check_language(const T1File& file) {
  const Json kernel = file.root.find("KernelSpecification"), place = kernel.find("Language");
  const std::string* language = required_text(kernel, "Language", file.errors);
  if (language == nullptr || is_cuda(file.root) || file.beside_kernel().find("source")) return;
  constexpr std::array<std::string_view, 3> kOfKernels{"OpenCL", "HIP", "Vulkan"};
  const bool has_kernel = std::find(kOfKernels.begin(), kOfKernels.end(), *language) != kOfKernels.end();
  file.errors.report(
      place.pointer(), "the language '" + *language + "' is not supported",
      has_kernel ? "tailwave runs kernels in CUDA C++: name one in KernelFile, and the language 'CUDA'"
                 : "tailwave runs kernels in CUDA C++, and this file is about none");
}

void read_t1_problem(T1File& file, System& system) {
  const Json place = file.root.find("KernelSpecification").find("ProblemSize");
  std::vector<Json> sizes = place.items();
  if (place.as_value()) sizes = {place};
  if (sizes.size() > kAxes.size()) return file.errors.report(place.pointer(), "more than 3 dimensions");
  std::vector<Value> numbers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::optional<Value> value = sizes[i].as_value();
    if (const Json own = file.side.find("problem").find(problem_quantity(i)).find("default");
        own.as_whole()) {
      value = own.as_value();
      file.problem.emplace_back();
    } else if (sizes[i].as_text() != nullptr) {
      try {
        const Expression expression = Expression::parse(*sizes[i].as_text());
        file.problem.push_back(expression.text());
        if (!expression.names().empty()) continue;
        value = expression.evaluate(Values{});
      } catch (const ExpressionError& error) {
        file.errors.report(sizes[i].pointer(), error);
        continue;
      }
    } else {
      file.problem.emplace_back();
    }
    const auto* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (whole == nullptr || *whole < 1) {
      file.errors.report(sizes[i].pointer(), "expected a whole number from 1");
      continue;
    }
    file.problem.back() = problem_quantity(i);
    file.problem_values.emplace(problem_quantity(i), *value);
    system.problem.emplace(problem_quantity(i), ProblemQuantity{ScalarType::int64, *value});
    numbers.push_back(*value);
  }
  if (!sizes.empty() && numbers.size() == sizes.size()) file.lists.emplace("ProblemSize", numbers);
}

void read_t1_kernel(const T1File& file, VariantSpec& variant, LaunchSpec& launch) {
  KernelReader(file, variant, launch).run();
}

}  // namespace tailwave
