#pragma once

#include <sqlite3.h>

#include <exception>
#include <new>

namespace tailwave {

// The parts that SQL aggregate functions share. What one keeps of a group is a State, made with the first row.

// Null where SQLite has no memory, or where there was no row and none is to be made.
template <class State>
State** aggregate_state(sqlite3_context* context, bool create) {
  struct Slot {  // SQLite zeroes the memory that it hands out
    State* state;
  };
  auto* const slot = static_cast<Slot*>(sqlite3_aggregate_context(context, create ? sizeof(Slot) : 0));
  return slot == nullptr ? nullptr : &slot->state;
}

// add(State&) takes a row in.
template <class State, class Add>
void add_row(sqlite3_context* context, Add add) {
  State** const state = aggregate_state<State>(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*state == nullptr) *state = new State;
    add(**state);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// answer(const State&) sets the result of a group; without rows it is NULL.
template <class State, class Answer>
void finish_group(sqlite3_context* context, Answer answer) {
  State** const state = aggregate_state<State>(context, false);
  if (state == nullptr || *state == nullptr) return sqlite3_result_null(context);
  try {
    answer(**state);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
  delete *state;
  *state = nullptr;
}

}  // namespace tailwave
