// What the parts of make_golden share.
#pragma once

#include <string>

#include "support/craft.hpp"

namespace bdelta::test {

// Writes a set. The patch is given, made by the library, or made by hand.
void save(const std::string& name, const Bytes& source, const Bytes& target, const Bytes& patch);
void by_tool(const std::string& name, const Bytes& source, const Bytes& target, const CreateOptions& options);
void by_hand(const std::string& name, const Bytes& source, const Bytes& target, const Craft& craft);

// Programs of all formats and machines, which have all kinds of sorted table among them.
void make_programs();

}  // namespace bdelta::test
