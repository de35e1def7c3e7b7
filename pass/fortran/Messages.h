// What flang says of inserted statements (Place.h), said of the directives instead.
#ifndef DVM_FORTRAN_MESSAGES_H
#define DVM_FORTRAN_MESSAGES_H
#include "clang/Basic/Diagnostic.h"
#include <functional>
#include <string>
#include <vector>

namespace dvmf {

// 'Said': as flang writes it, each message with its line.  'Read' gives the text of a file by the name that messages have.  Of what it says
// several times of one directive once is left.
std::string ofDirectives(const std::string &Said, const std::function<std::string(const std::string &)> &Read);

// Keeps what flang says while it looks at a text whose name is none of the user's.
class Listener : public clang::DiagnosticConsumer {
  std::vector<std::pair<clang::DiagnosticsEngine::Level, std::string>> Said;

public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &D) override;
  // With the file's own name.
  void tell(clang::DiagnosticsEngine &Diags, const std::string &Text, const std::string &Own) const;
};

} // namespace dvmf
#endif
