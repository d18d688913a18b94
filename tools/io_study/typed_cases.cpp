// Integers out of a file: a call for each field against decoding inline from a buffer.
//
// Every way adds up what it reads, and the sum must be that of what was written. Fields are counted as calls, in the
// cases of structures too.
#include <algorithm>
#include <array>

#include "base/varint.hpp"
#include "cases.hpp"
#include "field_readers.hpp"
#include "record_writer.hpp"

namespace io_study {
namespace {

using bdelta::SequentialReader;
using bdelta::study::RecordWriter;

constexpr std::uint64_t kFieldsOfRecord = 6;
constexpr std::size_t kLongestRecord = 1 + 2 + 4 + 8 + 2 * bdelta::kMaxVarintBytes;
constexpr std::size_t kSmallStructure = 8;   // fields
constexpr std::size_t kLargeStructure = 64;
constexpr std::uint64_t kMostRecordFileBytes = 64 * kMiB;

template <class Fields>
std::uint64_t sum_record(Fields& from) {
  std::uint64_t sum = from.u8();
  sum += from.template le<std::uint16_t>();
  sum += from.template le<std::uint32_t>();
  sum += from.template le<std::uint64_t>();
  sum += from.varint();
  return sum + from.varint();
}

// As sum_record, asking once per record whether its longest form is there.
std::uint64_t sum_record_at_once(FieldsInline& from) {
  if (!from.reader().ensure(kLongestRecord)) return sum_record(from);
  const std::uint8_t* const start = from.reader().data();
  std::uint64_t sum = start[0];
  sum += bdelta::load_le<std::uint16_t>(start + 1);
  sum += bdelta::load_le<std::uint32_t>(start + 3);
  sum += bdelta::load_le<std::uint64_t>(start + 7);
  from.reader().consume(15);
  sum += from.varint();
  return sum + from.varint();
}

// A structure of `kCount` integers, copied as a whole and then summed.
template <std::size_t kCount, class Fields>
std::uint64_t sum_copied(Fields& from) {
  std::array<std::uint32_t, kCount> structure;
  from.read({reinterpret_cast<std::uint8_t*>(structure.data()), sizeof structure});
  std::uint64_t sum = 0;
  for (const std::uint32_t field : structure) sum += field;
  return sum;
}

template <std::size_t kCount, class Fields>
std::uint64_t sum_fields(Fields& from) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) sum += from.template le<std::uint32_t>();
  return sum;
}

// What a file holds, known from writing it.
struct Content {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::uint64_t record_count = 0;
  std::uint64_t sum = 0;
};

// Numbers of all sizes that a varint may have, small ones more often.
std::uint64_t number_at(std::uint64_t index) {
  const std::uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15U;
  return (mixed >> 1) >> (mixed % 59 + 4);
}

void put_record(RecordWriter& to, std::uint64_t index, std::uint64_t& sum) {
  const std::uint64_t number = number_at(index);
  to.put_u8(static_cast<std::uint8_t>(index));
  to.put_le(static_cast<std::uint16_t>(number));
  to.put_le(static_cast<std::uint32_t>(number));
  to.put_le(number);
  to.put_varint(index & 127);
  to.put_varint(number);
  sum += (index & 0xff) + (number & 0xffff) + (number & 0xffffffff) + number + (index & 127) + number;
}

void put_number(RecordWriter& to, std::uint64_t index, std::uint64_t& sum) {
  to.put_varint(number_at(index));
  sum += number_at(index);
}

// Four bytes; the cases of structures read them in groups.
void put_fixed(RecordWriter& to, std::uint64_t index, std::uint64_t& sum) {
  to.put_le(static_cast<std::uint32_t>(number_at(index)));
  sum += number_at(index) & 0xffffffff;
}

// The number of records is a multiple of `multiple`.
template <class Put>
Content write_content(const std::filesystem::path& path, std::uint64_t most_bytes, std::uint64_t multiple, Put put) {
  Content content{path};
  const auto file = make_writer(path, kLayerBufferBytes);
  RecordWriter to(*file, kLayerBufferBytes);
  while (to.position() + kLongestRecord <= most_bytes) put(to, content.record_count++, content.sum);
  while (content.record_count % multiple != 0) put(to, content.record_count++, content.sum);
  content.bytes = to.position();
  must(to.flush());
  must(file->finish());
  return content;
}

class TypedCases {
 public:
  explicit TypedCases(std::vector<Case>& cases) : cases_(cases) {}

  // `sum` reads one record of `field_count` fields of which the file holds `count`. With kGeneral a
  // GeneralReader stands before the file.
  template <class Fields, bool kGeneral, class Sum>
  void add(std::string name, const Content& content, std::uint64_t count, std::uint64_t field_count, Sum sum) {
    auto run = [content, count, sum] {
      std::uint64_t total = 0;
      const double seconds = seconds_of([&] {
        const auto file = make_reader(content.path, kLayerBufferBytes);
        GeneralReader general(*file);
        Fields from(kGeneral ? static_cast<SequentialReader&>(general) : *file);
        for (std::uint64_t i = 0; i < count; ++i) total += sum(from);
        from.finish();
      });
      if (total != content.sum) throw Failure("the fields that were read are not those that were written");
      return seconds;
    };
    cases_.push_back({"typed", std::move(name), content.bytes / count, kLayerBufferBytes, content.bytes,
                      count * field_count, run});
  }

  // `sum` is a generic function: it reads a record from whatever gives fields.
  template <class Sum>
  void add_ways(const std::string& what, const Content& content, std::uint64_t count, std::uint64_t fields, Sum sum) {
    add<FieldsByCalls, true>(what + " by general reader", content, count, fields, sum);
    add<FieldsByCalls, false>(what + " by StdioReader", content, count, fields, sum);
    add<FieldsInline, false>(what + " by TypedReader", content, count, fields, sum);
  }

  template <std::size_t kCount>
  void add_structures(const Content& fixed) {
    const std::string what = "structure of " + std::to_string(kCount);
    const std::uint64_t count = fixed.record_count / kCount;
    const auto copied = [](auto& from) { return sum_copied<kCount>(from); };
    const auto by_field = [](auto& from) { return sum_fields<kCount>(from); };
    add<FieldsByCalls, true>(what + " copied by general reader", fixed, count, kCount, copied);
    add<FieldsInline, false>(what + " copied by TypedReader", fixed, count, kCount, copied);
    add<FieldsInline, false>(what + " field by field by TypedReader", fixed, count, kCount, by_field);
  }

 private:
  std::vector<Case>& cases_;
};

}  // namespace

void add_typed_cases(StudyFiles& files, std::vector<Case>& cases) {
  const std::uint64_t most_bytes = std::min(files.size_bytes / 8, kMostRecordFileBytes);
  const Content records = write_content(files.records.path(), most_bytes, 1, put_record);
  const Content varints = write_content(files.varints.path(), most_bytes, 1, put_number);
  const Content fixed = write_content(files.fixed.path(), most_bytes, kLargeStructure, put_fixed);
  TypedCases all(cases);
  all.add_ways("mixed record", records, records.record_count, kFieldsOfRecord, [](auto& f) { return sum_record(f); });
  all.add<FieldsInline, false>("mixed record by TypedReader asked once", records, records.record_count,
                               kFieldsOfRecord, sum_record_at_once);
  all.add_ways("varint", varints, varints.record_count, 1, [](auto& from) { return from.varint(); });
  all.add_ways("integer of 4 bytes", fixed, fixed.record_count, 1,
               [](auto& from) { return from.template le<std::uint32_t>(); });
  all.add_structures<kSmallStructure>(fixed);
  all.add_structures<kLargeStructure>(fixed);
}

}  // namespace io_study
