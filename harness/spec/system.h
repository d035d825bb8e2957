#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/configuration.h"
#include "core/enum_names.h"
#include "core/error.h"
#include "core/small_float.h"
#include "core/value.h"
#include "space/expression.h"
#include "spec/buffer_views.h"
#include "spec/command.h"

namespace tailwave {

enum class ScalarType {
  int32,
  int64,
  uint32,
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  uint64,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2
};

template <>
struct EnumNames<ScalarType> {
  static constexpr std::string_view noun = "scalar type";
  static constexpr std::array<std::string_view, 14> names{
      "int32", "int64",  "uint32", "float32", "float64",  "int8",        "uint8",
      "int16", "uint16", "uint64", "float16", "bfloat16", "float8_e4m3", "float8_e5m2"};
};

// What visit(number) returns, for a 0 of the C++ type that `type` means.
template <class Visit>
auto visit_scalar(ScalarType type, Visit visit) {
  switch (type) {
    case ScalarType::int32:
      return visit(std::int32_t{});
    case ScalarType::int64:
      return visit(std::int64_t{});
    case ScalarType::uint32:
      return visit(std::uint32_t{});
    case ScalarType::float32:
      return visit(float{});
    case ScalarType::float64:
      return visit(double{});
    case ScalarType::int8:
      return visit(std::int8_t{});
    case ScalarType::uint8:
      return visit(std::uint8_t{});
    case ScalarType::int16:
      return visit(std::int16_t{});
    case ScalarType::uint16:
      return visit(std::uint16_t{});
    case ScalarType::uint64:
      return visit(std::uint64_t{});
    case ScalarType::float16:
      return visit(Float16{});
    case ScalarType::bfloat16:
      return visit(BFloat16{});
    case ScalarType::float8_e4m3:
      return visit(Float8E4M3{});
    case ScalarType::float8_e5m2:
      return visit(Float8E5M2{});
  }
  throw std::logic_error("a scalar type that is none");
}

std::size_t size_bytes(ScalarType type);
bool is_real(ScalarType type);         // a floating point number
bool is_small_float(ScalarType type);  // one of 8 or 16 bits
// What rounding to a real type changes a value by at most, relative to it: 2^-24 for float32. 0 of an integer.
double rounding_unit(ScalarType type);
double largest(ScalarType type);  // finite value
// By its name, or as C++ and CUDA call it: "int" is int32, "float" float32, "double" float64, "half" float16, "size_t"
// uint64, "char" int8, and "bool" uint8, as C++ stores it.
std::optional<ScalarType> parse_scalar_type(std::string_view text);

// What an element of a buffer is: a scalar, or several of a type that lie one after another as CUDA's vector types and
// complex numbers have them.
struct ElementType {
  ScalarType scalar = ScalarType::float32;
  int lanes = 1;

  bool operator==(const ElementType&) const = default;
};
// "float32x4", or as CUDA calls it, "float4"; "complex64" is float32x2 and "complex128" float64x2.
std::optional<ElementType> parse_element_type(std::string_view text);
std::string to_string(const ElementType& type);
// Where it may lie: what CUDA's vector type of 2 or 4 is aligned to, at most 16 bytes; else what its scalar is.
std::size_t alignment_bytes(const ElementType& type);

// A quantity of the problem, e.g. N: its type as a kernel argument and its default.
struct ProblemQuantity {
  ScalarType type = ScalarType::int32;
  Value default_value;
};

// An expression, or just a number.
class Amount : public Expression {
 public:
  Amount() = default;
  Amount(Expression expression) : Expression(std::move(expression)) {}  // NOLINT: as good as it
  template <class Number>
  requires std::is_arithmetic_v<Number> Amount(Number number)  // NOLINT: likewise
      : Expression(std::is_integral_v<Number> ? constant(static_cast<std::int64_t>(number))
                                              : constant(static_cast<double>(number))) {}
};

// What a buffer begins with. Amounts are over the problem and parameters that the reference has (fill_expressions).
struct Fill {
  enum class Kind {
    zero,
    constant,
    uniform,
    generated,
    file,
    normal,
    integers,
    permutation,
    function
  } kind = Kind::zero;
  Amount value = 0.0;                // constant
  Amount low = 0.0, high = 1.0;      // uniform: low <= x < high; integers: low <= x <= high
  Amount mean = 0.0, deviation = 1;  // normal
  Amount seed = 0;                   // of all random numbers
  Expression element;                // generated: over the element's number `i`, too
  // function: of the host, in the source `file`; what its arguments are made of.
  std::string function;
  std::vector<Expression> arguments;
  // file: absolute; its first bytes are the elements as they lie in memory, but for those of its `heading`.
  std::filesystem::path file;
  Amount offset = 0;   // file: scalars of it that are passed over
  std::string digest;  // file: of its contents
  // file: what a NumPy array says of itself (spec/npy_file.h).
  struct Heading {
    ElementType type;
    std::uint64_t count = 0;  // of elements
    std::uint64_t bytes = 0;  // of the heading
  };
  std::optional<Heading> heading;
};

template <>
struct EnumNames<Fill::Kind> {
  static constexpr std::string_view noun = "fill";
  static constexpr std::array<std::string_view, 9> names{
      "zero", "constant", "uniform", "generated", "file", "normal", "integers", "permutation", "function"};
};

// Those of its kind that say what it holds, by key.
std::vector<std::pair<std::string, Expression>> fill_expressions(const Fill& fill);
// "3" for what is just a number, else its text.
std::string amount_text(const Expression& amount);
// Whether another draw has other numbers.
bool is_random(const Fill& fill);

// Where a buffer's bytes lie: in the GPU's memory; there, with each processing element (VariantSpec::pes), and the
// others reach it; in memory whose pages move to whoever touches them; in the host's memory, page-locked, so that
// kernels reach it; or there as malloc() gives it, which copies alone reach on most machines.
enum class MemoryKind { device, symmetric, managed, pinned, pageable };

template <>
struct EnumNames<MemoryKind> {
  static constexpr std::string_view noun = "kind of memory";
  static constexpr std::array<std::string_view, 5> names{"device", "symmetric", "managed", "pinned",
                                                         "pageable"};
};

// Memory of the system. `count` scalars of `type`, of which an element may have several (see ElementType): an expression
// over problem and parameters. A parameter that it names is one of every variant that uses the buffer (see
// used_buffers), not necessarily of all variants.
struct BufferSpec {
  ScalarType type = ScalarType::float32;
  Expression count;
  Fill fill;
  bool output_only = false;  // poisoned with NaN bytes instead of filled before every verification
  Expression gpu;            // whose memory: 0 is the run's GPU, 1 the next of the machine, ...
  Expression memory = Expression::constant("device");  // a MemoryKind by name
};

// A kernel argument: a buffer by name, one of several buffers of the same type by a number from 0, a scalar
// expression of a given type, bytes as they are, a struct by value of these, or a buffer as a texture or by a tensor map.
struct BufferArgument {
  std::string buffer;
  std::optional<Expression> offset;  // the scalar that it points to, from 0; absent: the first
};
struct BufferChoice {
  std::vector<std::string> buffers;
  Expression index;
};
struct ScalarArgument {
  Expression value;
  ScalarType type = ScalarType::int32;
};
struct BytesArgument {
  std::string bytes;
};
struct StructArgument;
using Argument = std::variant<BufferArgument, ScalarArgument, BufferChoice, BytesArgument, StructArgument,
                              TextureArgument, TensorMapArgument>;
// Fields one after another, each where C++ puts it; a buffer is a pointer. A vector is one of equal scalars.
struct StructArgument {
  std::vector<Argument> fields;
  std::size_t least_alignment = 1;  // bytes; its fields may ask for more
};
// Bytes of an argument, and where it may lie.
struct ArgumentLayout {
  std::size_t bytes = 0, alignment = 1;
};
ArgumentLayout layout_of(const Argument& argument);

// The scalars, bytes, buffers and choices that an argument is made of, in order: itself, or the fields of a struct. A texture or a
// tensor map is one of its own.
template <class Visit>
void for_each_leaf(const Argument& argument, Visit visit) {
  const auto* const whole = std::get_if<StructArgument>(&argument);
  if (whole == nullptr) return visit(argument);
  for (const Argument& field : whole->fields) for_each_leaf(field, visit);
}
// The same with what they take of it: visit(leaf, offset) in bytes from where the whole argument begins.
template <class Visit>
void for_each_placed_leaf(const Argument& argument, Visit visit, std::size_t offset = 0) {
  const auto* const whole = std::get_if<StructArgument>(&argument);
  if (whole == nullptr) return visit(argument, offset);
  std::size_t end = offset;
  for (const Argument& field : whole->fields) {
    const ArgumentLayout layout = layout_of(field);
    end = (end + layout.alignment - 1) / layout.alignment * layout.alignment;
    for_each_placed_leaf(field, visit, end);
    end += layout.bytes;
  }
}
// Of one; what a kernel may take in all, from CUDA 12.1 and compute capability 7.0 on (CUDA C++ Programming Guide, Technical
// Specifications per Compute Capability). Before, the driver refuses more than 4096.
constexpr std::size_t kMostArgumentBytes = 32764;

// A part of a plan that is executed again and again.
struct LoopSpec {
  // The host reads the first element of the buffer after every iteration and leaves the loop when it is at most that.
  struct Until {
    std::string buffer;
    Expression at_most;
  };
  Expression repeat;    // iterations, from 0 on; with `until` the most
  std::string counter;  // what the launches' expressions call the iteration, from 0 on; empty: nothing
  std::optional<Until> until;
};

// What all processing elements do together: wait for each other, or add up a symmetric buffer element by element, of
// which each then has the sums.
enum class Collective { none, barrier, sum };

template <>
struct EnumNames<Collective> {
  static constexpr std::string_view noun = "collective";
  static constexpr std::array<std::string_view, 3> names{"none", "barrier", "sum"};
};

// One launch, a copy of a buffer into a variable of the program or into another buffer, a prefetch of managed memory, or
// a collective. Sizes are expressions over problem, parameters and the loop's counter. For a host variant only kernel
// (the function's name), arguments, loop and condition count; for a program its command, whose buffers are the arguments.
struct LaunchSpec {
  // A __global__ function, or a name expression such as "reduce<4>"; the variable of a copy; else a word for what it is.
  std::string kernel;
  std::string copied;      // the buffer of a copy; empty: none
  std::string copied_to;   // the buffer that it is copied into; empty: a variable
  std::string prefetched;  // the managed buffer that moves; empty: none
  bool to_host = false;    // where to
  Collective collective = Collective::none;
  std::string summed;  // the buffer of Collective::sum
  std::array<Expression, 3> grid, block;
  Expression dynamic_shared_bytes;
  std::vector<Argument> arguments;
  Expression stream;             // from 0 to kMostStreams - 1
  std::vector<Expression> wait;  // streams whose launches so far have to end first
  Expression gpu;                // as of a buffer; one for all launches of a stream
  Expression sms;                // multiprocessors that it may use, at most kMostSms; 0: all
  bool cooperative = false;
  std::optional<std::array<Expression, 3>> cluster;  // blocks of one; absent: what the code says
  Expression dependent;            // true: may begin before the kernel before it in its stream has ended
  Expression priority;             // from -kMostPriority, which comes first, to 0
  std::optional<Expression> when;  // false: not launched
  std::shared_ptr<const LoopSpec> loop;  // neighbours with the same one are its launches; null: launched once
  std::vector<CommandWord> command;      // of a program
  std::vector<std::string> reports;      // of a program: System::reported

  [[nodiscard]] bool is_kernel() const {
    return copied.empty() && prefetched.empty() && collective == Collective::none;
  }
  // What it takes besides its arguments.
  [[nodiscard]] std::vector<std::string> other_buffers() const;
};
// Those that a launch has besides its arguments', its loop's included, in no particular order.
std::vector<const Expression*> expressions_of(const LaunchSpec& launch);
// And those of an argument.
std::vector<const Expression*> expressions_of(const Argument& argument);

constexpr int kMostStreams = 32;
constexpr int kMostGpus = 16;
constexpr int kMostSms = 100'000;
constexpr int kMostPriority = 100;

struct VariantSpec {
  // cuda: kernels of a template. host: functions for the host's compiler. library: such functions that queue the work of a
  // library on the run's GPU, so that its time stands beside those of kernels. program: a program of the user's own, run as a
  // process whose time is taken; reporting_program: one that says itself how long it took, which is held against no time
  // that was taken (is_program() is both).
  enum class Target { cuda, host, program, reporting_program, library } target = Target::cuda;
  std::string name;
  std::string description;
  std::filesystem::path source;                           // absolute, inside the system's folder
  std::vector<std::pair<std::string, Value>> parameters;  // name and default, in manifest order
  // Values that parameters take in the experiment that the manifest is (experiment_reader.h); others have their default.
  std::vector<std::pair<std::string, std::vector<Value>>> values;
  // Compiler option -> expression. A true bool adds the option, a false one leaves it out; any other value
  // replaces "{}" in the option: {"--maxrregcount={}": "MAX_REGISTERS"}.
  std::vector<std::pair<std::string, Expression>> options;
  // Macros besides the parameters, over problem and parameters: grid_size_x of a T1 file, ...
  std::vector<std::pair<std::string, Expression>> defines;
  // A parameter "loop_unroll_factor..." that is 0 takes the lines "#pragma unroll loop_unroll_factor..." with its
  // name out of the source, as Kernel Tuner does.
  bool zero_unrolls_nothing = false;
  std::vector<LaunchSpec> prepare;   // untimed, once after the inputs are uploaded (e.g. change of layout)
  std::vector<LaunchSpec> launches;  // one execution: what is timed
  // Over problem and parameters: on how many processing elements all launches run alike, each a process with a GPU of
  // its own, by NVSHMEM. The launches' expressions may name PES and their own number, PE. Empty: none.
  std::optional<Expression> pes;
  std::optional<Expression> domain;  // over problem and parameters: where it is made for; empty: everywhere
  std::vector<std::string> main;     // kernels of launches that do the work (see main_launch); empty: any may
  std::vector<LaunchSpec> finish;    // untimed, once before the outputs are compared
  std::string unavailable_on_cpu;    // why the CPU device cannot run it; empty: it can
  std::string known_races;           // why its races are as they should be; empty: it is to have none
  std::vector<CommandWord> build;    // makes a program of its source; empty: the source is the program

  [[nodiscard]] bool is_program() const {
    return target == Target::program || target == Target::reporting_program;
  }
  // Functions of the host.
  static constexpr bool is_host_code(Target target) {
    return target == Target::host || target == Target::library;
  }
  [[nodiscard]] bool is_host_code() const { return is_host_code(target); }
  // A library variant in CUDA C++, which nvcc makes.
  [[nodiscard]] bool is_nvcc_code() const { return target == Target::library && source.extension() == ".cu"; }
  [[nodiscard]] bool has_parameter(std::string_view parameter) const;
  // The source is code of a GPU already: a .ptx, .cubin or .fatbin (docs/kernels.md).
  [[nodiscard]] bool is_prebuilt() const;
};

template <>
struct EnumNames<VariantSpec::Target> {
  static constexpr std::string_view noun = "target";
  static constexpr std::array<std::string_view, 5> names{"cuda", "host", "program", "reporting_program",
                                                         "library"};
};

// What an experiment with variants of several kinds is about, the first that it has: nothing compares those of one kind
// with those of another, but kernels with a library. Host variants stand beside the others as the reference.
inline constexpr std::array kTargetsByRank{VariantSpec::Target::cuda, VariantSpec::Target::library,
                                           VariantSpec::Target::program,
                                           VariantSpec::Target::reporting_program, VariantSpec::Target::host};

// How a buffer is compared with the reference's. `tolerance` is over the problem, parameters that all variants but
// the reference have, and those of the reference's `by`, which a variant without them has as the reference has. A range is for what no reference has digit by digit: each element has to be in it.
struct Comparison {
  enum class Norm {
    relative_l2,
    max_abs,
    max_rel,
    exact,
    range,
    ulp,
    close,
    differing
  } norm = Norm::relative_l2;
  Expression tolerance;            // close: relative to the expected value
  Expression absolute;             // close: besides; likewise
  double low = 0, high = 0;        // range
  std::optional<Expression> when;  // over the problem; false: not compared
};

template <>
struct EnumNames<Comparison::Norm> {
  static constexpr std::string_view noun = "norm";
  static constexpr std::array<std::string_view, 8> names{"relative_l2", "max_abs", "max_rel", "exact",
                                                         "range",       "ulp",     "close",   "differing"};
};

// A roofline: the least time that one execution can take by one limit of a device.
struct RooflineBound {
  // Over problem, work, parameters that all variants have, and the rates of rate_names().
  Expression seconds;
  std::string description;
  bool hard = false;  // what is quicker cannot have done its work: it has no time
};

// What limits may name of a device: FP32_RATE, FP64_RATE and MUFU_RATE, instructions by one thread a second at the
// rated maximum clock, and COPY_BANDWIDTH, bytes read and written a second by a copy on the device, measured.
const std::vector<std::string>& rate_names();

// A function of a file in the system's folder.
struct PythonReference {
  std::filesystem::path file;
  std::string function;
  // Hashes of the contents of all files that it may read, by their paths relative to the folder of `file`: what it
  // makes depends on no others.
  std::map<std::string, std::string> files;

  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const {
    return (file.parent_path() / name).lexically_normal();
  }
};

// What says which results are right: one of the first four.
struct ReferenceSpec {
  // With its default parameters. A host variant runs on the CPU, a cuda variant on the run's GPU; in a T1 file it is
  // the only one there is (measure/reference.h).
  std::string variant;
  std::optional<PythonReference> python;
  // Results in files, by buffer, and the problem that they are of.
  std::map<std::string, Fill> stored;
  Values stored_problem;
  std::string none;  // why nothing says it: then no result is verified
  // Parameters of it that change what is right, of those that fills name all: it is executed with the values that a
  // configuration has.
  std::vector<std::string> by;
  std::map<std::string, Comparison> compare;  // by buffer
};

// What is verified besides the problem at hand, and on how many draws of the inputs.
struct VerifySpec {
  int draws = 2;
  // Other problems, by the quantities that differ: over problem and parameters.
  std::vector<std::map<std::string, Expression>> problems;
};

// A number that programs report beside their time.
struct ReportedMetric {
  std::string unit;  // for people; may be empty
  bool maximise = false;
};

// A system: kernel_templates/<name>/system.json, validated.
struct System {
  std::string name;
  std::string title;
  std::filesystem::path file;       // the manifest
  std::filesystem::path directory;  // where its sources are
  std::map<std::string, ProblemQuantity> problem;
  std::map<std::string, BufferSpec> buffers;
  ReferenceSpec reference;
  VerifySpec verify;
  // Per execution, e.g. interactions -> N * N: over problem and parameters that all variants have. A quantity
  // that the manifest derives from another one has that one substituted.
  std::map<std::string, Expression> work;
  std::map<std::string, RooflineBound> limits;
  std::map<std::string, ReportedMetric> reported;  // by name; of programs of the user's own
  std::vector<VariantSpec> variants;               // in manifest order
  // Host variants that call the functions which fill buffers, by maker_of(); nothing else is done with them.
  std::vector<VariantSpec> makers;
  std::string inputs;  // the regime whose fills the buffers have; empty: those of the manifest

  [[nodiscard]] const VariantSpec* find_variant(std::string_view variant) const;  // a maker, too
};

// What the maker of a buffer is called, and whether that is a maker's name: no variant of a manifest has one.
std::string maker_of(const std::string& buffer);
bool is_maker(std::string_view variant);

// The plan's launches that belong to a loop with `until`.
bool has_until(const std::vector<LaunchSpec>& plan);

// Adds the names of the buffers that an argument may hand over.
void add_buffers_of(const Argument& argument, std::set<std::string>& names);

// Names of the buffers that the variant's launches take or wait for and of those that are compared, sorted: what has to
// be allocated for it. A filled buffer that is only compared with a range is none of a variant without such a launch:
// it would find what it was filled with.
std::vector<std::string> used_buffers(const System& system, const VariantSpec& variant);

// What the launches' expressions may name besides problem and parameters, for one of so many processing elements.
void add_pe(Values& scope, int pe, int pes);

// The variant with the launches of its plan, those on the run's own GPU, on so many SMs; 0: on all.
VariantSpec with_sms(VariantSpec variant, int sms);

// The defaults of problem and variant together.
Values default_scope(const System& system, const VariantSpec& variant);

// The variant with its default parameters.
Configuration default_configuration(const System& system, const VariantSpec& variant, const Values& problem);

// Whether the variant has all parameters that the expression names besides quantities of the problem.
bool has_names_of(const Expression& expression, const VariantSpec& variant, const System& system);

// Whether the configuration is in its variant's domain. Throws ExpressionError.
bool is_in_domain(const VariantSpec& variant, const Values& scope);

// Whether the reference can be computed by a parameter: its variant's own, or of one in Python what all variants have.
bool reference_has(const System& system, std::string_view parameter);

// The parameters with which the reference tells what is right for these ones.
Values reference_parameters(const System& system, const Values& parameters);

// What tolerances and fills may name: `scope`, and what it lacks of the reference's `by`.
Values scope_of_reference(const System& system, Values scope);

}  // namespace tailwave
