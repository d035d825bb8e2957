#include "listing/ptx_class.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tailwave {
namespace {

using Class = InstructionClass;
using Parts = std::vector<std::string_view>;

Parts parts_of(std::string_view opcode) {
  Parts parts;
  while (!opcode.empty()) {
    const std::size_t length = std::min(opcode.find('.'), opcode.size());
    // ".shared::cta" is shared memory, too.
    parts.push_back(opcode.substr(0, std::min(opcode.find("::"), length)));
    opcode.remove_prefix(std::min(length + 1, opcode.size()));
  }
  return parts;
}

bool has(const Parts& parts, std::string_view word) {
  return std::ranges::find(parts, word) != parts.end();
}

bool has_any(const Parts& parts, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has(parts, word); });
}

// Whatever the modifiers are.
std::optional<Class> class_of_name(std::string_view name) {
  static const std::unordered_map<std::string_view, Class> kKnown{{"cvt", Class::conversion},
                                                                  {"sin", Class::special_function},
                                                                  {"cos", Class::special_function},
                                                                  {"ex2", Class::special_function},
                                                                  {"lg2", Class::special_function},
                                                                  {"rsqrt", Class::special_function},
                                                                  {"tanh", Class::special_function},
                                                                  {"mma", Class::tensor},
                                                                  {"tex", Class::texture},
                                                                  {"tld4", Class::texture},
                                                                  {"txq", Class::texture},
                                                                  {"suld", Class::texture},
                                                                  {"sust", Class::texture},
                                                                  {"sured", Class::texture},
                                                                  {"suq", Class::texture},
                                                                  {"atom", Class::atomic},
                                                                  {"red", Class::atomic},
                                                                  {"bar", Class::barrier},
                                                                  {"barrier", Class::barrier},
                                                                  {"membar", Class::barrier},
                                                                  {"fence", Class::barrier},
                                                                  {"mbarrier", Class::barrier},
                                                                  {"griddepcontrol", Class::barrier},
                                                                  {"bra", Class::branch},
                                                                  {"brx", Class::branch},
                                                                  {"call", Class::branch},
                                                                  {"ret", Class::branch},
                                                                  {"exit", Class::branch},
                                                                  {"trap", Class::branch},
                                                                  {"shfl", Class::warp},
                                                                  {"vote", Class::warp},
                                                                  {"match", Class::warp},
                                                                  {"redux", Class::warp},
                                                                  {"elect", Class::warp},
                                                                  {"activemask", Class::warp},
                                                                  {"mov", Class::move},
                                                                  {"selp", Class::move},
                                                                  {"slct", Class::move},
                                                                  {"prmt", Class::move},
                                                                  {"cvta", Class::move},
                                                                  {"mapa", Class::move},
                                                                  {"ldmatrix", Class::shared_load},
                                                                  {"stmatrix", Class::shared_store}};
  const auto found = kKnown.find(name);
  return found == kKnown.end() ? std::nullopt : std::optional(found->second);
}

Class load_from(const Parts& parts) {
  if (has(parts, "global")) return Class::global_load;
  if (has(parts, "shared")) return Class::shared_load;
  if (has(parts, "local")) return Class::local_load;
  return has_any(parts, {"const", "param"}) ? Class::constant_load : Class::generic_load;
}

// What goes to parameters of a call is local to the thread.
Class store_to(const Parts& parts) {
  if (has(parts, "global")) return Class::global_store;
  if (has(parts, "shared")) return Class::shared_store;
  return has_any(parts, {"local", "param"}) ? Class::local_store : Class::generic_store;
}

// cp.async and cp.async.bulk copy; what waits for them does not.
Class class_of_copy(const Parts& parts) {
  const bool waits = has_any(parts, {"commit_group", "wait_group", "wait_all"}) ||
                     (has(parts, "mbarrier") && !has(parts, "bulk"));
  return waits ? Class::barrier : Class::asynchronous_copy;
}

Class class_of_matrix(const Parts& parts) {
  if (has_any(parts, {"mma", "mma_async"})) return Class::tensor;
  if (has(parts, "load") || parts[1] == "ld") return load_from(parts);
  if (has(parts, "store") || parts[1] == "st") return store_to(parts);
  if (has(parts, "cp")) return Class::asynchronous_copy;
  return has_any(parts, {"fence", "commit", "commit_group", "wait", "wait_group"}) ? Class::barrier
                                                                                   : Class::other;
}

std::optional<Class> class_of_type(std::string_view type) {
  if (type == "f32" || type == "f32x2") return Class::fp32;
  if (type == "f64") return Class::fp64;
  if (type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2") return Class::half;
  const bool integer = type.size() >= 2 && (type[0] == 's' || type[0] == 'u' || type[0] == 'b') &&
                       type.find_first_not_of("0123456789x", 1) == std::string_view::npos;
  return integer ? std::optional(Class::integer) : std::nullopt;
}

}  // namespace

InstructionClass class_of_ptx(std::string_view opcode) {
  const Parts parts = parts_of(opcode);
  if (parts.empty()) return Class::other;
  const std::string_view name = parts.front();
  if (const auto known = class_of_name(name)) return *known;
  if (name == "ld" || name == "ldu") return load_from(parts);
  if (name == "st") return store_to(parts);
  if (name == "multimem") return Class::atomic;
  if (name == "cp") return class_of_copy(parts);
  if ((name == "wmma" || name == "wgmma" || name == "tcgen05") && parts.size() > 1)
    return class_of_matrix(parts);
  if (has(parts, "approx")) return Class::special_function;
  for (std::size_t i = parts.size(); i-- > 0;)
    if (const auto arithmetic = class_of_type(parts[i])) return *arithmetic;
  return Class::other;
}

}  // namespace tailwave
