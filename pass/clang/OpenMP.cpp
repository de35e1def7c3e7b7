// A loop under '#pragma omp .. for' and '#pragma dvm parallel' at once: it is checked as it runs on one processor, so the OpenMP
// directive is passed over.
#include "OpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace dvm;

namespace {

// The preprocessor does not show its handlers; an explicit instantiation may name a private member.
template <typename Tag, typename Tag::Type Member> struct Shows {
  friend typename Tag::Type shown(Tag) { return Member; }
};
struct Handlers {
  using Type = std::unique_ptr<PragmaNamespace> Preprocessor::*;
  friend Type shown(Handlers);
};
template struct Shows<Handlers, &Preprocessor::PragmaHandlers>;

StringRef afterComments(StringRef S) {
  for (;;) {
    S = S.ltrim();
    if (S.starts_with("//"))
      S = S.substr(std::min(S.find('\n'), S.size()));
    else if (S.starts_with("/*"))
      S = S.substr(std::min(S.find("*/", 2), S.size() - 2) + 2);
    else
      return S;
  }
}

// The text of the pragma on the lines behind the one with 'L', or nothing.
StringRef pragmaBehind(const SourceManager &SM, SourceLocation L) {
  if (L.isInvalid() || L.isMacroID())
    return "";
  auto [File, Offset] = SM.getDecomposedLoc(L);
  StringRef Text = SM.getBufferData(File).substr(Offset);
  size_t End = Text.find('\n');
  while (End != StringRef::npos && (Text.substr(0, End).ends_with("\\") || Text.substr(0, End).ends_with("\\\r")))
    End = Text.find('\n', End + 1);
  Text = End == StringRef::npos ? "" : afterComments(Text.substr(End));
  if (Text.consume_front("_Pragma")) {
    Text = Text.ltrim(" \t(\"");
  } else {
    if (!Text.consume_front("#"))
      return "";
    Text = Text.ltrim(" \t");
    if (!Text.consume_front("pragma"))
      return "";
  }
  return Text.ltrim(" \t").take_until([](char C) { return C == '\n'; });
}

bool hasWord(StringRef Line, StringRef Word) {
  for (size_t At = Line.find(Word); At != StringRef::npos; At = Line.find(Word, At + 1)) {
    bool Begins = !At || !(llvm::isAlnum(Line[At - 1]) || Line[At - 1] == '_');
    size_t End = At + Word.size();
    if (Begins && (End == Line.size() || !(llvm::isAlnum(Line[End]) || Line[End] == '_')))
      return true;
  }
  return false;
}

bool isLoop(StringRef Pragma) {
  StringRef Clauses = Pragma;
  return Clauses.consume_front("omp") && (hasWord(Clauses, "for") || hasWord(Clauses, "simd") || hasWord(Clauses, "loop"));
}

class Passed : public PragmaHandler {
  PragmaHandler *Own;
  bool &Next; // a directive of ours stands before it

public:
  Passed(PragmaHandler *Own, bool &Next) : PragmaHandler("omp"), Own(Own), Next(Next) {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &First) override {
    StringRef Behind = pragmaBehind(PP.getSourceManager(), Introducer.Loc);
    const bool Ours = std::exchange(Next, false) || (Behind.consume_front("dvm") && hasWord(Behind, "parallel"));
    if (!Ours || PP.isPreprocessedOutput())
      return Own->HandlePragma(PP, Introducer, First);
    PP.DiscardUntilEndOfDirective();
  }
};

class Watch : public PPCallbacks {
  Preprocessor &PP;
  std::unique_ptr<Passed> Handler;
  bool Next = false;

public:
  explicit Watch(Preprocessor &PP) : PP(PP) {}

  // Before the handler is looked up; the parser has put in its own by then.
  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind) override {
    auto &All = PP.*shown(Handlers());
    if (!Handler && All)
      if (PragmaHandler *Own = All->FindHandler("omp")) {
        Handler = std::make_unique<Passed>(Own, Next);
        All->RemovePragmaHandler(Own);
        All->AddPragma(Handler.get());
      }
    StringRef Text = pragmaAt(Loc);
    if (Text.consume_front("dvm"))
      Next = hasWord(Text, "parallel") && isLoop(pragmaBehind(PP.getSourceManager(), Loc));
  }

private:
  StringRef pragmaAt(SourceLocation L) const {
    if (L.isInvalid() || L.isMacroID())
      return "";
    auto [File, Offset] = PP.getSourceManager().getDecomposedLoc(L);
    StringRef Text = PP.getSourceManager().getBufferData(File).substr(Offset).ltrim("# \t");
    Text.consume_front("pragma");
    return Text.ltrim(" \t").take_until([](char C) { return C == '\n'; });
  }
};

} // namespace

void dvm::passOverOpenMP(Preprocessor &PP) {
  if (PP.getLangOpts().OpenMP)
    PP.addPPCallbacks(std::make_unique<Watch>(PP));
}
