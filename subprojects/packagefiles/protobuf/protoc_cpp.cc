// protoc with the C++ generator alone: all that profkit's tests and benchmarks generate.
#include <google/protobuf/compiler/command_line_interface.h>
#include <google/protobuf/compiler/cpp/generator.h>

int main(int argc, char *argv[]) {
  google::protobuf::compiler::cpp::CppGenerator cpp_generator;
  google::protobuf::compiler::CommandLineInterface command_line;
  command_line.RegisterGenerator("--cpp_out", "--cpp_opt", &cpp_generator, "Generate C++ header and source.");
  return command_line.Run(argc, argv);
}
