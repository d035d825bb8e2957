#include "capture/captured_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "capture/captured_arguments.h"
#include "capture/captured_values.h"
#include "core/printable.h"
#include "core/statistics.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

using OrderedJson = nlohmann::ordered_json;

const std::string kBefore = ".before.bin", kAfter = ".after.bin";  // NOLINT(cert-err58-cpp)

// What the manifest says of the launches, which are alike.
class ManifestWriter {
 public:
  ManifestWriter(const std::vector<CapturedLaunch>& launches, const std::vector<std::string>& command,
                 const std::vector<KernelTimes>& times)
      : launches_(launches),
        first_(launches.front()),
        command_(command),
        times_(times),
        arguments_(launches) {}

  [[nodiscard]] OrderedJson manifest(const std::string& name) const {
    OrderedJson buffers, stored, compare, prepare = OrderedJson::array();
    for (std::size_t i = 0; i < first_.memory.size(); ++i) {
      buffers[arguments_.name(i)] = buffer_json(i);
      stored[arguments_.name(i)] = stored_json(i);
      compare[arguments_.name(i)] = {{"norm", "exact"}};
    }
    for (std::size_t i = 0; i < first_.variables.size(); ++i) {
      buffers[variable_name(i)] = {{"type", "uint8"},
                                   {"count", first_.variables[i].bytes},
                                   {"fill", file_json(variable_name(i) + kBefore, variable_sizes(i), 1)},
                                   {"description", first_.variables[i].symbol}};
      prepare.push_back({{"copy", variable_name(i)}, {"symbol", first_.variables[i].symbol}});
    }
    OrderedJson variant{{"source", "code.cubin"}, {"description", where_from()}};
    if (!prepare.empty()) variant["prepare"] = prepare;
    variant["launches"] = OrderedJson::array({launch_json()});
    OrderedJson manifest{
        {"schema_version", 1},
        {"name", name},
        {"title", fmt::format("{} as {} launched it", base_name(first_.demangled), program())}};
    if (launches_.size() > 1)
      manifest["problem"] = {
          {kSize,
           {{"type", "int"}, {"default", 0}, {"description", "which of the launches that were captured"}}}};
    manifest["buffers"] = buffers;
    manifest["reference"] = {{"stored", stored}, {"compare", compare}};
    manifest["variants"] = {{"captured", variant}};
    return manifest;
  }

  // The most often launched size counts the most.
  [[nodiscard]] OrderedJson experiment(const std::string& name) const {
    OrderedJson problem = OrderedJson::array();
    for (std::size_t i = 0; i < launches_.size(); ++i)
      problem.push_back({{kSize, i}, {"weight", std::max<std::int64_t>(1, launches_of(launches_[i]))}});
    return {{"schema_version", 1},
            {"name", "sizes"},
            {"system", name},
            {"question", fmt::format("How long does {} take in each size that {} launches?",
                                     base_name(first_.demangled), program())},
            {"problem", problem},
            {"cases", OrderedJson::array({OrderedJson{{"variant", "captured"}}})}};
  }

  // Each once, however many sizes it is about.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const CapturedLaunch& launch : launches_)
      for (std::string& note : notes_of(launch))
        if (std::ranges::find(all, note) == all.end()) all.push_back(std::move(note));
    return all;
  }

  // What is put together in each file, one part a size.
  [[nodiscard]] std::vector<std::pair<std::string, std::vector<fs::path>>> files() const {
    std::vector<std::pair<std::string, std::vector<fs::path>>> files;
    for (std::size_t i = 0; i < first_.memory.size(); ++i) {
      std::vector<fs::path> before, after;
      for (const CapturedLaunch& one : launches_) {
        before.push_back(one.memory[i].before);
        after.push_back(one.memory[i].after.value_or(one.memory[i].before));
      }
      files.emplace_back(arguments_.name(i) + kAfter, std::move(after));
      files.emplace_back(arguments_.name(i) + kBefore, std::move(before));
    }
    for (std::size_t i = 0; i < first_.variables.size(); ++i) {
      std::vector<fs::path> before;
      for (const CapturedLaunch& one : launches_) before.push_back(one.variables[i].before);
      files.emplace_back(variable_name(i) + kBefore, std::move(before));
    }
    files.emplace_back("code.cubin", std::vector{first_.code});
    return files;
  }

  [[nodiscard]] std::string readme(const std::string& name) const {
    std::string text = fmt::format("# {}\n\n`{}`, captured from\n\n    {}\n\n{}.\n", name, first_.demangled,
                                   fmt::join(command_, " "), where_from());
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const CapturedLaunch& one = launches_[i];
      text += fmt::format("\n- {}grid {}, block {}, {} bytes of dynamic shared memory{}",
                          launches_.size() > 1 ? fmt::format("SIZE {}: ", i) : "", fmt::join(one.grid, " x "),
                          fmt::join(one.block, " x "), one.dynamic_shared_bytes, time_text(one));
    }
    text +=
        "\n\n`NAME.before.bin` is what memory held before it, `NAME.after.bin` what it left; each is a whole allocation. A result is "
        "right when all bytes are the same: where the kernel adds up floating-point numbers in any order, give `compare` in "
        "`system.json` another norm and the buffer its type.\n";
    const std::vector<std::string> all = notes();
    if (!all.empty()) text += "\nNot captured or not verified:\n\n";
    for (const std::string& note : all) text += fmt::format("- {}\n", note);
    return text;
  }

 private:
  [[nodiscard]] std::vector<std::string> notes_of(const CapturedLaunch& launch) const {
    std::vector<std::string> notes = launch.notes;
    for (std::size_t i = 0; i < launch.memory.size(); ++i)
      if (const CapturedMemory& one = launch.memory[i]; one.inner_pointers > 0)
        notes.push_back(fmt::format(
            "'{}' holds what look like {} addresses of the GPU's memory, the first at byte {}: they are not "
            "followed, and a kernel that reads through them reads what is not there",
            arguments_.name(i), one.inner_pointers, one.first_inner));
    for (const CapturedVariable& one : launch.variables)
      if (one.after)
        notes.push_back(
            fmt::format("the launch changed the variable '{}' of its module, which is not verified",
                        demangled_symbol(one.symbol)));
    if (launch.from_graph)
      notes.emplace_back(
          "it was a node of a graph: the inputs are what was there when the graph had run, and it was "
          "launched once more with them");
    if (launch.code_candidates > 1)
      notes.push_back(fmt::format(
          "{} modules have a kernel of that name and the same resources, and it may be another one's",
          launch.code_candidates));
    return notes;
  }

  static std::string variable_name(std::size_t i) { return fmt::format("variable{}", i + 1); }

  [[nodiscard]] std::vector<std::size_t> variable_sizes(std::size_t i) const {
    std::vector<std::size_t> sizes(launches_.size(), first_.variables[i].bytes);
    return sizes;
  }

  [[nodiscard]] std::vector<std::size_t> memory_sizes(std::size_t i) const {
    return of_each(launches_, [&](const CapturedLaunch& one) { return one.memory[i].bytes; });
  }

  // What `value` gives of each launch, as the manifest says it.
  template <class Value>
  [[nodiscard]] OrderedJson by_size_of(Value value) const {
    return by_size(of_each(launches_, value));
  }

  [[nodiscard]] std::string program() const {
    return command_.empty() ? "a program" : printable(fs::path(command_.front()).filename().string());
  }

  // Those of one shape are told apart by nothing, and share its launches.
  [[nodiscard]] std::int64_t launches_of(const CapturedLaunch& launch) const {
    const KernelTimes* const times = times_of(times_, launch);
    if (times == nullptr) return 1;
    return times->launches / std::ranges::count_if(launches_, [&](const CapturedLaunch& other) {
             return times_of(times_, other) == times;
           });
  }

  // ", where it took 54.3 us (median of 19 launches)"; "" where the application did not tell.
  [[nodiscard]] std::string time_text(const CapturedLaunch& launch) const {
    const KernelTimes* const mine = times_of(times_, launch);
    if (mine == nullptr) return "";
    constexpr double kPerMicrosecond = 1000;
    return fmt::format(", where it took {:.4g} us (median of {} launch{})",
                       median(mine->first_ns) / kPerMicrosecond, mine->first_ns.size(),
                       mine->first_ns.size() == 1 ? "" : "es");
  }

  [[nodiscard]] std::string where_from() const {
    std::string text = "captured from " + program();
    if (!first_.device.empty()) text += " on " + first_.device;
    return launches_.size() == 1 ? text + time_text(first_) : text;
  }

  // A part of a file that has one for each size, in scalars of so many bytes.
  [[nodiscard]] OrderedJson file_json(const std::string& file, const std::vector<std::size_t>& bytes,
                                      std::size_t scalar) const {
    std::vector<std::size_t> offsets{0};
    for (const std::size_t one : bytes) offsets.push_back(offsets.back() + one / scalar);
    offsets.pop_back();
    OrderedJson json{{"kind", "file"}, {"file", file}};
    if (launches_.size() > 1) json["offset"] = by_size(offsets);
    return json;
  }

  [[nodiscard]] OrderedJson buffer_json(std::size_t i) const {
    const std::size_t scalar = size_bytes(arguments_.type(i));
    OrderedJson buffer{
        {"type", std::string(to_string(arguments_.type(i)))},
        {"count", by_size_of([&](const CapturedLaunch& one) { return one.memory[i].bytes / scalar; })},
        {"fill", file_json(arguments_.name(i) + kBefore, memory_sizes(i), scalar)}};
    if (first_.memory[i].memory != "device") buffer["memory"] = first_.memory[i].memory;
    return buffer;
  }

  [[nodiscard]] OrderedJson stored_json(std::size_t i) const {
    OrderedJson file =
        file_json(arguments_.name(i) + kAfter, memory_sizes(i), size_bytes(arguments_.type(i)));
    if (launches_.size() == 1) return file["file"];
    file.erase("kind");
    return file;
  }

  template <class Extents>
  [[nodiscard]] OrderedJson extents_json(Extents extents) const {
    OrderedJson all = OrderedJson::array();
    for (std::size_t i = 0; i < 3; ++i)
      all.push_back(by_size_of([&](const CapturedLaunch& one) { return extents(one)[i]; }));
    return all;
  }

  [[nodiscard]] OrderedJson launch_json() const {
    OrderedJson launch{{"kernel", first_.kernel},
                       {"grid", extents_json([](const CapturedLaunch& one) { return one.grid; })},
                       {"block", extents_json([](const CapturedLaunch& one) { return one.block; })}};
    if (const OrderedJson bytes =
            by_size_of([](const CapturedLaunch& one) { return one.dynamic_shared_bytes; });
        bytes != 0)
      launch["dynamic_shared_bytes"] = bytes;
    if (first_.cooperative) launch["cooperative"] = true;
    if (first_.cluster)
      launch["cluster"] = extents_json([](const CapturedLaunch& one) { return *one.cluster; });
    launch["args"] = arguments_.json();
    return launch;
  }

  const std::vector<CapturedLaunch>& launches_;
  const CapturedLaunch& first_;
  const std::vector<std::string>& command_;
  const std::vector<KernelTimes>& times_;
  const CapturedArguments arguments_;
};

// With the arguments of the captured variant.
void add_source(const SourceVariant& source, CapturedManifest& made) {
  OrderedJson& variants = made.manifest["variants"];
  OrderedJson variant = source.variant;
  variant["launches"][0]["args"] = variants["captured"]["launches"][0]["args"];
  for (const auto& [name, values] : source.parameters.items())
    variant["parameters"][name] = {{"values", values},
                                   {"default", variant["parameters"].value(name, values.front())}};
  if (!source.constraints.empty())
    variant["requires"] = fmt::format("({})", fmt::join(source.constraints, ") and ("));
  variants["tuned"] = std::move(variant);
  made.experiment["cases"].push_back({{"variant", "tuned"}, {"parameters", source.parameters}});
}

}  // namespace

CapturedManifest manifest_of(const std::vector<CapturedLaunch>& launches, const std::string& name,
                             const std::vector<std::string>& command, const std::vector<KernelTimes>& times,
                             const SourceVariant* source) {
  const ManifestWriter writer(launches, command, times);
  CapturedManifest made{writer.manifest(name), writer.experiment(name), writer.readme(name), writer.notes(),
                        writer.files()};
  if (source != nullptr) add_source(*source, made);
  return made;
}

}  // namespace tailwave
