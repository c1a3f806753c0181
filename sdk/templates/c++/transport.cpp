// Connects resource managers by packets on a Unix socket. A packet is a word and what it is about, with tabs between:
//
//   an RM says                     and is told
//   ----------                     -----------
//   enter NAME                     ok; no WORDS
//   node ID TYPE=AMOUNT...         node-accepted ID; node-rejected ID WORDS
//   app ID QUEUE                   app-accepted ID; app-rejected ID WORDS
//   ask APP KEY TYPE=AMOUNT...     placed APP KEY NODE; ask-rejected APP KEY WORDS
//   placed APP KEY NODE            allocation-rejected APP KEY WORDS
//   bye                            ended WHY
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tenon/sdk/transport.hpp>

namespace {

using namespace tenon::sdk;

constexpr size_t most_rms = 64, most_fields = 16, longest_packet = 8192;

// What a message says, in its words.
using fields = std::vector<std::string_view>;

fields split(std::string_view packet) {
  fields out;
  for (size_t begin = 0; begin <= packet.size();) {
    const size_t end = std::min(packet.find('\t', begin), packet.size());
    out.push_back(packet.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string joined(std::string_view word, std::initializer_list<tenon_text> more) {
  std::string out(word);
  for (const tenon_text &one : more) out.append("\t").append(view(one));
  return out.substr(0, longest_packet);
}

// "vcore=8000", from field `first` on; throws invalid_config.
class amounts_said {
 public:
  amounts_said(const fields &from, size_t first) {
    for (size_t i = first; i < from.size(); ++i) {
      const size_t equals = from[i].find('=');
      const std::string_view number = from[i].substr(std::min(equals, from[i].size() - 1) + 1);
      int64_t value = 0;
      const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (equals == std::string_view::npos || wrong != std::errc() || end != number.data() + number.size())
        throw invalid_config("want TYPE=AMOUNT, have " + std::string(from[i]));
      types_.push_back(text(from[i].substr(0, equals)));
      values_.push_back(value);
    }
  }
  [[nodiscard]] tenon_rm_amounts get() const {
    return {types_.data(), values_.data(), static_cast<uint32_t>(types_.size()), types_.empty() ? 0U : 1U};
  }

 private:
  std::vector<tenon_text> types_;
  std::vector<int64_t> values_;
};

template <class Message>
Message message_of(uint32_t type) {
  Message out{};
  out.size = sizeof out;
  out.type = type;
  return out;
}

template <class Message>
const Message &as(const tenon_rm_message *message) {
  return *reinterpret_cast<const Message *>(message);
}

// Empty: the protocol has no word for it.
std::string answer_of(const tenon_rm_message *message) {
  const auto verdict = [&](std::string_view word) {
    const auto &one = as<tenon_rm_verdict>(message);
    return joined(word, {one.id, one.reason});
  };
  const auto rejected = [&](std::string_view word) {
    const auto &one = as<tenon_rm_rejected_ask>(message);
    return joined(word, {one.application, one.key, one.reason});
  };
  switch (message->type) {
    case TENON_RM_ACCEPTED_NODE:
      return verdict("node-accepted");
    case TENON_RM_REJECTED_NODE:
      return verdict("node-rejected");
    case TENON_RM_ACCEPTED_APPLICATION:
      return verdict("app-accepted");
    case TENON_RM_REJECTED_APPLICATION:
      return verdict("app-rejected");
    case TENON_RM_REJECTED_ASK:
      return rejected("ask-rejected");
    case TENON_RM_REJECTED_ALLOCATION:
      return rejected("allocation-rejected");
    case TENON_RM_ALLOCATION: {
      const auto &one = as<tenon_rm_allocation>(message);
      return joined("placed", {one.application, one.key, one.node});
    }
    default:
      return {};
  }
}

struct @struct@ {
  static constexpr std::string_view name = "@name@";

  explicit @struct@(const config &settings) : path_(settings.text("listen", "@name@.sock")) {
    if (path_.size() >= sizeof(sockaddr_un::sun_path)) config::refuse("listen", "a shorter path");
  }

  void init(host_services &host) {
    host_ = host.handle();
    rm_ = host.find<tenon_host_rm>(TENON_HOST_RM);
  }

  // RMs may enter from here on, also before it returns.
  void start(uint64_t transport) {
    if (rm_ == nullptr) throw invalid_config("the host has no " TENON_HOST_RM);
    transport_ = transport;
    stopping_ = false;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path_.copy(at.sun_path, sizeof at.sun_path - 1);
    ::unlink(path_.c_str());
    listening_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listening_ < 0 || ::bind(listening_, reinterpret_cast<const sockaddr *>(&at), sizeof at) != 0 ||
        ::listen(listening_, most_rms) != 0) {
      if (listening_ >= 0) ::close(listening_);
      throw unavailable("cannot listen on " + path_);
    }
    thread_ = std::thread([this] { listen_for_rms(); });
  }

  // Nothing of the host is called once it returned. Answers go out when they are delivered: there is nothing to drain.
  void stop(std::chrono::milliseconds) {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
    ::unlink(path_.c_str());
    for (connection &one : connections_) ::shutdown(one.socket, SHUT_RDWR);
    while (!connections_.empty()) end(connections_.begin());
  }

  // Waits for nobody: what the socket does not take is delivered again, later.
  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken) {
    tenon_status status = TENON_OK;
    {
      const std::lock_guard lock(mutex_);
      connection *to = find(in.session);
      if (to == nullptr) return TENON_DECLINED;
      for (; taken < in.message_count; ++taken) {
        const std::string words = answer_of(in.messages[taken]);
        if (words.empty() || send(to->socket, words)) continue;
        status = TENON_RETRY;
        break;
      }
    }
    if (taken != 0) {
      const tenon_rm_acknowledge_in has{sizeof has, 0, in.session, in.partition, in.first_number + taken - 1};
      rm_->acknowledge(host_, &has);
    }
    return status;
  }

  // The session is void: its RM registered again, was away too long, or the scheduler stops.
  void ended(tenon_rm_session session, uint32_t why) {
    const std::lock_guard lock(mutex_);
    connection *to = find(session);
    if (to == nullptr) return;
    send(to->socket, "ended\t" + std::to_string(why));
    to->session = 0;
    ::shutdown(to->socket, SHUT_RDWR);
  }

 private:
  struct connection {
    int socket = -1;
    bool over = false;             // its thread is about to end, and can be joined
    tenon_rm_session session = 0;  // 0: none has entered, or it has ended
    std::thread thread;
  };

  static bool send(int socket, std::string_view packet) {
    return ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
  }

  connection *find(tenon_rm_session session) {
    for (connection &one : connections_)
      if (session != 0 && one.session == session) return &one;
    return nullptr;
  }

  void end(std::list<connection>::iterator one) {
    one->thread.join();
    ::close(one->socket);
    const std::lock_guard lock(mutex_);
    connections_.erase(one);
  }

  void listen_for_rms() {
    for (;;) {
      const int socket = ::accept(listening_, nullptr, nullptr);
      if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (socket < 0) return;
      for (auto one = connections_.begin(); one != connections_.end();) {
        const auto next = std::next(one);
        if (is_over(*one)) end(one);
        one = next;
      }
      const std::lock_guard lock(mutex_);
      if (connections_.size() >= most_rms) {
        ::close(socket);
        continue;
      }
      connection &rm = connections_.emplace_back();
      rm.socket = socket;
      rm.thread = std::thread([this, &rm] { serve(rm); });
    }
  }

  bool is_over(const connection &one) {
    const std::lock_guard lock(mutex_);
    return one.over;
  }
  tenon_rm_session session_of(const connection &one) {
    const std::lock_guard lock(mutex_);
    return one.session;
  }

  void serve(connection &rm) {
    std::array<char, longest_packet> bytes{};
    bool goodbye = false;
    try {
      while (!goodbye) {
        const ssize_t got = ::recv(rm.socket, bytes.data(), bytes.size(), 0);
        if (got <= 0) break;
        const fields said = split({bytes.data(), static_cast<size_t>(got)});
        if (said.size() > most_fields) break;
        goodbye = session_of(rm) != 0 && said[0] == "bye";
        if (!goodbye && !hear(rm, said)) break;
      }
    } catch (const std::exception &) {  // what it said is none of the protocol: the connection ends
    }
    tenon_rm_session session = 0;
    bool lost = false;
    {
      const std::lock_guard lock(mutex_);
      session = std::exchange(rm.session, 0);
      lost = !stopping_;
      rm.over = true;
      ::shutdown(rm.socket, SHUT_RDWR);
    }
    if (session == 0 || (!goodbye && !lost)) return;
    const tenon_rm_signal_in what{sizeof what, goodbye ? TENON_RM_SHUTDOWN : TENON_RM_LOST, session};
    rm_->signal(host_, &what);
  }

  // False: the connection ends.
  bool hear(connection &from, const fields &said) {
    if (session_of(from) == 0) {
      if (said[0] != "enter" || said.size() != 2) return false;
      enter(from, said[1]);
      return true;
    }
    if (said[0] == "node" && said.size() >= 2) {
      const amounts_said amounts(said, 2);
      auto node = message_of<tenon_rm_node>(TENON_RM_NODE);
      node.action = TENON_NODE_CREATE;
      node.node = text(said[1]);
      node.schedulable = amounts.get();
      return submit(from, &node);
    }
    if (said[0] == "app" && said.size() >= 2) {
      auto app = message_of<tenon_rm_application>(TENON_RM_APPLICATION);
      app.partition = text("default");
      app.application = text(said[1]);
      if (said.size() > 2) app.queue = text(said[2]);
      return submit(from, &app);
    }
    if (said[0] == "ask" && said.size() >= 3) {
      const amounts_said amounts(said, 3);
      auto ask = message_of<tenon_rm_ask>(TENON_RM_ASK);
      ask.partition = text("default");
      ask.application = text(said[1]);
      ask.key = text(said[2]);
      ask.resources = amounts.get();
      ask.max_allocations = 1;
      return submit(from, &ask);
    }
    if (said[0] == "placed" && said.size() == 4) {
      auto one = message_of<tenon_rm_allocation>(TENON_RM_ALLOCATION);
      one.partition = text("default");
      one.application = text(said[1]);
      one.key = text(said[2]);
      one.node = text(said[3]);
      return submit(from, &one);
    }
    return false;
  }

  void enter(connection &to, std::string_view rm) {
    auto registration = message_of<tenon_rm_registration>(TENON_RM_REGISTRATION);
    registration.rm = text(rm);
    std::array<char, 512> words{};
    tenon_message error{sizeof error, words.size(), words.data(), 0};
    const tenon_rm_enter_in in{sizeof in, 0, transport_, &registration, 0, 0};
    tenon_rm_enter_out out{sizeof out, 0, 0, &error};
    const tenon_status status = rm_->enter(host_, &in, &out);
    const std::lock_guard lock(mutex_);
    if (status == TENON_OK) to.session = out.session;  // answers are taken from now on
    send(to.socket, status == TENON_OK ? "ok" : joined("no", {{words.data(), error.length}}));
  }

  // Again and again while the scheduler has no room for it: the RM's next packet waits meanwhile.
  bool submit(const connection &from, const void *message) {
    const auto *one = static_cast<const tenon_rm_message *>(message);
    const tenon_rm_submit_in in{sizeof in, 0, session_of(from), &one, 1};
    for (;;) {
      tenon_rm_submit_out out{sizeof out, 0, 0, nullptr};
      const tenon_status status = rm_->submit(host_, &in, &out);
      if (status != TENON_RETRY) return status == TENON_OK;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
    }
  }

  const std::string path_;
  const tenon_host *host_ = nullptr;
  const tenon_host_rm *rm_ = nullptr;
  uint64_t transport_ = 0;
  int listening_ = -1;
  std::thread thread_;
  std::mutex mutex_;  // of what follows; entries come and go on the thread that listens, and in stop
  std::list<connection> connections_;
  bool stopping_ = false;
};

}  // namespace

TENON_MODULE(transport<@struct@>)
