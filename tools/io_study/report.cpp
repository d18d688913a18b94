#include "report.hpp"

#include <iomanip>
#include <sstream>

namespace io_study {
namespace {

// Megabytes (10^6) a second by the median; 0 where nothing is moved.
double speed(const Case& what, const Timing& timing) {
  return static_cast<double>(what.bytes) / timing.median() / 1e6;
}

double call_ns(const Case& what, const Timing& timing) {
  return timing.median() * 1e9 / static_cast<double>(what.calls);
}

std::string short_size(std::uint64_t bytes) {
  if (bytes >= kMiB && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + "M";
  if (bytes >= kKiB && bytes % kKiB == 0) return std::to_string(bytes / kKiB) + "K";
  return std::to_string(bytes);
}

std::string short_buffer(const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return "-";
  return *bytes == 0 ? "none" : short_size(*bytes);
}

}  // namespace

void print_table(std::FILE* to, const std::vector<Case>& cases, const std::vector<Timing>& timings,
                 const Machine& machine) {
  std::fprintf(to, "%s, %s, %s, %s; files in the page cache, nothing synced unless said\n", machine.date.c_str(),
               machine.kernel.c_str(), machine.machine.c_str(), machine.filesystem.c_str());
  std::string section;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& what = cases[i];
    if (what.section != section) {
      section = what.section;
      std::fprintf(to, "\n%-48s %7s %7s %12s %12s %9s %9s %9s %11s\n", section.c_str(), "record", "buffer", "bytes",
                   "calls", "median s", "min s", "MB/s", "ns/call");
    }
    std::fprintf(to, "  %-46s %7s %7s %12llu %12llu %9.4f %9.4f %9.1f %11.2f\n", what.name.c_str(),
                 short_size(what.record_bytes).c_str(), short_buffer(what.buffer_bytes).c_str(),
                 static_cast<unsigned long long>(what.bytes), static_cast<unsigned long long>(what.calls),
                 timings[i].median(), timings[i].least(), speed(what, timings[i]), call_ns(what, timings[i]));
  }
}

std::string csv_text(const std::vector<Case>& cases, const std::vector<Timing>& timings, const Machine& machine) {
  std::ostringstream text;
  text << "section,case,record_bytes,buffer_bytes,bytes,calls,seconds_median,seconds_min,mb_per_s,ns_per_call,runs,"
          "date,kernel,machine,filesystem\n";
  text << std::fixed;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& what = cases[i];
    const Timing& timing = timings[i];
    text << what.section << ',' << what.name << ',' << what.record_bytes << ',';
    if (what.buffer_bytes) text << *what.buffer_bytes;
    text << ',' << what.bytes << ',' << what.calls << ',' << std::setprecision(7) << timing.median() << ','
         << timing.least() << ',' << std::setprecision(1) << speed(what, timing) << ',' << std::setprecision(2)
         << call_ns(what, timing) << ',' << timing.seconds.size() << ',' << machine.date << ',' << machine.kernel
         << ',' << machine.machine << ',' << machine.filesystem << '\n';
  }
  return text.str();
}

}  // namespace io_study
