#include "listing/sass_class.h"

#include <initializer_list>
#include <unordered_map>

namespace tailwave {
namespace {

using Class = InstructionClass;

struct ClassNames {
  Class kind;
  std::initializer_list<std::string_view> names;  // without modifiers
};

const std::initializer_list<ClassNames>& all_names() {
  static const std::initializer_list<ClassNames> kNames{
      {Class::fp32, {"FADD", "FADD2", "FADD32I", "FCHK",   "FFMA",  "FFMA2", "FFMA32I", "FMNMX", "FMNMX3",
                     "FMUL", "FMUL2", "FMUL32I", "FSEL",   "FSET",  "FSETP", "FSWZADD", "FHADD", "FHFMA",
                     "RRO",  "UFADD", "UFFMA",   "UFMNMX", "UFMUL", "UFSEL", "UFSET",   "UFSETP"}},
      {Class::fp64, {"DADD", "DFMA", "DMNMX", "DMUL", "DSET", "DSETP"}},
      {Class::half,
       {"HADD2", "HADD2_32I", "HFMA2", "HFMA2_32I", "HFMA2_MMA", "HMNMX2", "HMUL2", "HMUL2_32I", "HSET2",
        "HSETP2", "VHMNMX"}},
      {Class::integer,
       {"BFE",     "BFI",       "BMSK",   "BREV",    "FLO",    "IABS",    "IADD",     "IADD3",
        "IADD32I", "ICMP",      "IDP",    "IDP4A",   "IMAD",   "IMAD32I", "IMADSP",   "IMNMX",
        "IMUL",    "IMUL32I",   "ISCADD", "ISET",    "ISETP",  "LEA",     "LOP",      "LOP3",
        "LOP32I",  "POPC",      "SHF",    "SHL",     "SHR",    "SGXT",    "VABSDIFF", "VABSDIFF4",
        "VIADD",   "VIADDMNMX", "VIMNMX", "VIMNMX3", "XMAD",   "UBMSK",   "UBREV",    "UFLO",
        "UIABS",   "UIADD3",    "UIMAD",  "UIMNMX",  "UISETP", "ULEA",    "ULOP",     "ULOP3",
        "UPOPC",   "USGXT",     "USHF",   "USHL",    "USHR",   "UVIADD",  "UVIMNMX",  "UVIRTCOUNT"}},
      {Class::conversion,
       {"F2F", "F2FP", "F2I", "F2IP", "FRND", "I2F", "I2FP", "I2I", "I2IP", "UF2F", "UF2FP", "UF2I", "UF2IP",
        "UFRND", "UI2F", "UI2FP", "UI2I", "UI2IP"}},
      {Class::special_function, {"MUFU"}},
      {Class::global_load, {"LDG", "LDGMC"}},
      {Class::global_store, {"STG"}},
      {Class::shared_load, {"LDS", "LDSM", "LDTRAM", "LDT", "LDTM"}},
      {Class::shared_store, {"STS", "STSM", "STAS", "STT", "STTM"}},
      {Class::local_load, {"LDL"}},
      {Class::local_store, {"STL"}},
      {Class::constant_load, {"LDC", "LDCU", "ULDC"}},
      {Class::generic_load, {"LD"}},
      {Class::generic_store, {"ST"}},
      {Class::asynchronous_copy,
       {"LDGSTS", "UBLKCP", "UBLKPF", "UBLKRED", "UTMALDG", "UTMAPF", "UTMAREDG", "UTMASTG", "UTMACCTL",
        "UTMACMDFLUSH", "UTCCP"}},
      {Class::texture,
       {"SUATOM", "SULD", "SURED", "SUST", "TEX", "TEXS", "TLD", "TLD4", "TLD4S", "TLDS", "TMML", "TXD",
        "TXQ"}},
      {Class::atomic, {"ATOM", "ATOMG", "ATOMS", "RED", "REDAS", "REDG", "ATOMCAS"}},
      {Class::barrier,
       {"ACQBULK",  "ACQSHMINIT", "ARRIVES",      "BAR",    "B2R",    "R2B",         "DEPBAR",
        "ERRBAR",   "FENCE",      "LDGDEPBAR",    "MEMBAR", "SYNCS",  "UCGABAR_ARV", "UCGABAR_WAIT",
        "WARPSYNC", "WARPGROUP",  "WARPGROUPSET", "UTCBAR", "CGABAR", "CGAERRBAR",   "UMEMBAR"}},
      {Class::branch,
       {"BMOV", "BRA",  "BREAK", "BRK", "BRX",  "BRXU", "BSSY",  "BSYNC",    "CAL",    "CALL", "CONT",
        "EXIT", "JCAL", "JMP",   "JMX", "JMXU", "KILL", "PBK",   "PCNT",     "PRET",   "RET",  "RPCMOV",
        "SSY",  "SYNC", "YIELD", "BPT", "RTT",  "LEPC", "PEXIT", "PLONGJMP", "LONGJMP"}},
      {Class::warp, {"CREDUX", "ELECT", "MATCH", "REDUX", "SHFL", "VOTE", "VOTEU", "UVOTE", "UREDUX"}},
      {Class::move,
       {"MOV", "MOV32I", "MOVM", "P2R", "PRMT", "R2P", "R2UR", "SEL", "UMOV", "UP2UR", "UPRMT", "UR2UP",
        "USEL"}},
  };
  return kNames;
}

const std::unordered_map<std::string_view, Class>& by_name() {
  static const std::unordered_map<std::string_view, Class> known = [] {
    std::unordered_map<std::string_view, Class> classes;
    for (const ClassNames& one : all_names())
      for (const std::string_view name : one.names) classes.emplace(name, one.kind);
    return classes;
  }();
  return known;
}

}  // namespace

InstructionClass class_of_sass(std::string_view opcode) {
  if (opcode.starts_with("IMAD.MOV")) return Class::move;
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  if (const auto found = by_name().find(name); found != by_name().end()) return found->second;
  // HMMA, IMMA, DMMA, QGMMA, UTCHMMA.
  return name.ends_with("MMA") ? Class::tensor : Class::other;
}

}  // namespace tailwave
