/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON formats of PMEvo's authors. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/experiments_file.h"
#include "io/export_mapping.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "io/pmevo_json.h"
#include "io/pmevo_names.h"
#include "model/metrics.h"
#include "throughput/predict.h"
#include "../support/support.h"

#define ARCH                                                                                       \
    "\"arch\":{\"kind\":\"Architecture\",\"insns\":[\"ADD_((REG:RW:G:64)),_((IMM:32))\",\"LEA_(("  \
    "REG:W:G:64)),__[((IMM:8))]\","                                                                \
    "\"VADDPD_((REG:W:V:256)),_((REG:R:V:256)),_ymmword_ptr_[((MEM:64))_+_((MIMM:16))]\","         \
    "\"MOV_((REG:W:G:64)),_((REG:R:G:64))\",\"MOV_((REG:RW:G:64)),_((REG:R:G:64))\"]}"

static void test_form_names(void **state)
{
    static const char *const cases[][2] = {
        {"ADD_((REG:RW:G:64)),_((IMM:32))", "ADD (R64, I32)"},
        {"ADD ((REG:RW:G:64)), qword ptr [((MEM:64)) + ((MIMM:16))]", "ADD (R64, M64)"},
        {"VADDPD_((REG:W:V:256)),_((REG:R:V:256)),_ymmword_ptr_[((MEM:64))_+_((MIMM:16))]",
         "VADDPD (YMM, YMM, M256)"},
        {"BT_qword_ptr_[((MEM:64))_+_((MIMM:16))],_((DIV:64))", "BT (M64, R64)"},
        {"CDQ", "CDQ ()"},
        {"LEA_((REG:W:G:64)),__[((MEM:64))+2*((DIV:64))]", "LEA_B_IS (R64)"},
        {"LEA_((REG:W:G:64)),__[((MEM:64))_+_((MIMM:16))]", "LEA_B_D32 (R64)"},
        {"LEA_((REG:W:G:64)),__[((IMM:8))]", "LEA_D32 (R64)"},
        {"LEA_((REG:W:G:64))", NULL},
        {"LEA_((REG:W:G:64)),__[((MEM:64))+3]", NULL},
        {"_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:32)),_sxth_3", "ADD (X, X, W, SXTH I)"},
        {"_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:64)),_lsl_2", "ADD (X, X, X, LSL 1-4)"},
        {"_subs_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:64)),_lsl_5", "SUBS (X, X, X, LSL I)"},
        {"_fmla_((REG:W:F:VEC)).2d,_((REG:R:F:VEC)).2d,_((REG:R:F:VEC)).d[0]",
         "FMLA (V.2D, V.2D, V.D[I])"},
        {"_ldr_((REG:W:F:128)),_[((MEM:64)),_((MIMM:16))]", "LDR (Q, [X, I])"},
        {"_tbl_((REG:W:F:VEC)).16b,_{((REG:R:F:VEC)).16b},_((REG:R:F:VEC)).16b",
         "TBL (V.16B, {V.16B}, V.16B)"},
        {"_fmov_((REG:W:F:64)),_1.0e+1", "FMOV (D, I)"},
        {"_cmeq_((REG:R:F:VEC)).2s,_((REG:R:F:VEC)).2s,_#0", "CMEQ (V.2S, V.2S, I)"},
        {"_movi_((REG:W:F:VEC)).4s,_0x4,_lsl_8", "MOVI (V.4S, I, LSL I)"},
        {"_ins_((REG:W:F:VEC)).d[1],_((REG:W:G:64))", "MOV (V.D[I], X)"},
        {"_dup_((REG:W:F:32)),_((REG:R:F:VEC)).s[0]", "MOV (S, V.S[I])"},
        {"_umov_((REG:W:G:64)),_((REG:W:F:VEC)).d[1]", "MOV (X, V.D[I])"},
        {"_not_((REG:W:F:VEC)).16b,_((REG:R:F:VEC)).16b", "MVN (V.16B, V.16B)"},
        {"_add_((REG:W:G:64)),_sxtq", NULL},
        {"_add_((REG:W:F:VEC)).d[", NULL},
        {"_add_((REG:", NULL},
        {"_", NULL},
        {"ADD_((REG:RW:X:64))", NULL},
        {"ADD_((IMM:32", NULL},
        {"fadd_((REG:W:V:128))", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = {0};
        str_add(&out, "x");
        assert_int_equal(pmevo_form_name(cases[i][0], &out), cases[i][1] != NULL);
        assert_string_equal(str_text(&out) + 1, cases[i][1] ? cases[i][1] : "");
        str_done(&out);
    }
}

static void test_experiments(void **state)
{
    static const char text[] =
        "{\"kind\":\"ExperimentList\"," ARCH ",\"exps\":["
        "{\"iseq\":[\"ADD_((REG:RW:G:64)),_((IMM:32))\",\"LEA_((REG:W:G:64)),__[((IMM:8))]\",\"ADD_"
        "((REG:RW:G:64)),_((IMM:32))\"],"
        "\"result\":{\"cycles\":1.5},\"other_results\":[{\"cycles\":2,\"id\":\"iaca\"}]},"
        "{\"iseq\":[\"MOV_((REG:W:G:64)),_((REG:R:G:64))\"],\"result\":null},"
        "{\"iseq\":[\"MOV_((REG:RW:G:64)),_((REG:R:G:64))\"],\"result\":{\"cycles\":-1}}]}";
    struct err err = {0};
    struct str line = {0};
    struct experiments *e = pmevo_experiments_parse("t", text, sizeof text - 1, &err);
    assert_non_null(e);
    assert_int_equal(e->rows.count, 3);
    experiments_print(e, 0, &line);
    assert_string_equal(str_text(&line), "2*ADD (R64, I32) + LEA_D32 (R64)");
    assert_true(e->rows.items[0].cycles == 1.5);
    assert_string_equal(experiments_extra(e, 0, 0), "2");
    assert_string_equal(e->extra.items[0], "iaca");
    assert_string_equal(e->rows.items[1].state, EXPERIMENT_PENDING);
    assert_true(isnan(e->rows.items[2].cycles));
    assert_string_not_equal(e->rows.items[2].state, EXPERIMENT_PENDING);
    /* Two of PMEvo's names are one form in Portolan. */
    assert_int_equal(e->forms.count, 3);
    assert_string_equal(e->forms.items[2], "MOV (R64, R64)");
    experiments_free(e);
    str_done(&line);
}

static void test_mappings(void **state)
{
    static const char three[] =
        "{\"kind\":\"Mapping3\"," ARCH ",\"assignment\":{\"ADD_((REG:RW:G:64)),_((IMM:32))\":[["
                                       "\"0\",\"10\"],[\"2\"],[\"10\",\"0\"]],"
        "\"LEA_((REG:W:G:64)),__[((IMM:8))]\":[]}}";
    static const char alike[] =
        "{\"kind\":\"Mapping\"," ARCH ",\"assignment\":{\"MOV_((REG:W:G:64)),_((REG:R:G:64))\":[0,"
                                      "1],\"MOV_((REG:RW:G:64)),_((REG:R:G:64))\":[0,1]}}";
    static const char disputed[] =
        "{\"kind\":\"Mapping\"," ARCH ",\"assignment\":{\"MOV_((REG:W:G:64)),_((REG:R:G:64))\":[0,"
                                      "1],\"MOV_((REG:RW:G:64)),_((REG:R:G:64))\":[0]}}";
    static const char two[] = "{\"kind\":\"Mapping\"," ARCH
                              ",\"assignment\":{\"ADD_((REG:RW:G:64)),_((IMM:32))\":[2,0]}}";
    struct err err = {0};
    struct str text = {0};
    struct mapping *m = pmevo_mapping_parse("t", three, sizeof three - 1, &err);
    assert_non_null(m);
    assert_int_equal(mapping_ports(m)->count, 3);
    assert_string_equal(mapping_ports(m)->names[2], "10");
    usage_print(&mapping_find(m, "ADD (R64, I32)")->usage, mapping_ports(m), &text);
    assert_string_equal(str_text(&text), "1*p2+2*p[0,10]");
    assert_int_equal(mapping_find(m, "LEA_D32 (R64)")->usage.count, 0);
    mapping_free(m);
    m = pmevo_mapping_parse("t", two, sizeof two - 1, &err);
    assert_non_null(m);
    str_clear(&text);
    usage_print(&mapping_find(m, "ADD (R64, I32)")->usage, mapping_ports(m), &text);
    assert_string_equal(str_text(&text), "1*p02");
    mapping_free(m);
    /* Two of PMEvo's names are one form in Portolan. They are merged if their usages are equal.
     * Otherwise both names remain. */
    m = pmevo_mapping_parse("t", alike, sizeof alike - 1, &err);
    assert_int_equal(mapping_count(m), 1);
    assert_non_null(mapping_find(m, "MOV (R64, R64)"));
    mapping_free(m);
    m = pmevo_mapping_parse("t", disputed, sizeof disputed - 1, &err);
    assert_int_equal(mapping_count(m), 2);
    assert_null(mapping_find(m, "MOV (R64, R64)"));
    assert_non_null(mapping_find(m, "MOV_((REG:W:G:64)),_((REG:R:G:64))"));
    mapping_free(m);
    str_done(&text);
}

static void test_faults(void **state)
{
    static const char *const lists[] = {
        "",
        "[1",
        "[]",
        "{\"kind\":\"Mapping3\"}",
        "{\"kind\":\"ExperimentList\"}",
        "{\"kind\":\"ExperimentList\",\"exps\":[{}]}",
        "{\"kind\":\"ExperimentList\",\"exps\":[{\"iseq\":[]}]}",
        "{\"kind\":\"ExperimentList\",\"exps\":[{\"iseq\":[3]}]}",
    };
    static const char *const mappings[] = {
        "{\"kind\":\"ExperimentList\"}",
        "{\"kind\":\"Mapping3\"}",
        "{\"kind\":\"Mapping3\",\"assignment\":{\"A\":[\"0\"]}}",
        "{\"kind\":\"Mapping3\",\"assignment\":{\"A\":[[[\"0\"]]]}}",
        "{\"kind\":\"Mapping2\",\"assignment\":{\"A\":[[\"0\"]]}}",
        "{\"kind\":\"Mapping3\",\"assignment\":{\"A\":[[\"a b\"]]}}",
        "{\"kind\":\"Mapping3\",\"assignment\":{\"A\":[[-1]]}}",
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct err err = {0};
        assert_null(pmevo_experiments_parse("t.json", lists[i], strlen(lists[i]), &err));
        assert_string_equal(err.file, "t.json");
        assert_true(err.what[0] != '\0');
    }
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        struct err err = {0};
        assert_null(pmevo_mapping_parse("t.json", mappings[i], strlen(mappings[i]), &err));
        assert_string_equal(err.file, "t.json");
        assert_true(err.what[0] != '\0');
    }
}

/* Exported experiments are imported unchanged: forms, counts, cycles, reasons, pending rows. */
static void test_experiments_out_and_in(void **state)
{
    static const char rows[] = "experiment,cycles,spread,repeats,state\n\"2*ADD (R64, R64) + IMUL "
                               "(R64, R64)\",1.25,,,ok\nDIV (R64),,,,SIGFPE\n"
                               "\"VADDPD (YMM, YMM, M256)\",,,,\nODD NAME (X),0.1,,,ok\n";
    struct err err = {0};
    struct str text = {0};
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct experiments *t = experiments_parse("rows", rows, sizeof rows - 1, &err);

    assert_non_null(t);
    export_pmevo_experiments(t, forms, &text);
    assert_non_null(strstr(str_text(&text), "ADD_((REG:RW:G:64)),_((REG:R:G:64))"));
    struct experiments *back = pmevo_experiments_parse("back", text.data, text.length, &err);
    assert_non_null(back);
    assert_int_equal(back->rows.count, t->rows.count);
    for (size_t i = 0; i < t->rows.count; i++) {
        struct str a = {0}, b = {0};
        experiments_print(t, i, &a);
        experiments_print(back, i, &b);
        assert_string_equal(str_text(&a), str_text(&b));
        assert_string_equal(t->rows.items[i].state, back->rows.items[i].state);
        assert_true(t->rows.items[i].cycles == back->rows.items[i].cycles ||
                    (isnan(t->rows.items[i].cycles) && isnan(back->rows.items[i].cycles)));
        str_done(&a);
        str_done(&b);
    }
    experiments_free(back);
    experiments_free(t);
    str_done(&text);
}

/* Original names are restored if several of them map to one form, or if Portolan spells them
 * differently. They come from the file, also through one of Portolan's tables. */
static void test_names_return(void **state)
{
    static const char *const names[] = {
        "LEA_((REG:W:G:64)),__[2*((DIV:64))+((IMM:8))]",
        "LEA_((REG:W:G:64)),__[2*((DIV:64))]",
        "LEA_((REG:W:G:64)),__[((IMM:8))]",
        "ADD_((REG:RW:G:64)),_((REG:R:G:64))",
        "BTR_qword_ptr_[((MEM:64))_+_((MIMM:16))],_((DIV:64))",
        "MOV_((REG:RW:G:64)),_((IMM:32))",
        "MOV_((REG:W:G:64)),_((IMM:32))",
        "odd name",
    };
    struct str json = {0}, first = {0}, csv = {0}, second = {0};
    struct err err = {0};
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    str_add(&json, "{\"kind\":\"ExperimentList\",\"arch\":{\"insns\":[]},\"exps\":[");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        str_addf(&json, "%s{\"iseq\":[\"%s\",\"%s\"],\"result\":{\"cycles\":1.5}}", i ? "," : "",
                 names[i], names[(i + 1) % (sizeof names / sizeof *names)]);
    str_add(&json, "]}");
    struct experiments *t = pmevo_experiments_parse("theirs", json.data, json.length, &err);
    assert_non_null(t);
    export_pmevo_experiments(t, forms, &first);
    experiments_csv(t, &csv);
    struct experiments *again = experiments_parse("ours", csv.data, csv.length, &err);
    assert_non_null(again);
    export_pmevo_experiments(again, forms, &second);
    assert_string_equal(str_text(&first), str_text(&second));
    json_t *root = json_loads(str_text(&first), 0, NULL), *item;
    size_t i;
    assert_int_equal(json_array_size(json_object_get(json_object_get(root, "arch"), "insns")),
                     sizeof names / sizeof *names);
    json_array_foreach(json_object_get(root, "exps"), i, item) {
        json_t *sequence = json_object_get(item, "iseq");
        assert_int_equal(json_array_size(sequence), 2);
        assert_string_equal(json_string_value(json_array_get(sequence, 0)), names[i]);
        assert_string_equal(json_string_value(json_array_get(sequence, 1)),
                            names[(i + 1) % (sizeof names / sizeof *names)]);
    }
    json_decref(root);
    experiments_free(t);
    experiments_free(again);
    str_done(&json);
    str_done(&first);
    str_done(&csv);
    str_done(&second);
}

/* Checks that the names of the forms in @exported, a mapping's JSON, are exactly those in
 * @theirs. */
static void assert_names(const struct str *exported, const char *const *theirs, size_t count)
{
    json_t *root = json_loads(str_text(exported), 0, NULL),
           *insns = json_object_get(json_object_get(root, "arch"), "insns");
    json_t *assignment = json_object_get(root, "assignment");

    for (size_t i = 0; i < count; i++)
        if (!json_object_get(assignment, theirs[i]))
            fail_msg("%s is lost", theirs[i]);
    assert_int_equal(json_object_size(assignment), count);
    assert_int_equal(json_array_size(insns), count);
    json_decref(root);
}

/* A mapping's original names are restored from its file, also through one of Portolan's tables.
 * Names in experiments are restored from a mapping inferred from them. */
static void test_mapping_names_return(void **state)
{
    static const char *const names[] = {
        "LEA_((REG:W:G:64)),__[((IMM:8))]",
        "ADD_((REG:RW:G:64)),_((REG:R:G:64))",
        "BTR_qword_ptr_[((MEM:64))_+_((MIMM:16))],_((DIV:64))",
        "MOV_((REG:RW:G:64)),_((IMM:32))",
        "MOV_((REG:W:G:64)),_((IMM:32))",
        "odd name",
    };
    enum { COUNT = sizeof names / sizeof *names };
    struct str json = {0}, first = {0}, csv = {0}, second = {0};
    struct err err = {0};
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    struct ports ports = {0};

    str_add(&json, "{\"kind\":\"Mapping3\",\"arch\":{\"insns\":[]},\"assignment\":{");
    for (size_t i = 0; i < COUNT; i++)
        str_addf(&json, "%s\"%s\":[[0]]", i ? "," : "", names[i]);
    str_add(&json, "}}");
    struct machine *m = machine_new("theirs", &ports);
    mapping_free(m->mapping);
    m->mapping = pmevo_mapping_parse("theirs", json.data, json.length, &err);
    assert_non_null(m->mapping);
    assert_int_equal(mapping_count(m->mapping), COUNT - 1);
    export_pmevo(m, forms, NULL, &first);
    assert_names(&first, names, COUNT);
    machine_mapping_csv(m, &csv);
    work_put("ours.csv", str_text(&csv));
    struct machine *saved = machine_load_csv("ours", work_path("ours.csv"), &err);
    assert_non_null(saved);
    mapping_free(m->mapping);
    struct mapping *ours = saved->mapping;
    m->mapping = ours;
    export_pmevo(m, forms, NULL, &second);
    assert_string_equal(str_text(&first), str_text(&second));

    /* A source that is not a list of names is an ordinary source. */
    static const char *const broken[] = {"pmevo",    "pmevo ",    "pmevo [",
                                         "pmevo []", "pmevo [1]", "pmevo {}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct mapping *alone = mapping_new(mapping_ports(ours));
        mapping_set(alone, &(struct mapping_entry){
                               .form = (char *)"odd", .latency = NAN, .source = (char *)broken[i]});
        m->mapping = alone;
        str_clear(&second);
        export_pmevo(m, forms, NULL, &second);
        assert_names(&second, &(const char *){"odd"}, 1);
        mapping_free(alone);
    }

    /* Inferred mappings have no sources. */
    struct mapping *inferred = mapping_new(mapping_ports(ours));
    for (size_t i = 0; i < mapping_count(ours); i++)
        mapping_set(inferred, &(struct mapping_entry){.form = mapping_at(ours, i)->form,
                                                      .latency = NAN,
                                                      .source = (char *)""});
    str_clear(&json);
    str_add(&json, "{\"kind\":\"ExperimentList\",\"arch\":{\"insns\":[]},\"exps\":[");
    for (size_t i = 0; i < COUNT; i++)
        str_addf(&json, "%s{\"iseq\":[\"%s\"],\"result\":{\"cycles\":1.5}}", i ? "," : "",
                 names[i]);
    str_add(&json, "]}");
    struct experiments *e = pmevo_experiments_parse("theirs", json.data, json.length, &err);
    assert_non_null(e);
    m->mapping = inferred;
    str_clear(&second);
    export_pmevo(m, forms, e, &second);
    assert_names(&second, names, COUNT);
    experiments_free(e);
    machine_free(saved);
    machine_free(m);
    str_done(&json);
    str_done(&first);
    str_done(&csv);
    str_done(&second);
}

/* Checks that @assignment, an exported file, has the forms of each experiment of the published file
 * @name. */
static void assert_partners(const char *folder, const char *name, json_t *assignment)
{
    struct str path = {0};
    json_t *item, *form;
    size_t i, k;

    str_addf(&path, "%s/%s", folder, name);
    json_t *root = json_load_file(str_text(&path), 0, NULL);
    assert_true(json_array_size(json_object_get(root, "exps")) >= 310);
    json_array_foreach(json_object_get(root, "exps"), i, item)
        json_array_foreach(json_object_get(item, "iseq"), k, form)
            if (!json_object_get(assignment, json_string_value(form)))
                fail_msg("%s: experiment %zu has lost %s", name, i + 1, json_string_value(form));
    json_decref(root);
    str_done(&path);
}

/* Reads the published data of Skylake, which are not shipped here. PORTOLAN_PMEVO_DATA is their
 * directory. */
static void test_published(void **state)
{
    static const char *const tables[] = {"exps_singletons.json", "len_02.json", "len_03.json"},
                             *const mappings[] = {"mapping_pmevo.json", "mapping_uops_info.json"};
    const char *folder = getenv("PORTOLAN_PMEVO_DATA");
    struct str path = {0}, text = {0};
    struct ports ports = {0};
    struct err err = {0};
    if (!folder) {
        print_message("PMEvo's files not tried: PORTOLAN_PMEVO_DATA names no folder\n");
        return;
    }
    const struct forms *forms = shipped_forms_of(ISA_X86_64);
    str_addf(&path, "%s/len_02.json", folder);
    struct experiments *e = pmevo_experiments_load(str_text(&path), &err);
    assert_non_null(e);
    assert_int_equal(e->rows.count, 2000);
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        struct machine *m = machine_new("theirs", &ports);
        mapping_free(m->mapping);
        str_clear(&path);
        str_addf(&path, "%s/%s", folder, mappings[i]);
        m->mapping = pmevo_mapping_load(str_text(&path), &err);
        assert_non_null(m->mapping);
        str_clear(&text);
        export_pmevo(m, forms, NULL, &text);
        json_t *root = json_loads(str_text(&text), 0, NULL),
               *assignment = json_object_get(root, "assignment");
        assert_int_equal(json_object_size(assignment), 310);
        for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
            assert_partners(folder, tables[k], assignment);
        json_decref(root);
        double *cycles = mem_alloc(e->rows.count * sizeof *cycles);
        throughput_predict(m->mapping, e, cycles);
        struct accuracy a = metrics_accuracy(e, cycles);
        assert_int_equal(a.n, 2000);
        assert_int_equal(a.unknown, 0);
        print_message("%s: %.1f %% on len_02.json\n", mappings[i], 100 * a.mape);
        if (i == 0)
            assert_float_equal(a.mape, 0.056, 0.002);
        free(cycles);
        machine_free(m);
    }
    experiments_free(e);
    str_done(&path);
    str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form_names),
        cmocka_unit_test(test_experiments),
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_experiments_out_and_in),
        cmocka_unit_test(test_names_return),
        cmocka_unit_test(test_mapping_names_return),
        cmocka_unit_test(test_published),
    };
    return cmocka_run_group_tests_name("PMEvo JSON", tests, NULL, NULL);
}
