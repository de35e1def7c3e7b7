// The macro form of C-DVM.  Programs of 1999 define DVM(..) as nothing, so that any compiler reads them.  The argument of such an
// expansion is translated word by word into the one grammar there is; its tokens keep their places, so that whatever is said of them
// stands where the user wrote them.  Clauses are parted by semicolons, the items of their lists by commas or blanks.
#include "OldText.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace dvm;

namespace {

using Tokens = ArrayRef<Token>;

class Translation {
  Preprocessor &PP;
  State &St;
  SourceLocation End;   // behind the closing parenthesis
  Directive *D;
  SourceLocation Here;  // where words that the old form does not have are said to stand

  llvm::StringSet<> &AtOnce; // flags of copies that are over where they begin

public:
  Translation(Preprocessor &PP, State &St, SourceLocation End, Directive *D, llvm::StringSet<> &AtOnce)
      : PP(PP), St(St), End(End), D(D), AtOnce(AtOnce) {}
  // False: there is nothing to enter; what is wrong has been said.
  bool directive(Tokens In);
  bool Replaces = false; // the directive does what the statement behind it would do

private:
  // FOR(i, n) or DO(i, l, h, 1)
  struct Header {
    std::string Index;
    Tokens Low, High; // Low empty: from 0 to before High
  };
  std::string text(const Token &T) const { return PP.getSpelling(T); }
  bool is(const Token &T, StringRef Word) const { return T.isAnyIdentifier() && text(T) == Word; }
  void put(const Token &T) { addToken(*D, T, text(T)); }
  void all(Tokens In) {
    for (const Token &T : In)
      put(T);
  }
  void made(tok::TokenKind K, StringRef Spelling, SourceLocation L) {
    Token T;
    T.startToken();
    T.setKind(K);
    T.setLocation(L);
    T.setLength(Spelling.size());
    T.setFlag(Token::LeadingSpace);
    if (K == tok::identifier)
      T.setIdentifierInfo(PP.getIdentifierInfo(Spelling));
    if (K == tok::numeric_constant)
      PP.CreateString(Spelling, T, L, L); // its text is where the token is
    addToken(*D, T, Spelling);
  }
  void word(StringRef W, SourceLocation L) { made(tok::identifier, W, L); }
  void word(StringRef W) { word(W, Here); }
  void open() { made(tok::l_paren, "(", Here); }
  void close() { made(tok::r_paren, ")", Here); }
  void comma() { made(tok::comma, ",", Here); }
  void colon() { made(tok::colon, ":", Here); }

  bool refuse(const Token &At, const Twine &What) {
    St.warning(At.getLocation(), "'" + Twine(text(At)) + "' " + What + "");
    return false;
  }
  bool expected(SourceLocation L, const Twine &What) {
    St.error(L, "expected " + What + " in 'DVM(..)'");
    return false;
  }

  static size_t group(Tokens In, size_t From); // behind the bracket that closes the one at 'From'
  static size_t brackets(Tokens In, size_t From);
  SmallVector<Tokens, 8> parts(Tokens In) const;
  bool name(Tokens In, size_t &At);
  void distribution(Tokens In, bool Onto = false);
  bool indirect(Tokens In);
  bool map(Tokens In);
  bool data(Tokens In, bool Aligned);
  bool alignment(Tokens In, bool Named);
  bool edges(Tokens In);
  bool references(Tokens In);
  bool operations(Tokens In);
  bool grouped(StringRef Word, Tokens In, bool (Translation::*List)(Tokens));
  bool clause(Tokens In);
  bool clauses(ArrayRef<Tokens> All);
  bool parallel(Tokens In);
  bool redistribute(Tokens In);
  bool realign(Tokens In);
  bool step(StringRef Word, Tokens In);
  bool task(const Token &Word, StringRef As);
  bool copy(const Token &Word);
  bool copyStart(Tokens In);
  size_t headers(Tokens In, SmallVectorImpl<Header> &Out) const;
  bool copied(Tokens Section, ArrayRef<Header> Loops, bool Emit);
  Tokens bound(Tokens Subscript, ArrayRef<Header> Loops, const Header *&Of) const;
  SmallVector<Token, 8> createdSizes(StringRef Name) const;
  bool sizesOf(Tokens Distribution);
  bool create(Tokens In);
  bool parameter(const Token &Star);
  SmallVector<Token, 32> ahead(tok::TokenKind Until, bool InParameters, size_t Limit = 4096) const;
};

} // namespace

// ---- Pieces ------------------------------------------------------------------------------------------------------------

size_t Translation::group(Tokens In, size_t From) {
  int Depth = 0;
  for (size_t I = From; I < In.size(); ++I) {
    Depth += In[I].isOneOf(tok::l_paren, tok::l_square, tok::l_brace) - In[I].isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
    if (!Depth)
      return I + 1;
  }
  return In.size();
}

// Behind all bracket groups from there on.
size_t Translation::brackets(Tokens In, size_t From) {
  while (From < In.size() && In[From].is(tok::l_square))
    From = group(In, From);
  return From;
}

SmallVector<Tokens, 8> Translation::parts(Tokens In) const {
  SmallVector<Tokens, 8> Out;
  int Depth = 0;
  size_t From = 0;
  for (size_t I = 0; I < In.size(); ++I) {
    Depth += In[I].isOneOf(tok::l_paren, tok::l_square, tok::l_brace) - In[I].isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
    if (Depth || In[I].isNot(tok::semi))
      continue;
    Out.push_back(In.slice(From, I - From));
    From = I + 1;
  }
  Out.push_back(In.drop_front(From));
  return Out;
}

// A name, or one in parentheses, as 'A' of '(A)[1:1]'.
bool Translation::name(Tokens In, size_t &At) {
  bool Inside = At < In.size() && In[At].is(tok::l_paren);
  At += Inside;
  if (At >= In.size() || !In[At].isAnyIdentifier())
    return expected(At < In.size() ? In[At].getLocation() : End, "a name");
  put(In[At++]);
  if (Inside && (At >= In.size() || In[At++].isNot(tok::r_paren)))
    return expected(End, "')'");
  return true;
}

// '[BLOCK][GENBLOCK(b)] ONTO p': how many processors there are changes no verdict; 'Onto': whose they are does, 't[k]' of a task.
void Translation::distribution(Tokens In, bool Onto) {
  for (const Token &T : In) {
    if (is(T, "ONTO")) {
      if (Onto) {
        word("onto", T.getLocation());
        continue;
      }
      return;
    }
    StringRef Low = llvm::StringSwitch<StringRef>(T.isAnyIdentifier() ? text(T) : "")
                        .Case("BLOCK", "block")
                        .Case("GENBLOCK", "genblock")
                        .Case("WGTBLOCK", "wgtblock")
                        .Case("MULTBLOCK", "multblock")
                        .Default("");
    if (Low.empty())
      put(T);
    else
      word(Low, T.getLocation());
  }
}

// '[i][j] WITH T[i][j]'; 'Named': an array stands before it.
bool Translation::alignment(Tokens In, bool Named) {
  size_t At = 0;
  if (Named && !name(In, At))
    return false;
  size_t With = brackets(In, At);
  all(In.slice(At, With - At));
  if (With >= In.size() || !is(In[With], "WITH"))
    return expected(With < In.size() ? In[With].getLocation() : End, "'WITH'");
  word("with", In[With].getLocation());
  At = With + 1;
  if (!name(In, At))
    return false;
  size_t Rest = brackets(In, At);
  all(In.slice(At, Rest - At));
  return Rest == In.size() || (Rest + 1 == In.size() && is(In[Rest], "NEW")) ||
         expected(In[Rest].getLocation(), "the end of the directive");
}

bool Translation::data(Tokens In, bool Aligned) {
  SmallVector<Tokens, 8> Parts = parts(In);
  Tokens First = Parts[0].drop_front(), Sizes, Edges;
  SourceLocation ShadowAt, TemplateAt;
  for (Tokens P : ArrayRef(Parts).drop_front()) {
    if (P.empty())
      continue;
    if (is(P[0], "TEMPLATE"))
      Sizes = P.drop_front(), TemplateAt = P[0].getLocation();
    else if (is(P[0], "SHADOW"))
      Edges = P.drop_front(), ShadowAt = P[0].getLocation();
    else
      return expected(P[0].getLocation(), "'SHADOW' or 'TEMPLATE'");
  }
  word(TemplateAt.isValid() ? "template" : "array");
  all(Sizes);
  if (TemplateAt.isValid() && Sizes.empty() && !sizesOf(First))
    return false;
  if (!First.empty() && !is(First[0], "ONTO")) {
    word(Aligned ? "align" : "distribute");
    if (Aligned) {
      open();
      if (!alignment(First, false))
        return false;
      close();
    } else {
      distribution(First);
    }
  }
  if (ShadowAt.isValid()) {
    word("shadow", ShadowAt);
    all(Edges);
  }
  return true;
}

// 'A[1:1][] CORNER, B C'
bool Translation::edges(Tokens In) {
  for (size_t At = 0, First = 1; At < In.size(); First = 0) {
    if (!First) {
      comma();
      At += In[At].is(tok::comma);
    }
    if (!name(In, At))
      return false;
    size_t Rest = brackets(In, At);
    all(In.slice(At, Rest - At));
    At = Rest;
    if (At < In.size() && In[At].is(tok::l_paren))
      At = group(In, At); // how many dimensions corners have: the edge holds them all
    if (At < In.size() && is(In[At], "CORNER")) {
      open();
      word("corner", In[At++].getLocation());
      close();
    }
  }
  return true;
}

bool Translation::references(Tokens In) {
  for (size_t At = 0, First = 1; At < In.size(); First = 0) {
    if (!First) {
      comma();
      At += In[At].is(tok::comma);
    }
    if (!name(In, At))
      return false;
    size_t Rest = brackets(In, At);
    all(In.slice(At, Rest - At));
    At = Rest;
  }
  return true;
}

// 'A[B[i]]': which elements those are is told by data, so all of the dimension is brought.
bool Translation::indirect(Tokens In) {
  for (size_t At = 0, First = 1; At < In.size(); First = 0) {
    if (!First) {
      comma();
      At += In[At].is(tok::comma);
    }
    if (!name(In, At))
      return false;
    for (; At < In.size() && In[At].is(tok::l_square); At = group(In, At)) {
      made(tok::l_square, "[", Here);
      made(tok::r_square, "]", Here);
    }
  }
  return true;
}

bool Translation::operations(Tokens In) {
  for (size_t At = 0, First = 1; At < In.size(); First = 0) {
    if (!First) {
      comma();
      At += In[At].is(tok::comma);
    }
    StringRef Op = At < In.size() && In[At].isAnyIdentifier() ? llvm::StringSwitch<StringRef>(text(In[At]))
                                                                    .Case("SUM", "sum")
                                                                    .Case("PRODUCT", "product")
                                                                    .Case("MAX", "max")
                                                                    .Case("MIN", "min")
                                                                    .Case("AND", "and")
                                                                    .Case("OR", "or")
                                                                    .Case("XOR", "xor")
                                                                    .Case("MAXLOC", "maxloc")
                                                                    .Case("MINLOC", "minloc")
                                                                    .Default("")
                                                              : "";
    if (Op.empty() || At + 1 >= In.size() || In[At + 1].isNot(tok::l_paren))
      return expected(At < In.size() ? In[At].getLocation() : End, "an operation (SUM, PRODUCT, MAX, MIN, AND, OR, MAXLOC, MINLOC)");
    word(Op, In[At].getLocation());
    size_t Rest = group(In, At + 1);
    all(In.slice(At + 1, Rest - At - 1));
    At = Rest;
  }
  return true;
}

// 'WORD group: list' or 'WORD list'
bool Translation::grouped(StringRef Word, Tokens In, bool (Translation::*List)(Tokens)) {
  Here = In[0].getLocation();
  In = In.drop_front();
  word(Word);
  open();
  if (In.size() > 1 && In[0].isAnyIdentifier() && In[1].is(tok::colon)) {
    put(In[0]);
    colon();
    In = In.drop_front(2);
  }
  if (In.empty())
    return expected(End, "a list");
  if (!(this->*List)(In))
    return false;
  close();
  return true;
}

// ---- Clauses -----------------------------------------------------------------------------------------------------------

bool Translation::clause(Tokens In) {
  if (In.empty())
    return true;
  const Token &W = In[0];
  Here = W.getLocation();
  if (is(W, "REDUCTION"))
    return grouped("reduction", In, &Translation::operations);
  if (is(W, "SHADOW_RENEW"))
    return grouped("shadow_renew", In, &Translation::edges);
  if (is(W, "REMOTE_ACCESS"))
    return grouped("remote_access", In, &Translation::references);
  if (is(W, "INDIRECT_ACCESS"))
    return grouped("remote_access", In, &Translation::indirect);
  if (is(W, "PRIVATE"))
    return grouped("private", In, &Translation::references);
  if (is(W, "SHADOW_START") || is(W, "SHADOW_WAIT"))
    return step(is(W, "SHADOW_START") ? "shadow_start" : "shadow_wait", In);
  if (is(W, "ACROSS")) {
    Tokens Rest = In.drop_front();
    bool Out = !Rest.empty() && is(Rest[0], "OUT");
    if (!Rest.empty() && (Out || is(Rest[0], "IN")))
      Rest = Rest.drop_front(Rest.size() > 1 && Rest[1].is(tok::colon) ? 2 : 1);
    word("across");
    open();
    if (Out) {
      word("out");
      colon();
    }
    if (Rest.empty() || !edges(Rest))
      return Rest.empty() ? expected(End, "an array") : false;
    close();
    return true;
  }
  if (is(W, "PIPE") || is(W, "STAGE"))
    return true; // speed alone
  refuse(W, "is no clause that is honoured here; it has no effect");
  return true;
}

bool Translation::clauses(ArrayRef<Tokens> All) {
  for (Tokens P : All)
    if (!clause(P))
      return false;
  return true;
}

bool Translation::parallel(Tokens In) {
  SmallVector<Tokens, 8> Parts = parts(In);
  Tokens Head = Parts[0].drop_front();
  word("parallel");
  open();
  size_t On = brackets(Head, 0);
  all(Head.slice(0, On));
  if (On < Head.size()) {
    if (!is(Head[On], "ON"))
      return expected(Head[On].getLocation(), "'ON'");
    word("on", Head[On].getLocation());
    size_t At = On + 1;
    if (!name(Head, At))
      return false;
    all(Head.drop_front(At));
  }
  close();
  return clauses(ArrayRef(Parts).drop_front());
}

// ---- Directives --------------------------------------------------------------------------------------------------------

bool Translation::redistribute(Tokens In) {
  bool New = !In.empty() && is(In.back(), "NEW");
  Tokens Rest = In.drop_front().drop_back(New);
  size_t At = 0;
  word("redistribute");
  open();
  if (!name(Rest, At))
    return false;
  distribution(Rest.drop_front(At), true);
  close();
  if (New)
    word("new_value", In.back().getLocation());
  return true;
}

bool Translation::realign(Tokens In) {
  bool New = is(In.back(), "NEW");
  word("realign");
  open();
  if (!alignment(In.drop_front().drop_back(New), true))
    return false;
  close();
  if (New)
    word("new_value", In.back().getLocation());
  return true;
}

bool Translation::step(StringRef Word, Tokens In) {
  size_t At = 1;
  word(Word, In[0].getLocation());
  open();
  if (!name(In, At))
    return false;
  close();
  return true;
}

// What stands behind the expansion, without the preprocessor.
SmallVector<Token, 32> Translation::ahead(tok::TokenKind Until, bool InParameters, size_t Limit) const {
  const SourceManager &SM = PP.getSourceManager();
  SmallVector<Token, 32> Out;
  if (End.isInvalid() || End.isMacroID())
    return Out;
  auto [File, Offset] = SM.getDecomposedLoc(End);
  bool Invalid = false;
  StringRef Text = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return Out;
  Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(), Text.begin() + Offset, Text.end());
  int Depth = 0;
  for (Token T; Out.size() < Limit;) {
    Raw.LexFromRawLexer(T);
    if (T.is(tok::eof) || (!Depth && (T.is(Until) || (InParameters && T.isOneOf(tok::r_paren, tok::semi)))))
      break;
    Depth += T.isOneOf(tok::l_paren, tok::l_square) - T.isOneOf(tok::r_paren, tok::r_square);
    if (T.is(tok::raw_identifier))
      PP.LookUpIdentifierInfo(T);
    T.clearFlag(Token::StartOfLine);
    Out.push_back(T);
  }
  return Out;
}

// MAP t[k] ONTO P[l:h]
bool Translation::map(Tokens In) {
  size_t At = 1;
  word("map");
  open();
  if (!name(In, At))
    return false;
  size_t Rest = brackets(In, At);
  all(In.slice(At, Rest - At));
  if (Rest >= In.size() || !is(In[Rest], "ONTO"))
    return expected(Rest < In.size() ? In[Rest].getLocation() : End, "'ONTO'");
  word("onto", In[Rest].getLocation());
  At = Rest + 1;
  if (!name(In, At))
    return false;
  all(In.drop_front(At));
  close();
  return true;
}

// DVM(TASK) void *jobs[4];  DVM(PROCESSORS) void *P[4];
bool Translation::task(const Token &Word, StringRef As) {
  SmallVector<Token, 32> Next = ahead(tok::semi, false);
  for (size_t I = 0; I + 1 < Next.size(); ++I)
    if (Next[I].is(tok::identifier) && Next[I + 1].is(tok::l_square)) {
      word(As);
      put(Next[I]);
      all(Tokens(Next).slice(I + 1, brackets(Next, I + 1) - I - 1));
      return true;
    }
  return expected(Word.getLocation(), "'void *name[number];' behind '" + text(Word) + "'");
}

// DVM(COPY) FOR(i, N) B[i] = A[i];   The sections are in the loops; what is read goes to wherever it is written.
bool Translation::copy(const Token &Word) {
  SmallVector<Token, 32> Next = ahead(tok::semi, false);
  for (size_t I = 0; I + 2 < Next.size(); ++I) {
    if (Next[I].isNot(tok::equal) || Next[I + 1].isNot(tok::identifier) || Next[I + 2].isNot(tok::l_square))
      continue;
    word("remote_access");
    open();
    put(Next[I + 1]);
    for (size_t At = I + 2; At < Next.size() && Next[At].is(tok::l_square); At = group(Next, At)) {
      made(tok::l_square, "[", Here);
      made(tok::r_square, "]", Here);
    }
    close();
    return true;
  }
  return refuse(Word, "is honoured before loops around 'B[..] = A[..];' alone; it has no effect here");
}

size_t Translation::headers(Tokens In, SmallVectorImpl<Header> &Out) const {
  size_t At = 0;
  while (At + 1 < In.size() && (is(In[At], "FOR") || is(In[At], "DO")) && In[At + 1].is(tok::l_paren)) {
    const size_t Behind = group(In, At + 1);
    SmallVector<Tokens, 4> Args;
    int Depth = 0;
    size_t From = At + 2;
    for (size_t I = From; I < Behind; ++I) {
      Depth += In[I].isOneOf(tok::l_paren, tok::l_square) - In[I].isOneOf(tok::r_paren, tok::r_square);
      if (I + 1 < Behind && (Depth || In[I].isNot(tok::comma)))
        continue;
      Args.push_back(In.slice(From, I - From));
      From = I + 1;
    }
    const bool Whole = is(In[At], "FOR");
    if (Args.size() != (Whole ? 2u : 4u) || Args[0].size() != 1 || Args[1].empty() || Args[Whole ? 1 : 2].empty() ||
        (!Whole && (Args[3].size() != 1 || text(Args[3][0]) != "1")))
      return 0;
    Out.push_back({text(Args[0][0]), Whole ? Tokens() : Args[1], Args[Whole ? 1 : 2]});
    At = Behind;
  }
  return At;
}

// The loop whose index moves the subscript, null: none; what stands behind the index.
Tokens Translation::bound(Tokens Subscript, ArrayRef<Header> Loops, const Header *&Of) const {
  Of = nullptr;
  for (const Header &H : Loops)
    if (!Subscript.empty() && is(Subscript[0], H.Index))
      Of = &H;
  return Of ? Subscript.drop_front() : Subscript;
}

// 'B[i + 1][0]': B[(l) + 1 : (h) + 1][0].  False: it is none of that.
bool Translation::copied(Tokens Section, ArrayRef<Header> Loops, bool Emit) {
  size_t Next = 0;
  if (Emit)
    put(Section[0]);
  for (size_t At = 1; At < Section.size();) {
    const size_t Behind = group(Section, At);
    const Header *H = nullptr;
    Tokens Rest = bound(Section.slice(At + 1, Behind - At - 2), Loops, H);
    if ((H && (Next >= Loops.size() || H != &Loops[Next] || (!Rest.empty() && !Rest[0].isOneOf(tok::plus, tok::minus)))) ||
        llvm::any_of(Rest, [&](const Token &T) { return llvm::any_of(Loops, [&](const Header &L) { return is(T, L.Index); }); }))
      return false;
    Next += H != nullptr;
    if (Emit) {
      put(Section[At]);
      for (int High = 0; H && High < 2; ++High) {
        open();
        High || !H->Low.empty() ? all(High ? H->High : H->Low) : made(tok::numeric_constant, "0", Here);
        if (High && H->Low.empty()) {
          made(tok::minus, "-", Here);
          made(tok::numeric_constant, "1", Here);
        }
        close();
        if (!High) {
          all(Rest);
          colon();
        }
      }
      all(Rest);
      put(Section[Behind - 1]);
    }
    At = Behind;
  }
  return Next == Loops.size();
}

// DVM(COPY_START f) FOR(i, N) B[i] = A[i];   An 'array_copy' with a name, in place of the loops.
bool Translation::copyStart(Tokens In) {
  SmallVector<Token, 32> Next = ahead(tok::semi, false);
  SmallVector<Header, 4> Loops;
  const size_t At = headers(Next, Loops);
  Tokens Body = Tokens(Next).drop_front(At);
  const size_t Equal = Body.empty() ? 0 : brackets(Body, 1);
  const bool Named = In.size() == 2 && In[1].isAnyIdentifier();
  if (Named && !Loops.empty() && Equal + 2 < Body.size() && Body[Equal].is(tok::equal) && Body[0].isAnyIdentifier() &&
      Body[Equal + 1].isAnyIdentifier()) {
    Tokens To = Body.slice(0, Equal), From = Body.drop_front(Equal + 1);
    if (brackets(From, 1) == From.size() && From.size() > 1 && copied(To, Loops, false) && copied(From, Loops, false) && !St.Opts.Trace) {
      word("array_copy");
      open();
      put(In[1]);
      colon();
      copied(To, Loops, true);
      put(Body[Equal]);
      copied(From, Loops, true);
      close();
      return Replaces = true;
    }
  }
  if (In.size() > 1)
    AtOnce.insert(text(In[1]));
  return copy(In[0]);
}

// ---- Templates that are created later ------------------------------------------------------------------------------------

// The sizes that a CREATE_TEMPLATE further below gives it, if they are said by numbers and macros alone.
SmallVector<Token, 8> Translation::createdSizes(StringRef Name) const {
  SmallVector<Token, 32> Rest = ahead(tok::eof, false, ~size_t(0));
  for (size_t I = 2; I + 2 < Rest.size(); ++I) {
    if (!is(Rest[I], "CREATE_TEMPLATE") || !is(Rest[I + 1], Name) || Rest[I - 1].isNot(tok::l_paren))
      continue;
    Tokens Sizes = Tokens(Rest).slice(I + 2, brackets(Rest, I + 2) - I - 2);
    if (llvm::all_of(Sizes, [&](const Token &T) { return !T.isAnyIdentifier() || PP.isMacroDefined(T.getIdentifierInfo()); }))
      return SmallVector<Token, 8>(Sizes);
  }
  return {};
}

// DVM(DISTRIBUTE [BLOCK][]; TEMPLATE) void *T;   Where nobody tells how large it will be, it is larger than any array.
bool Translation::sizesOf(Tokens Distribution) {
  SmallVector<Token, 32> Next = ahead(tok::semi, false);
  const SmallVector<Token, 8> Sizes = Next.empty() ? SmallVector<Token, 8>() : createdSizes(text(Next.back()));
  all(Sizes);
  if (Sizes.empty())
    for (const Token &T : Distribution)
      if (T.is(tok::l_square)) {
        made(tok::l_square, "[", Here);
        made(tok::numeric_constant, "1073741824", Here);
        made(tok::r_square, "]", Here);
      }
  return true;
}

// DVM(CREATE_TEMPLATE T[n]);   The declaration has taken the sizes already, if it could.
bool Translation::create(Tokens In) {
  size_t At = 1;
  if (At >= In.size() || !In[At].isAnyIdentifier() || brackets(In, At + 1) != In.size())
    return expected(At < In.size() ? In[At].getLocation() : End, "the name of a template and its sizes");
  for (const Token &T : In.drop_front(2))
    if (T.isAnyIdentifier() && !PP.isMacroDefined(T.getIdentifierInfo()))
      return refuse(In[0], "has sizes that are not known where '" + text(In[1]) + "' is declared: what leaves it is not seen");
  return false;
}

// f(DVM(* DISTRIBUTE [BLOCK]) float *A)
bool Translation::parameter(const Token &Star) {
  SmallVector<Token, 32> Next = ahead(tok::comma, true);
  int Depth = 0;
  const Token *Name = nullptr;
  for (const Token &T : Next) {
    Depth += T.is(tok::l_square) - T.is(tok::r_square);
    if (!Depth && T.is(tok::identifier))
      Name = &T;
  }
  if (!Name)
    return refuse(Star, "is honoured before parameters with a name; it has no effect here");
  word("inherit");
  open();
  put(*Name);
  close();
  return true;
}

enum class Form {
  Unknown,
  Parameter,
  Distribute,
  Align,
  Parallel,
  Remote,
  Region,
  On,
  Redistribute,
  Realign,
  Group,
  Step,
  Task,
  Map,
  Remotes,
  Copy,
  CopyStart,
  CopyWait,
  Create,
  Nothing,
  Not
};

static Form formOf(const Token &W, StringRef Name) {
  return W.is(tok::star) ? Form::Parameter
                         : llvm::StringSwitch<Form>(Name)
                               .Case("DISTRIBUTE", Form::Distribute)
                               .Case("ALIGN", Form::Align)
                               .Case("PARALLEL", Form::Parallel)
                               .Case("REMOTE_ACCESS", Form::Remote)
                               .Case("TASK_REGION", Form::Region)
                               .Case("ON", Form::On)
                               .Case("REDISTRIBUTE", Form::Redistribute)
                               .Case("REALIGN", Form::Realign)
                               .Case("CREATE_SHADOW_GROUP", Form::Group)
                               .Cases("SHADOW_START", "SHADOW_WAIT", "REDUCTION_START", "REDUCTION_WAIT", Form::Step)
                               .Cases("TASK", "PROCESSORS", Form::Task)
                               .Cases("PREFETCH", "RESET", Form::Remotes)
                               .Case("MAP", Form::Map)
                               .Case("COPY", Form::Copy)
                               .Case("COPY_START", Form::CopyStart)
                               .Case("COPY_WAIT", Form::CopyWait)
                               .Case("CREATE_TEMPLATE", Form::Create)
                               .Cases("SHADOW_GROUP", "REDUCTION_GROUP", "REMOTE_GROUP", "INDIRECT_GROUP", "COPY_FLAG", Form::Nothing)
                               .Cases("INTERVAL", "END_INTERVAL", "BARRIER", "DEBUG", "ENDDEBUG", Form::Nothing)
                               .Case("INDIRECT_ACCESS", Form::Not)
                               .Default(Form::Unknown);
}

bool Translation::directive(Tokens In) {
  const Token &W = In[0];
  Here = W.getLocation();
  const Form F = formOf(W, W.isAnyIdentifier() ? text(W) : "");
  Tokens Rest = In.drop_front();
  switch (F) {
  case Form::Parameter: return parameter(W);
  case Form::Distribute: return data(In, false);
  case Form::Align: return data(In, true);
  case Form::Parallel: return parallel(In);
  case Form::Remote: return grouped("remote_access", In, &Translation::references);
  case Form::Region: {
    SmallVector<Tokens, 8> Parts = parts(In);
    return step("task_region", Parts[0]) && clauses(ArrayRef(Parts).drop_front());
  }
  case Form::On: {
    size_t At = 0;
    word("on");
    open();
    if (!name(Rest, At))
      return false;
    all(Rest.drop_front(At));
    close();
    return true;
  }
  case Form::Redistribute: return redistribute(In);
  case Form::Realign: return realign(In);
  case Form::Group: return grouped("shadow_group", In, &Translation::edges);
  case Form::Step: return step(StringRef(text(W)).lower(), In);
  case Form::Task: return task(W, is(W, "TASK") ? "task" : "processors");
  case Form::Map: return map(In);
  case Form::Remotes: return step(is(W, "PREFETCH") ? "remote_start" : "remote_reset", In);
  case Form::Copy: return copy(W);
  case Form::CopyStart: return copyStart(In);
  case Form::CopyWait: return In.size() > 1 && !AtOnce.contains(text(In[1])) && step("copy_wait", In);
  case Form::Create: return create(In);
  case Form::Nothing: return false; // changes nothing of what is right
  case Form::Not: return refuse(W, "is a directive of C-DVM that is not honoured; it has no effect");
  case Form::Unknown: return refuse(W, "is no directive of C-DVM; it has no effect");
  }
  return false;
}

// ---- Expansions --------------------------------------------------------------------------------------------------------

namespace {
class OldText : public PPCallbacks {
  Preprocessor &PP;
  llvm::StringSet<> AtOnce;

  // while (0)   before the statement that comes
  void skipStatement(SourceLocation L) {
    auto Copy = std::make_unique<Token[]>(4);
    const tok::TokenKind Kinds[] = {tok::kw_while, tok::l_paren, tok::numeric_constant, tok::r_paren};
    const char *const Texts[] = {"while", "(", "0", ")"};
    for (int I = 0; I < 4; ++I) {
      Copy[I].startToken();
      Copy[I].setKind(Kinds[I]);
      PP.CreateString(Texts[I], Copy[I], L, L);
    }
    Copy[0].setIdentifierInfo(PP.getIdentifierInfo("while"));
    PP.EnterTokenStream(std::move(Copy), 4, true, false);
  }

public:
  explicit OldText(Preprocessor &PP) : PP(PP) {}
  void MacroExpands(const Token &Name, const MacroDefinition &Def, SourceRange Range, const MacroArgs *Args) override {
    const MacroInfo *MI = Def.getMacroInfo();
    State *St = currentState();
    if (!St || !MI || !Args || !MI->isFunctionLike() || MI->getNumTokens() || !MI->getNumParams() || !Name.getIdentifierInfo() ||
        Name.getIdentifierInfo()->getName() != "DVM" || Name.getLocation().isMacroID())
      return;
    SmallVector<Token, 64> In;
    for (const Token *T = Args->getUnexpArgument(0); T->isNot(tok::eof); ++T)
      In.push_back(*T);
    if (In.empty())
      return;
    SourceLocation End = Lexer::getLocForEndOfToken(Range.getEnd(), 0, PP.getSourceManager(), PP.getLangOpts());
    auto D = std::make_unique<Directive>();
    D->OldText = true;
    D->Start = In[0].getLocation();
    Translation T(PP, *St, End, D.get(), AtOnce);
    if (!T.directive(In))
      return;
    if (T.Replaces)
      skipStatement(End); // comes behind what is entered next
    answerDirective(PP, *St, std::move(D), End);
  }
};
} // namespace

void dvm::readOldText(Preprocessor &PP) { PP.addPPCallbacks(std::make_unique<OldText>(PP)); }
