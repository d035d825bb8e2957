#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "json/json.h"

namespace tailwave {

// Whether a file's content is published figures and no experiment: it has a study and rows, or lies in a folder named
// `published`, and has no cases.
bool has_published_figures(const Json& document, const std::filesystem::path& file);

// Whether a file is one of published figures, and no experiment; false for what is no JSON.
bool is_published_file(const std::filesystem::path& file);

// Validates such a file beside the experiments that its rows name, whose specs lie in the folder above: its form, its
// units and what its rows name. Everything wrong, in these specs too, is appended to `diagnostics`; the result, the
// number of figures, is empty exactly when something was.
std::optional<std::size_t> check_published_file(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace tailwave
