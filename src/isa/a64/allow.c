/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/decode_parts.h"

#include <string.h>

#define NOP 0xd503201fu

/* Mnemonics of the permitted instructions, in the decoder's spelling. These instructions compute,
 * load, store or branch. Among others, the list excludes: exceptions (svc, brk, hlt), system
 * registers (mrs, msr), barriers, cache and address maintenance, hints except nop, pointer
 * authentication (its keys belong to the process), memory tagging, 64-byte device accesses (ld64b,
 * st64b), transactions, and SME, whose state must be configured. Instructions that only future
 * decoders support are excluded. */
static const char scalar[] =
    " abs adc adcs add addhn addhn2 addp adds addv aesd aese aesimc aesmc and ands asr bcax bfcvt "
    "bfcvtn bfcvtn2 bfdot bfi bfmlalb bfmlalt bfmmla bfxil bic"
    " bics bif bit bsl cas casa casab casah casal casalb casalh casb cash casl caslb caslh ccmn "
    "ccmp cinc cinv cls clz cmeq cmge cmgt cmhi cmhs cmle cmlt"
    " cmn cmp cmpp cmtst cneg cnt crc32b crc32cb crc32ch crc32cw crc32cx crc32h crc32w crc32x csel "
    "cset csetm csinc csinv csneg dmb dup eon eor eor3 ext"
    " extr fabd fabs facge facgt fadd faddp fcadd fccmp fccmpe fcmeq fcmge fcmgt fcmla fcmle fcmlt "
    "fcmp fcmpe fcsel fcvt fcvtas fcvtau fcvtl fcvtl2 fcvtms"
    " fcvtmu fcvtn fcvtn2 fcvtns fcvtnu fcvtps fcvtpu fcvtxn fcvtxn2 fcvtzs fcvtzu fdiv fjcvtzs "
    "fmadd fmax fmaxnm fmaxnmp fmaxnmv fmaxp fmaxv fmin fminnm"
    " fminnmp fminnmv fminp fminv fmla fmlal fmlal2 fmls fmlsl fmlsl2 fmov fmsub fmul fmulx fneg "
    "fnmadd fnmsub fnmul frecpe frecps frecpx frint32x frint32z"
    " frint64x frint64z frinta frinti frintm frintn frintp frintx frintz frsqrte frsqrts fsqrt "
    "fsub ld1 ld1r ld2 ld2r ld3 ld3r ld4 ld4r ldadd ldadda ldaddab"
    " ldaddah ldaddal ldaddalb ldaddalh ldaddb ldaddh ldaddl ldaddlb ldaddlh ldapr ldaprb ldaprh "
    "ldapur ldapurb ldapurh ldapursb ldapursh ldapursw ldar"
    " ldarb ldarh ldaxp ldaxr ldaxrb ldaxrh ldclr ldclra ldclrab ldclrah ldclral ldclralb ldclralh "
    "ldclrb ldclrh ldclrl ldclrlb ldclrlh ldeor ldeora ldeorab"
    " ldeorah ldeoral ldeoralb ldeoralh ldeorb ldeorh ldeorl ldeorlb ldeorlh ldlar ldlarb ldlarh "
    "ldnp ldp ldpsw ldr ldrb ldrh ldrsb ldrsh ldrsw ldset ldseta"
    " ldsetab ldsetah ldsetal ldsetalb ldsetalh ldsetb ldseth ldsetl ldsetlb ldsetlh ldsmax "
    "ldsmaxa ldsmaxab ldsmaxah ldsmaxal ldsmaxalb ldsmaxalh ldsmaxb"
    " ldsmaxh ldsmaxl ldsmaxlb ldsmaxlh ldsmin ldsmina ldsminab ldsminah ldsminal ldsminalb "
    "ldsminalh ldsminb ldsminh ldsminl ldsminlb ldsminlh ldtr ldtrb"
    " ldtrh ldtrsb ldtrsh ldtrsw ldumax ldumaxa ldumaxab ldumaxah ldumaxal ldumaxalb ldumaxalh "
    "ldumaxb ldumaxh ldumaxl ldumaxlb ldumaxlh ldumin ldumina"
    " lduminab lduminah lduminal lduminalb lduminalh lduminb lduminh lduminl lduminlb lduminlh "
    "ldur ldurb ldurh ldursb ldursh ldursw ldxp ldxr ldxrb ldxrh"
    " lsl lsr madd mla mls mneg mov movi movk movn movz msub mul mvn mvni neg negs ngc ngcs nop "
    "orn orr pmul pmull pmull2 prfm prfum raddhn raddhn2 rax1"
    " rbit rev rev16 rev32 rev64 rmif ror rshrn rshrn2 rsubhn rsubhn2 saba sabal sabal2 sabd sabdl "
    "sabdl2 sadalp saddl saddl2 saddlp saddlv saddw saddw2 sbc"
    " sbcs sbfiz sbfx scvtf sdiv sdot sha1c sha1h sha1m sha1p sha1su0 sha1su1 sha256h sha256h2 "
    "sha256su0 sha256su1 sha512h sha512h2 sha512su0 sha512su1"
    " shadd shl shll shll2 shrn shrn2 shsub sli sm3partw1 sm3partw2 sm3ss1 sm3tt1a sm3tt1b sm3tt2a "
    "sm3tt2b sm4e sm4ekey smaddl smax smaxp smaxv smin sminp"
    " sminv smlal smlal2 smlsl smlsl2 smmla smnegl smov smsubl smulh smull smull2 sqabs sqadd "
    "sqdmlal sqdmlal2 sqdmlsl sqdmlsl2 sqdmulh sqdmull sqdmull2"
    " sqneg sqrdmlah sqrdmlsh sqrdmulh sqrshl sqrshrn sqrshrn2 sqrshrun sqrshrun2 sqshl sqshlu "
    "sqshrn sqshrn2 sqshrun sqshrun2 sqsub sqxtn sqxtn2 sqxtun"
    " sqxtun2 srhadd sri srshl srshr srsra sshl sshll sshll2 sshr ssra ssubl ssubl2 ssubw ssubw2 "
    "st1 st2 st3 st4 stadd staddb staddh staddl staddlb staddlh"
    " stclr stclrb stclrh stclrl stclrlb stclrlh steor steorb steorh steorl steorlb steorlh stllr "
    "stllrb stllrh stlr stlrb stlrh stlur stlurb stlurh stlxp"
    " stlxr stlxrb stlxrh stnp stp str strb strh stset stsetb stseth stsetl stsetlb stsetlh stsmax "
    "stsmaxb stsmaxh stsmaxl stsmaxlb stsmaxlh stsmin stsminb"
    " stsminh stsminl stsminlb stsminlh sttr sttrb sttrh stumax stumaxb stumaxh stumaxl stumaxlb "
    "stumaxlh stumin stuminb stuminh stuminl stuminlb stuminlh"
    " stur sturb sturh stxp stxr stxrb stxrh sub subhn subhn2 subs sudot suqadd swp swpa swpab "
    "swpah swpal swpalb swpalh swpb swph swpl swplb swplh sxtb"
    " sxth sxtw tbl tbx trn1 trn2 tst uaba uabal uabal2 uabd uabdl uabdl2 uadalp uaddl uaddl2 "
    "uaddlp uaddlv uaddw uaddw2 ubfiz ubfx ucvtf udiv udot uhadd"
    " uhsub umaddl umax umaxp umaxv umin uminp uminv umlal umlal2 umlsl umlsl2 ummla umnegl umov "
    "umsubl umulh umull umull2 uqadd uqrshl uqrshrn uqrshrn2"
    " uqshl uqshrn uqshrn2 uqsub uqxtn uqxtn2 urecpe urhadd urshl urshr ursqrte ursra usdot ushl "
    "ushll ushll2 ushr usmmla usqadd usra usubl usubl2 usubw"
    " usubw2 uxtb uxth uzp1 uzp2 xar xtn xtn2 zip1 zip2"
    " b bc cbz cbnz tbz tbnz br bfc bfm sbfm ubfm sxtl sxtl2 uxtl uxtl2 ";
static const char scalable[] =
    " adclb adclt addhnb addhnt addpl addvl andv asrd asrr bdep bext bfcvtnt bgrp brka brkas brkb "
    "brkbs brkn brkns brkpa brkpas brkpb brkpbs bsl1n bsl2n"
    " cadd cdot clasta clastb cmla cmpeq cmpge cmpgt cmphi cmphs cmple cmplo cmpls cmplt cmpne "
    "cnot cntb cntd cnth cntp cntw compact ctermeq ctermne decb"
    " decd dech decp decw dupm eorbt eors eortb eorv fadda faddv fcmne fcmuo fcvtlt fcvtnt fcvtx "
    "fcvtxnt fdivr fexpa flogb fmad fmlalb fmlalt fmlslb fmlslt"
    " fmmla fmsb fnmad fnmla fnmls fnmsb fscale fsubr ftmad ftsmul ftssel histcnt histseg incb "
    "incd inch incp incw index insr lasta lastb ld1b ld1d ld1h"
    " ld1rb ld1rd ld1rh ld1rob ld1rod ld1roh ld1row ld1rqb ld1rqd ld1rqh ld1rqw ld1rsb ld1rsh "
    "ld1rsw ld1rw ld1sb ld1sh ld1sw ld1w ld2b ld2d ld2h ld2w ld3b"
    " ld3d ld3h ld3w ld4b ld4d ld4h ld4w ldff1b ldff1d ldff1h ldff1sb ldff1sh ldff1sw ldff1w "
    "ldnf1b ldnf1d ldnf1h ldnf1sb ldnf1sh ldnf1sw ldnf1w ldnt1b"
    " ldnt1d ldnt1h ldnt1sb ldnt1sh ldnt1sw ldnt1w lslr lsrr mad match movprfx movs msb nand nands "
    "nbsl nmatch nor nors not nots orns orrs orv pfalse pfirst pmullb"
    " pmullt pnext prfb prfd prfh prfw ptest ptrue ptrues punpkhi punpklo raddhnb raddhnt rdffr "
    "rdffrs rdvl revb revh revw rshrnb rshrnt rsubhnb rsubhnt"
    " sabalb sabalt sabdlb sabdlt saddlb saddlbt saddlt saddv saddwb saddwt sbclb sbclt sdivr sel "
    "shrnb shrnt shsubr smlalb smlalt smlslb smlslt smullb"
    " smullt splice sqcadd sqdecb sqdecd sqdech sqdecp sqdecw sqdmlalb sqdmlalbt sqdmlalt sqdmlslb "
    "sqdmlslbt sqdmlslt sqdmullb sqdmullt sqincb sqincd sqinch"
    " sqincp sqincw sqrdcmlah sqrshlr sqrshrnb sqrshrnt sqrshrunb sqrshrunt sqshlr sqshrnb sqshrnt "
    "sqshrunb sqshrunt sqsubr sqxtnb sqxtnt sqxtunb sqxtunt"
    " srshlr sshllb sshllt ssublb ssublbt ssublt ssubltb ssubwb ssubwt st1b st1d st1h st1w st2b "
    "st2d st2h st2w st3b st3d st3h st3w st4b st4d st4h st4w"
    " stnt1b stnt1d stnt1h stnt1w subhnb subhnt subr sunpkhi sunpklo uabalb uabalt uabdlb uabdlt "
    "uaddlb uaddlt uaddv uaddwb uaddwt udivr uhsubr umlalb"
    " umlalt umlslb umlslt umullb umullt uqdecb uqdecd uqdech uqdecp uqdecw uqincb uqincd uqinch "
    "uqincp uqincw uqrshlr uqrshrnb uqrshrnt uqshlr uqshrnb"
    " uqshrnt uqsubr uqxtnb uqxtnt urshlr ushllb ushllt usublb usublt usubwb usubwt uunpkhi "
    "uunpklo uxtw whilege whilegt whilehi whilehs whilele whilelo"
    " whilels whilelt whilerw whilewr wrffr"
    " ";

/* Returns whether the first @length characters of @name are a word of @names, a list separated by
 * blanks. */
static bool has(const char *names, const char *name, size_t length)
{
    for (const char *at = names; (at = strstr(at, name)) != NULL; at++)
        if (at > names && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* Returns whether the encoding group (bits 28 to 25) has permitted instructions. Thereby rejects a
 * system instruction to which a decoder gives a wrong name. */
static bool group_allowed(uint32_t word)
{
    switch (word >> 25 & 15) {
    case 2:            /* Group 2 is SVE. SME is in group 0, which is not permitted. */
    case 8: case 9:    /* operations on immediates */
    case 4: case 6: case 12: case 14:   /* loads and stores */
    case 5: case 13:   /* operations on registers */
    case 7: case 15:   /* vectors and floating point */
        return true;
    /* Branches and nop. The test excludes exceptions (top byte 0xd4), system instructions and other
     * hints (0xd5). */
    case 10: case 11:
        return (word & 0xfe000000) != 0xd4000000 || word == NOP;
    default:
        return false;
    }
}

bool a64_allow(uint32_t word, const char *mnemonic)
{
    char name[32];
    size_t length = strcspn(mnemonic, ".");   /* The length excludes the condition, as in b.ne. */

    if (!group_allowed(word) || !length || length >= sizeof name)
        return false;
    memcpy(name, mnemonic, length);
    name[length] = '\0';
    return (word >> 25 & 15) == 2 ? has(scalable, name, length) || has(scalar, name, length)
                                  : has(scalar, name, length);
}
