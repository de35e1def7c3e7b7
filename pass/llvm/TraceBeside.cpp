// Recording: functions of the library that write where no argument points: the end of a token, the buffers of a vector.
#include "Recorder.h"
#include "TraceCalls.h"
#include "pass/markers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace dvmir;

namespace {
enum Beside { None, Token, Vector, Message };
}

static Beside besideOf(StringRef Name) {
  return StringSwitch<Beside>(Name)
      .Cases("strtok", "strtok_r", "__strtok_r", "strsep", Token)
      .Cases("readv", "preadv", "preadv64", "preadv2", "preadv64v2", Vector)
      .Case("recvmsg", Message)
      .Default(None);
}

// The call that the mark stands before.
static CallInst *callBehind(CallInst *Mark, StringRef Name) {
  for (Instruction *I = Mark->getNextNode(); I; I = I->getNextNode()) {
    auto *Call = dyn_cast<CallInst>(I);
    const Function *Callee = Call && markerName(Call).empty() ? calledFunction(Call) : nullptr;
    if (Callee && Callee->getName() == Name)
      return Call;
  }
  return nullptr;
}

GlobalVariable *Recorder::besideSite(StringRef Text, StringRef Name, bool Words) {
  std::string Own = "K given";
  for (char Key : {DVMRT_ANY_FILE, DVMRT_ANY_PLACE})
    Own += std::string("\n") + Key + " " + siteLine(Text, Key).str();
  Own += ("\nT *" + Name + "()\nV " + Name + "()\nS " + (Words ? "8\ny w8" : "1\ny i1")).str();
  Constant *Data = ConstantDataArray::getString(C, Own);
  auto *Holder = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
  return site(Holder, DVMT_SITE_ACCESS, 1, Words ? 8 : 1, DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER);
}

// Before any mark goes.  What is left is told as not recorded.
void Recorder::recordBeside(CallInst *Mark) {
  StringRef Text = markerText(markerTextArgument(Mark)), Name = siteLine(Text, DVMRT_ACCESS_TEXT);
  Beside Kind = besideOf(Name);
  CallInst *Call = Kind == None ? nullptr : callBehind(Mark, Name);
  if (!Call || Call->arg_size() < 2)
    return;
  GlobalVariable *Site = besideSite(Text, Name, Kind != Token);
  IRBuilder<> B(whereRecorded(Call->getNextNode()));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  if (Kind == Token)
    call(B, "__dvmt_token", RT.Void, {Site, Call});
  else if (Kind == Vector && Call->arg_size() >= 3)
    call(B, "__dvmt_vector", RT.Void,
         {Site, Call->getArgOperand(1), B.CreateSExtOrTrunc(Call->getArgOperand(2), RT.I64), B.CreateSExtOrTrunc(Call, RT.I64)});
  else
    call(B, "__dvmt_message", RT.Void, {Site, Call->getArgOperand(1), B.CreateSExtOrTrunc(Call, RT.I64)});
  Besides.insert(Mark);
}
