#include "model/mixing.hpp"

namespace bdelta::mix {

constinit const Tables kTables = {make_stretch(), make_rates()};

}  // namespace bdelta::mix
