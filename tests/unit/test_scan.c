/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/forms.h"
#include "toolchain/scan.h"
#include "../support/support.h"

static const char *form_of(const char *hex, uint32_t *traits)
{
    static char form[FORM_MAX];
    uint8_t code[16] = {0};
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        code[i] = (uint8_t)byte;
    }
    assert_int_equal(insn_form(ISA_X86_64, code, n, form, traits), n);
    return form;
}

/* The forms of bytes from the assembler have uops.info's names. */
static void test_form_names(void **state)
{
    static const struct { const char *hex, *form;
    } known[] = {
        {"4801d8", "ADD (R64, R64)"},
        {"4803d8", "ADD (R64, R64)"},
        {"48030b", "ADD (R64, M64)"},
        {"4883c007", "ADD (R64, I8)"},
        {"4805e8030000", "ADD (R64, I32)"},
        {"f0480103", "ADD_LOCK (M64, R64)"},
        {"00fc", "ADD (R8h, R8h)"},
        {"00d8", "ADD (R8l, R8l)"},
        {"48d3e0", "SHL (R64, CL)"},
        {"48c1e003", "SHL (R64, I8)"},
        {"48d1e0", "SHL (R64, 1)"},
        {"488d0433", "LEA_B_I (R64)"},
        {"488d447308", "LEA_B_IS_D8 (R64)"},
        {"488d05e8030000", "LEA_R_D32 (R64)"},
        {"488d4308", "LEA_B_D8 (R64)"},
        {"75fe", "JNZ (Rel8)"},
        {"e800000000", "CALL_NEAR (Rel32)"},
        {"c3", "RET_NEAR ()"},
        {"0f1f00", "NOP ()"},
        {"90", "NOP ()"},
        {"f3a4", "REP_MOVSB ()"},
        {"c5ed58c8", "VADDPD (YMM, YMM, YMM)"},
        {"62f1ed4858c8", "VADDPD (ZMM, ZMM, ZMM)"},
        {"62f1ed4958c8", "VADDPD (ZMM, K, ZMM, ZMM)"},
        {"62f1edc958c8", "VADDPD_Z (ZMM, K, ZMM, ZMM)"},
        {"62f1ed285808", "VADDPD_EVEX (YMM, YMM, M256)"},
        {"62f1ed585808", "VADDPD (ZMM, ZMM, M64_1to8)"},
        {"62f1ed1858c8", "VADDPD_ER (ZMM, ZMM, ZMM)"},
        {"c4e2e99204cb", "VGATHERDPD (XMM, VSIB_XMM, XMM)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t traits;
        assert_string_equal(form_of(known[i].hex, &traits), known[i].form);
    }
}

static void test_traits(void **state)
{
    uint32_t traits;
    form_of("4831c0", &traits);
    assert_true(traits & INSN_ZERO_IDIOM);
    form_of("4831d8", &traits);
    assert_false(traits & INSN_ZERO_IDIOM);
    form_of("48010433", &traits);
    assert_true((traits & INSN_LOAD) && (traits & INSN_STORE) && (traits & INSN_INDEXED));
    form_of("66b83412", &traits);
    assert_true(traits & INSN_LCP);
    form_of("4889d8", &traits);
    assert_true(traits & INSN_MOVE);
    uint8_t garbage[] = {0x06};
    char form[FORM_MAX];
    assert_int_equal(insn_form(ISA_X86_64, garbage, 1, form, &traits), 0);
}

/* Scans this program's library. Its code is found and counted, and the table has its forms. */
static void test_scan_of_this_library(void **state)
{
    struct scan scan = {0};
    struct err err = {0};
    Dl_info library;
    assert_true(dladdr((void *)(uintptr_t)scan_file, &library) &&
                scan_file(&scan, library.dli_fname, &err));
    scan_sort(&scan);
    assert_true(scan.instructions > 1000);
    struct forms *forms = forms_load(isa_host(), NULL, &err);
    assert_non_null(forms);
    uint64_t sum = 0, known = 0;
    for (size_t i = 0; i < scan.forms.count; i++) {
        sum += scan.forms.items[i].count;
        assert_non_null(strstr(scan.forms.items[i].place, "+0x"));
        known +=
            forms_find(forms, scan.forms.items[i].form) || (scan.forms.items[i].traits & INSN_NOP)
                ? scan.forms.items[i].count
                : 0;
        if (i)
            assert_true(scan.forms.items[i].count <= scan.forms.items[i - 1].count);
    }
    assert_true(sum + scan.set_aside == scan.instructions);
    assert_true((double)known >= 0.99 * (double)sum);
    assert_false(scan_file(&scan, "/etc/passwd", &err));
    assert_true(err.what[0] != '\0');
    forms_free(forms);
    scan_done(&scan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_form_names),
                                       cmocka_unit_test(test_traits),
                                       cmocka_unit_test(test_scan_of_this_library)};
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
