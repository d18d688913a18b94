#include "machine.hpp"

#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>

namespace io_study {
namespace {

constexpr const char* kUnknown = "unknown";

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[16] = {};
  if (::gmtime_r(&now, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d", &parts) == 0) return kUnknown;
  return text;
}

std::string kernel_name() {
  struct ::utsname names {};
  if (::uname(&names) != 0) return kUnknown;
  return std::string(names.sysname) + " " + names.release;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::string(kUnknown) + " processor";
}

std::string machine_name() {
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  std::ostringstream text;
  text << processor_name() << "; " << ::sysconf(_SC_NPROCESSORS_ONLN) << " cores; "
       << static_cast<int>(pages * page_bytes / (1 << 30) + 0.5) << " GiB";
  text << "; glibc " << ::gnu_get_libc_version();
  return text.str();
}

// The table of mounts names the device of each; after " - " comes the kind of file system.
std::string filesystem_name(const std::filesystem::path& dir) {
  struct ::stat found {};
  if (::stat(dir.c_str(), &found) != 0) return kUnknown;
  std::ostringstream numbers;
  numbers << ' ' << ::major(found.st_dev) << ':' << ::minor(found.st_dev) << ' ';
  const std::string device = numbers.str();
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t dash = line.find(" - ");
    if (line.find(device) == std::string::npos || dash == std::string::npos) continue;
    return line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return kUnknown;
}

std::string without_commas(std::string text) {
  for (char& c : text) {
    if (c == ',') c = ';';
  }
  return text;
}

}  // namespace

Machine describe_machine(const std::filesystem::path& dir) {
  return {today(), without_commas(kernel_name()), without_commas(machine_name()),
          without_commas(filesystem_name(dir))};
}

}  // namespace io_study
