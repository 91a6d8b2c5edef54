/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__aarch64__)
#include "measure/arch.h"

#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "measure/bare.h"
#include "measure/sandbox.h"

#define CHECK(member, offset)                                                                      \
    _Static_assert(offsetof(struct sandbox_frame, member) == (offset),                             \
                   "the entry code writes " #member " as " #offset)
CHECK(phase, 0);
CHECK(stack, 16);
CHECK(target, 24);
CHECK(warm, 32);
CHECK(count, 40);
CHECK(start, 48);
CHECK(end, 56);
CHECK(vectors, 64);
CHECK(counter_register, 68);
CHECK(control, 72);
CHECK(clean, 76);
CHECK(general, 80);
CHECK(passes, 344);
CHECK(values, 352);
CHECK(self, 864);

/* tpidr_el0 points to the frame. x0 also points to the frame until the loop's register values are
 * loaded, and again after the loop. The loop ends with a jump through frame->phase: first to
 * sandbox_mark, which starts the timed part, then to sandbox_finish. x16 points to the loop, whose
 * first two instructions reload x16. The timed part includes these and other reloads of registers,
 * which take the same time for all code. */
__asm__(
    ".text\n"
    ".arch armv8.2-a+sve\n"
    ".globl sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, "
    "sandbox_sigreturn, sandbox_sigreturn_site, arch_continue\n"
    ".hidden sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, "
    "sandbox_sigreturn, sandbox_sigreturn_site, arch_continue\n"
    ".type sandbox_enter, %function\n"
    ".p2align 6\n"
    "sandbox_enter:\n"
    "    stp x29, x30, [sp, #-176]!\n"
    "    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n    stp x23, x24, [sp, #48]\n    "
    "stp x25, x26, [sp, #64]\n    stp x27, x28, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n    "
    "stp d14, d15, [sp, #144]\n"
    "    mrs x1, fpcr\n"
    "    stp x1, x18, [sp, #160]\n"
    "    mov x1, sp\n"
    "    str x1, [x0, #16]\n"
    "    ldr x2, [x0, #32]\n"
    "    cbz x2, sandbox_mark\n"
    "    adr x1, sandbox_mark\n"
    "    str x1, [x0]\n"
    "    bl sandbox_load_vectors\n"
    "    b sandbox_load_general\n"
    ".p2align 6\n"
    "sandbox_mark:\n"
    "    mrs x0, tpidr_el0\n"
    "    ldr x1, [x0, #16]\n"
    "    mov sp, x1\n"
    "    adr x1, sandbox_finish\n"
    "    str x1, [x0]\n"
    "    ldr x2, [x0, #40]\n"
    "    bl sandbox_load_vectors\n"
    "    isb\n"
    "    mrs x1, cntvct_el0\n"
    "    str x1, [x0, #48]\n"
    "sandbox_load_general:\n"
    "    ldr x1, [x0, #328]\n"
    "    mov sp, x1\n"
    "    ldp x2, x3, [x0, #96]\n    ldp x4, x5, [x0, #112]\n    ldp x6, x7, [x0, #128]\n    ldp "
    "x8, x9, [x0, #144]\n    ldp x10, x11, [x0, #160]\n"
    "    ldp x12, x13, [x0, #176]\n    ldp x14, x15, [x0, #192]\n    ldp x17, x18, [x0, #216]\n    "
    "ldp x19, x20, [x0, #232]\n    ldp x21, x22, [x0, #248]\n"
    "    ldp x23, x24, [x0, #264]\n    ldp x25, x26, [x0, #280]\n    ldp x27, x28, [x0, #296]\n    "
    "ldp x29, x30, [x0, #312]\n"
    "    ldr x16, [x0, #24]\n"
    "    ldp x0, x1, [x0, #80]\n"
    "    isb\n"
    "    br x16\n"
    ".p2align 6\n"
    "sandbox_finish:\n"
    "    mrs x0, tpidr_el0\n"
    "    ldr x1, [x0, #344]\n"
    "    sub x1, x1, #1\n"
    "    str x1, [x0, #344]\n"
    "    cbnz x1, sandbox_load_general\n"
    "    isb\n"
    "    mrs x1, cntvct_el0\n"
    "    str x1, [x0, #56]\n"
    "    mov w1, #0\n"
    /* Register x0 points to the frame, and w1 has the return value. */
    "sandbox_leave:\n"
    "    ldr x2, [x0, #16]\n"
    "    mov sp, x2\n"
    "    msr nzcv, xzr\n"
    "    ldp x2, x18, [sp, #160]\n"
    "    msr fpcr, x2\n"
    "    msr fpsr, xzr\n"
    "    mov w0, w1\n"
    "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n    ldp x23, x24, [sp, #48]\n    "
    "ldp x25, x26, [sp, #64]\n    ldp x27, x28, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n    "
    "ldp d14, d15, [sp, #144]\n"
    "    ldp x29, x30, [sp], #176\n"
    "    ret\n"
    ".type sandbox_escape, %function\n"
    "sandbox_escape:\n"
    "    mov w1, w0\n"
    "    mrs x0, tpidr_el0\n"
    "    b sandbox_leave\n"
    /* Register x2 has the number of iterations, the initial value of the loop counter. */
    "sandbox_load_vectors:\n"
    "    ldr w3, [x0, #68]\n"
    "    add x3, x0, x3, lsl #3\n"
    "    str x2, [x3, #80]\n"
    "    ldr w3, [x0, #72]\n"
    "    msr fpcr, x3\n"
    "    msr fpsr, xzr\n"
    "    msr nzcv, xzr\n"
    "    add x3, x0, #352\n"
    "    ldr w4, [x0, #64]\n"
    "    cbnz w4, 1f\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    ldr q\\r, [x3], #8\n"
    ".endr\n"
    "    ret\n"
    "1:  setffr\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    ptrue p\\r\\().b\n"
    ".endr\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    ldr z\\r, [x3]\n"
    "    add x3, x3, #8\n"
    ".endr\n"
    "    ldr w4, [x0, #76]\n"
    "    cbz w4, 2f\n"
    "    ldp x3, x4, [x0, #288]\n"
    "    dup z29.d, x3\n"
    "    dup z30.d, x4\n"
    "    dup z31.d, #0\n"
    "2:  ret\n"
    ".type sandbox_syscall, %function\n"
    "sandbox_syscall:\n"
    "    mov x8, x0\n"
    "    mov x0, x1\n    mov x1, x2\n    mov x2, x3\n    mov x3, x4\n    mov x4, x5\n    mov x5, "
    "x6\n"
    "    svc #0\n"
    "sandbox_syscall_site:\n"
    "    ret\n"
    "sandbox_sigreturn:\n"
    "    mov x8, #139\n"
    "    svc #0\n"
    "sandbox_sigreturn_site:\n"
    "    udf #0\n"
    ".type arch_continue, %function\n"
    "arch_continue:\n"
    "    mov sp, x0\n"
    "    mov x29, #0\n"
    "    mov x0, x2\n"
    "    blr x1\n"
    "    udf #0\n");
_Static_assert(A64_STORES == 26 && A64_LOADS == 27 && A64_STORE_POINTERS == 29 &&
                   A64_LOAD_POINTERS == 30 && A64_ZERO_OFFSETS == 31,
               "the offsets match the entry code");

#define WORD(w) (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24
const struct arch_code arch_chain = {{WORD(0x8b0b0000u)}, 4} /* add x0, x0, x11 */,
                       arch_second_chain = {{WORD(0x9b0b7c00u)}, 4} /* mul x0, x0, x11 */,
                       arch_nop = {{WORD(0xd503201fu)}, 4},
                       arch_pair = {{WORD(0x8b0b0001u), WORD(0x8b0c0062u)},
                                    8} /* add x1, x0, x11; add x2, x3, x12 */,
                       arch_ports = {{WORD(0xeb0c017fu), WORD(0xeb0c017fu), WORD(0xeb0c017fu),
                                      WORD(0xeb0c017fu), WORD(0xeb0c017fu), WORD(0xd503201fu)},
                                     24} /* cmp x11, x12, five times; nop */,
                       arch_room_begin = {{0}, 0}, arch_room_link = {{0}, 0};

static size_t put(uint8_t *at, uint32_t word)
{
    memcpy(at, &word, 4);
    return 4;
}

BARE struct sandbox_frame *arch_frame(void)
{
    return arch_thread();
}

BARE void *arch_thread(void)
{
    void *thread;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
    return thread;
}

BARE void arch_thread_set(struct sandbox_frame *frame, void *local)
{
    /* Does not use the value, because code that reads the second thread register is rejected. */
    (void)local;
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(frame) : "memory");
}

/* Writes mrs x16, tpidr_el0; ldr x16, [x16, #member]. */
static size_t put_frame_load(uint8_t *code, size_t at, size_t member)
{
    put(code + at, 0xd53bd050u);
    put(code + at + 4, 0xf9400210u | (uint32_t)(member / 8) << 10);
    return 8;
}

size_t arch_loop_begin(uint8_t *code, size_t at)
{
    return put_frame_load(code, at,
                          offsetof(struct sandbox_frame, general) + 16 * sizeof(uint64_t));
}

size_t arch_loop_end(uint8_t *code, size_t start, size_t end, unsigned counter)
{
    unsigned reg = counter >= COUNTER_REGISTER ? counter - COUNTER_REGISTER : A64_COUNTER;
    size_t at = end;

    /* Uses cbnz, which does not change the flags and reaches one MiB (ARCH_LOOP_LIMIT). */
    at += put(code + at, 0xd1000400u | reg << 5 | reg);
    at += put(code + at,
              0xb5000000u | ((uint32_t)(-(int32_t)((at - start) / 4)) & 0x7ffff) << 5 | reg);
    at += put_frame_load(code, at, offsetof(struct sandbox_frame, phase));
    at += put(code + at, 0xd61f0200u);   /* br x16 */
    return at - end;
}

size_t arch_load(uint8_t *out, bool vector, unsigned offset)
{
    /* ldr x1, [x27, #]; ldr q8, [x27, #] */
    return put(out, vector ? 0x3dc00000u | offset / 16 << 10 | A64_LOADS << 5 | 8
                           : 0xf9400000u | offset / 8 << 10 | A64_LOADS << 5 | 1);
}

unsigned arch_setup(const struct body *body)
{
    return body->vectors == BODY_SVE ? SETUP_SVE : SETUP_NEON;
}

BARE unsigned arch_setup_plain(const struct sandbox_frame *frame)
{
    (void)frame;
    return SETUP_NEON;
}

void arch_frame_begin(struct sandbox_frame *frame)
{
    /* Flushes denormals to zero in all precisions, and makes NaNs the default NaN. */
    frame->control = 1u << 25 | 1u << 24 | 1u << 19;
}

BARE void arch_frame_kernel(struct sandbox_frame *frame)
{
    frame->clean = 0;
}

BARE void arch_frame_fill(struct sandbox_frame *f, const uint8_t *area, size_t loads_at)
{
    uint64_t loads = (uint64_t)(area + AREA_LOADS + AREA_PAGES_AT + 4096),
             stores = (uint64_t)(area + AREA_STORES + AREA_PAGES_AT + 4096);

    (void)loads_at;   /* Does not use the argument: AArch64 has many load bases, which are far
                       * apart. */
    /* Small odd numbers are valid as shift counts and as divisors. */
    for (unsigned i = 0; i < 31; i++)
        f->general[i] = 37 + 4 * i;
    for (unsigned i = 0; i < sizeof a64_load_bases; i++)
        f->general[a64_load_bases[i]] = loads + BODY_WINDOW + i * A64_BASES_APART;
    for (unsigned i = 0; i < sizeof a64_store_bases; i++)
        f->general[a64_store_bases[i]] = stores + BODY_WINDOW + i * A64_BASES_APART;
    f->general[A64_LOADS] = loads;
    f->general[A64_STORES] = stores;
    f->general[A64_BACK] = (uint64_t)-16;
    f->general[A64_FORTH] = 16;
    f->general[A64_ZERO] = 0;
    f->general[A64_LONG] = 0x6eadbeef7badcafe;
    f->general[31] = (uint64_t)(area + AREA_STACK + AREA_STACK_SIZE / 2);
    f->clean = 1;
}

BARE uint64_t arch_fault_code(const void *context)
{
    return ((const ucontext_t *)context)->uc_mcontext.pc;
}

BARE void arch_code_changed(uint8_t *code, size_t length)
{
    /* Passes the addresses at which the code runs, because instruction caches may be virtually
     * tagged. */
    __builtin___clear_cache((char *)code, (char *)code + length);
}

bool arch_has_states(void)
{
    return false;
}

const char *arch_remark(void)
{
    return "measurement on AArch64 was tested only in emulation: compare these values with known "
           "values first";
}

#endif
