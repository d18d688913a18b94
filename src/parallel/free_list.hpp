// Objects that take long to make, for one task after the other.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace bdelta {

// Makes as many as are in use at a time. What tasks before left in an object must not matter to the next. Any thread may
// ask; the list must outlive what it lends.
template <class T>
class FreeList {
  struct GiveBack {
    FreeList* list;
    void operator()(T* one) const noexcept { list->give_back(one); }
  };

 public:
  using Lent = std::unique_ptr<T, GiveBack>;

  // make(): a std::unique_ptr to another one.
  template <class Make>
  [[nodiscard]] Lent lend(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Lent one(free_.back().release(), {this});
        free_.pop_back();
        return one;
      }
      free_.reserve(++made_count_);  // so that none fails to come back
    }
    return Lent(make().release(), {this});
  }

 private:
  void give_back(T* one) noexcept {
    const std::lock_guard lock(mutex_);
    free_.emplace_back(one);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  std::size_t made_count_ = 0;
};

}  // namespace bdelta
