// Writes event records to a file, a line each.
#include <fstream>
#include <string>

#include <tenon/sdk/event_sink.hpp>

namespace {

using namespace tenon::sdk;

struct @struct@ {
  static constexpr std::string_view name = "@name@";

  explicit @struct@(const config &settings) : path_(settings.text("path", "events.txt")) {}

  // May wait: the sink has a thread of its own. All of the batch is kept, or none: `unavailable` makes it come again.
  void emit(const event_batch &records) {
    std::string lines;
    for (const event record : records) {
      lines += std::to_string(record.id()) + ' ' + std::string(record.object()) + ' ' + std::string(record.reason()) +
               ' ' + std::string(record.message()) + '\n';
    }
    std::ofstream to(path_, std::ios::app | std::ios::binary);
    to.write(lines.data(), static_cast<std::streamsize>(lines.size()));
    to.close();
    if (!to) throw unavailable("cannot write to " + path_);
  }

 private:
  std::string path_;
};

}  // namespace

TENON_MODULE(event_sink<@struct@>)
