#pragma once

// Comparisons of numbers of 16 bits and of pairs of them: ordered ones are false where one is NaN, unordered ones ("u")
// are true.

#define TAILWAVE_SMALL_COMPARISON(name, word, ...)        \
  inline bool __h##word(name left, name right) {          \
    const float a = left, b = right;                      \
    return __VA_ARGS__;                                   \
  }                                                       \
  inline bool __h##word##u(name a, name b) {              \
    return __h##word(a, b) || __hisnan(a) || __hisnan(b); \
  }                                                       \
  TAILWAVE_PAIR_COMPARISON(name, word)                    \
  TAILWAVE_PAIR_COMPARISON(name, word##u)
#define TAILWAVE_PAIR_COMPARISON(name, word)                                                \
  inline bool __hb##word##2(name##2 a, name##2 b) {                                         \
    return __h##word(a.x, b.x) && __h##word(a.y, b.y);                                      \
  }                                                                                         \
  inline name##2 __h##word##2(name##2 a, name##2 b) {                                       \
    return {__h##word(a.x, b.x) ? 1.0f : 0.0f, __h##word(a.y, b.y) ? 1.0f : 0.0f};          \
  }                                                                                         \
  inline unsigned __h##word##2_mask(name##2 a, name##2 b) {                                 \
    return (__h##word(a.x, b.x) ? 0xffffu : 0u) | (__h##word(a.y, b.y) ? 0xffff0000u : 0u); \
  }
#define TAILWAVE_COMPARING_OPERATOR(name, operation, word) \
  inline bool operator operation(name a, name b) {         \
    return __h##word(a, b);                                \
  }                                                        \
  inline bool operator operation(name##2 a, name##2 b) {   \
    return __hb##word##2(a, b);                            \
  }
#define TAILWAVE_SMALL_COMPARISONS(name)           \
  TAILWAVE_SMALL_COMPARISON(name, eq, a == b)      \
  TAILWAVE_SMALL_COMPARISON(name, ne, a<b || a> b) \
  TAILWAVE_SMALL_COMPARISON(name, lt, a < b)       \
  TAILWAVE_SMALL_COMPARISON(name, le, a <= b)      \
  TAILWAVE_SMALL_COMPARISON(name, gt, a > b)       \
  TAILWAVE_SMALL_COMPARISON(name, ge, a >= b)      \
  TAILWAVE_COMPARING_OPERATOR(name, ==, eq)        \
  TAILWAVE_COMPARING_OPERATOR(name, !=, neu)       \
  TAILWAVE_COMPARING_OPERATOR(name, <, lt)         \
  TAILWAVE_COMPARING_OPERATOR(name, <=, le)        \
  TAILWAVE_COMPARING_OPERATOR(name, >, gt)         \
  TAILWAVE_COMPARING_OPERATOR(name, >=, ge)
