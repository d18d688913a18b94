#include "cli/describe.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/json.hpp"

namespace bdelta::cli {
namespace {

constexpr std::size_t kTextColumns = 68;  // of a paragraph of --help

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// CLI11 gives the name of the value and what is checked in one text: "WAY:{mmap,stdio}".
void add_value(Json& json, const CLI::Option& option) {
  if (option.get_expected_max() == 0) return;  // a flag
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  json["value"] = type.substr(0, colon);
  if (colon == std::string::npos || type[colon + 1] != '{') return;
  std::istringstream choices(type.substr(colon + 2, type.size() - colon - 3));
  for (std::string choice; std::getline(choices, choice, ',');) json["choices"].push_back(choice);
}

Json description(const CLI::Option& option) {
  Json json{{"names", Json::array()}};
  for (const std::string& name : option.get_snames()) json["names"].push_back("-" + name);
  for (const std::string& name : option.get_lnames()) json["names"].push_back("--" + name);
  add_value(json, option);
  json["text"] = in_one_line(option.get_description());
  json["in_help"] = !option.get_group().empty();
  return json;
}

}  // namespace

std::string describe_options(const CLI::App& app) {
  Json json{{"program", app.get_name()}, {"about", app.get_description()}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(kDescribeOption)) continue;
    if (option->get_positional() && option->get_group().empty()) continue;
    if (option->get_positional()) {
      json["arguments"].push_back({{"name", option->get_name(true)}, {"text", in_one_line(option->get_description())}});
    } else {
      json["options"].push_back(description(*option));
    }
  }
  return json.dump();
}

std::string exit_status_text() {
  std::vector<std::string> words{"Exit", "status:"};
  const auto add = [&words](int status, const char* meaning) {
    std::istringstream stream(std::to_string(status) + " " + meaning + (status == 130 ? "." : ","));
    for (std::string word; stream >> word;) words.push_back(word);
  };
#define BDELTA_EXIT(status, meaning) add(status, meaning);
#include "bdelta/exits.def"
#undef BDELTA_EXIT
  std::string text, line;
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > kTextColumns) text += std::exchange(line, {}) + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line;
}

}  // namespace bdelta::cli
