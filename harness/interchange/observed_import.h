#pragma once

#include <string>

#include "interchange/import.h"
#include "json/json.h"
#include "store/observation_store.h"

namespace tailwave {

// Adds what was observed, of a document that export_observed() wrote, of version kRecordedVersion, except
// those that are there. Inside the caller's transaction. Throws as import_recorded() does.
ImportSummary import_observed(Database& database, const Json& document, const std::string& file);

}  // namespace tailwave
