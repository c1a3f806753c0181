// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "reflection.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <mutex>
#include <set>
#include <utility>

#include "standard_files.hpp"
#include "tenon/v1/standard.pb.h"

namespace tenon::grpc_transport {
namespace {

namespace pb = google::protobuf;

const pb::DescriptorPool &pool() { return *pb::DescriptorPool::generated_pool(); }

// What the process has, else what the standard says of its own services.
template <class Found>
const Found *find(const Found *(pb::DescriptorPool::*how)(const std::string &) const, const std::string &name) {
  const Found *out = (pool().*how)(name);
  return out == nullptr ? (standard_files().*how)(name) : out;
}
const pb::Descriptor *type_named(const std::string &name) {
  return find(&pb::DescriptorPool::FindMessageTypeByName, name);
}

void add_with_imports(const pb::FileDescriptor &file, std::set<const pb::FileDescriptor *> &seen,
                      v1::ReflectedFiles &to) {
  if (!seen.insert(&file).second) return;
  pb::FileDescriptorProto described;
  file.CopyTo(&described);
  to.add_file_descriptor_proto(described.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) add_with_imports(*file.dependency(i), seen, to);
}

void answer_file(const pb::FileDescriptor *found, const std::string &wanted, v1::ServerReflectionResponse &to) {
  if (found == nullptr) {
    to.mutable_error_response()->set_error_code(static_cast<int>(status_code::not_found));
    to.mutable_error_response()->set_error_message("want what this server describes, have \"" + wanted + "\"");
    return;
  }
  std::set<const pb::FileDescriptor *> seen;
  add_with_imports(*found, seen, *to.mutable_file_descriptor_response());
}

const pb::FileDescriptor *file_of(const v1::ReflectedExtension &wanted) {
  const pb::Descriptor *type = type_named(wanted.containing_type());
  const pb::FieldDescriptor *found =
      type == nullptr ? nullptr : pool().FindExtensionByNumber(type, wanted.extension_number());
  return found == nullptr ? nullptr : found->file();
}

void answer_extensions(const std::string &type_name, v1::ServerReflectionResponse &to) {
  const pb::Descriptor *type = type_named(type_name);
  if (type == nullptr) return answer_file(nullptr, type_name, to);
  std::vector<const pb::FieldDescriptor *> found;
  pool().FindAllExtensions(type, &found);
  auto &numbers = *to.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(type_name);
  for (const pb::FieldDescriptor *each : found) numbers.add_extension_number(each->number());
}

v1::ServerReflectionResponse answer(const v1::ServerReflectionRequest &to, const std::vector<std::string> &names) {
  v1::ServerReflectionResponse out;
  out.set_valid_host(to.host());
  *out.mutable_original_request() = to;
  switch (to.message_request_case()) {
    case v1::ServerReflectionRequest::kFileByFilename:
      answer_file(find(&pb::DescriptorPool::FindFileByName, to.file_by_filename()), to.file_by_filename(), out);
      break;
    case v1::ServerReflectionRequest::kFileContainingSymbol:
      answer_file(find(&pb::DescriptorPool::FindFileContainingSymbol, to.file_containing_symbol()),
                  to.file_containing_symbol(), out);
      break;
    case v1::ServerReflectionRequest::kFileContainingExtension:
      answer_file(file_of(to.file_containing_extension()), to.file_containing_extension().containing_type(), out);
      break;
    case v1::ServerReflectionRequest::kAllExtensionNumbersOfType:
      answer_extensions(to.all_extension_numbers_of_type(), out);
      break;
    case v1::ServerReflectionRequest::kListServices:
      for (const std::string &name : names) out.mutable_list_services_response()->add_service()->set_name(name);
      break;
    case v1::ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      out.mutable_error_response()->set_error_code(static_cast<int>(status_code::invalid_argument));
      out.mutable_error_response()->set_error_message("want a question, have none of those that are known");
  }
  return out;
}

}  // namespace

// Questions and answers, one after the other.
class reflection::conversation final : public call {
 public:
  conversation(reflection &of, std::unique_ptr<incoming> opened) : call(std::move(opened)), of_(of) {}

  void begin() {
    const std::lock_guard lock(of_.mutex_);
    of_.conversations_.insert(this);
    next();
  }

  // The lock is held.
  void end_if_idle() {
    if (!answering_) end({status_code::unavailable, "the scheduler shuts down"});
  }

 private:
  void on_read(bool ok) override {
    const std::lock_guard lock(of_.mutex_);
    if (finished_) return;
    if (!ok) return end(rpc_status{});
    v1::ServerReflectionRequest request;
    if (!request.ParseFromString(request_)) {
      return end({status_code::invalid_argument, "want a ServerReflectionRequest, have bytes that are none"});
    }
    answering_ = true;
    write(answer(request, of_.names_).SerializeAsString());
  }
  void on_written(bool ok) override {
    const std::lock_guard lock(of_.mutex_);
    answering_ = false;
    if (!ok) return end({status_code::cancelled, "the connection is gone"});
    next();
  }
  void on_cancel() override {}  // what is under way ends with it
  void on_done() override {
    {
      const std::lock_guard lock(of_.mutex_);
      of_.conversations_.erase(this);
    }
    delete this;
  }

  void next() {
    if (!of_.serving_) return end_if_idle();
    read(&request_);
  }
  void end(const rpc_status &how) {
    if (std::exchange(finished_, true)) return;
    finish(how);
  }

  reflection &of_;
  std::string request_;
  bool answering_ = false;
  bool finished_ = false;
};

reflection::reflection(std::vector<std::string> names) : names_(std::move(names)) {
  for (const char *version : {"v1", "v1alpha"}) {
    methods_.add("/grpc.reflection." + std::string(version) + ".ServerReflection/ServerReflectionInfo", question,
                 [this](std::unique_ptr<incoming> opened) {
                   // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): see on_done
                   auto *const made = new conversation(*this, std::move(opened));
                   made->begin();
                 });
  }
}

void reflection::stop_serving() {
  const std::lock_guard lock(mutex_);
  serving_ = false;
  for (conversation *each : conversations_) each->end_if_idle();
}

}  // namespace tenon::grpc_transport
