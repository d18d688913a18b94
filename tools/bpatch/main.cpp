#include "cli/program.hpp"

int main(int argc, char** argv) { return bdelta::cli::run_program(bdelta::cli::Program::kBpatch, argc, argv); }
