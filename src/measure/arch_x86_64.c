/* SPDX-License-Identifier: GPL-3.0-or-later */
#if defined(__x86_64__)
#include "measure/arch.h"

#include <asm/prctl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "isa/cpu.h"
#include "measure/bare.h"
#include "measure/sandbox.h"

#define CHECK(member, offset)                                                                      \
    _Static_assert(offsetof(struct sandbox_frame, member) == (offset),                             \
                   "the entry code writes " #member " as " #offset)
CHECK(phase, 0);
CHECK(counter, 8);
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
CHECK(masks, 336);
CHECK(passes, 344);
CHECK(values, 352);
CHECK(self, 864);
CHECK(keeps, 872);
CHECK(state.general, 880);
CHECK(state.vectors, 1136);
CHECK(state.masks, 3184);

/* gs points to the frame. rdi also points to the frame until the loop's register values are loaded,
 * and again after the loop. The loop ends with a jump through frame->phase: first to sandbox_mark,
 * which starts the timed part, then to sandbox_finish. The timed part includes loads of the general
 * registers. Their time is the same for all code and is subtracted. Each further pass reloads the
 * registers, so that pointers return to their start, and restarts the loop. Each phase waits until
 * all results are computed and stored. Otherwise the last chain of a short run and its pending
 * stores would overlap with the loads of the registers. */
__asm__(
    ".text\n"
    ".globl sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, "
    "sandbox_sigreturn, sandbox_sigreturn_site, arch_continue\n"
    ".hidden sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, "
    "sandbox_sigreturn, sandbox_sigreturn_site, arch_continue\n"
    ".type sandbox_enter, @function\n"
    ".p2align 6\n"
    "sandbox_enter:\n"
    "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    sub $8, %rsp\n"
    "    stmxcsr (%rsp)\n"
    "    mov %rsp, 16(%rdi)\n"
    "    mov 32(%rdi), %rcx\n"
    "    test %rcx, %rcx\n"
    "    jz sandbox_mark\n"
    "    lea sandbox_mark(%rip), %rax\n"
    "    mov %rax, 0(%rdi)\n"
    "    call sandbox_load_vectors\n"
    "    jmp sandbox_load_general\n"
    ".p2align 6\n"
    "sandbox_mark:\n"
    "    mov %gs:864, %rdi\n"
    "    mov 16(%rdi), %rsp\n"
    "    lea sandbox_finish(%rip), %rax\n"
    "    cmpq $0, 872(%rdi)\n"
    "    je 5f\n"
    "    lea sandbox_keep(%rip), %rax\n"
    "5:  mov %rax, 0(%rdi)\n"
    "    mov 40(%rdi), %rcx\n"
    "    call sandbox_load_vectors\n"
    "    lfence\n"
    "    rdtsc\n"
    "    shl $32, %rdx\n"
    "    or %rdx, %rax\n"
    "    mov %rax, 48(%rdi)\n"
    "sandbox_load_general:\n"
    "    mov 80(%rdi), %rax\n    mov 88(%rdi), %rcx\n    mov 96(%rdi), %rdx\n    mov 104(%rdi), "
    "%rbx\n    mov 112(%rdi), %rsp\n    mov 120(%rdi), %rbp\n"
    "    mov 128(%rdi), %rsi\n    mov 144(%rdi), %r8\n    mov 152(%rdi), %r9\n    mov 160(%rdi), "
    "%r10\n    mov 168(%rdi), %r11\n    mov 176(%rdi), %r12\n"
    "    mov 184(%rdi), %r13\n    mov 192(%rdi), %r14\n    mov 200(%rdi), %r15\n    mov 136(%rdi), "
    "%rdi\n"
    "    lfence\n"
    "    jmp *%gs:24\n"
    ".p2align 6\n"
    "sandbox_finish:\n"
    "    lfence\n"
    "    mfence\n"
    "    mov %gs:864, %rdi\n"
    "    decq 344(%rdi)\n"
    "    jz 1f\n"
    "    mov 40(%rdi), %rcx\n"
    "    mov %rcx, 8(%rdi)\n"
    "    jmp sandbox_load_general\n"
    "1:  lfence\n"
    "    rdtsc\n"
    "    shl $32, %rdx\n"
    "    or %rdx, %rax\n"
    "    mov %gs:864, %rdi\n"
    "    mov %rax, 56(%rdi)\n"
    "    xor %eax, %eax\n"
    "sandbox_leave:\n"
    "    mov 16(%rdi), %rsp\n"
    "    pushq $0x202\n"
    "    popfq\n"
    "    cmpl $0, 76(%rdi)\n"
    "    je 1f\n"
    "    vzeroupper\n"
    "1:  emms\n"
    "    ldmxcsr (%rsp)\n"
    "    add $8, %rsp\n"
    "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
    "    ret\n"
    ".type sandbox_escape, @function\n"
    "sandbox_escape:\n"
    "    mov %edi, %eax\n"
    "    mov %gs:864, %rdi\n"
    "    jmp sandbox_leave\n"
    /* Stores all registers to frame->state. Continues as if frame->keeps were 0. */
    "sandbox_keep:\n"
    "    mov %rax, %gs:880\n    mov %rcx, %gs:888\n    mov %rdx, %gs:896\n    mov %rbx, %gs:904\n  "
    "  mov %rsp, %gs:912\n    mov %rbp, %gs:920\n"
    "    mov %rsi, %gs:928\n    mov %rdi, %gs:936\n    mov %r8, %gs:944\n    mov %r9, %gs:952\n    "
    "mov %r10, %gs:960\n    mov %r11, %gs:968\n"
    "    mov %r12, %gs:976\n    mov %r13, %gs:984\n    mov %r14, %gs:992\n    mov %r15, %gs:1000\n"
    "    mov %gs:864, %rdi\n"
    "    cmpl $2, 64(%rdi)\n"
    "    ja 7f\n"
    "    je 6f\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    movups %xmm\\r, 1136+64*\\r(%rdi)\n"
    ".endr\n"
    "    jmp sandbox_finish\n"
    "6:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    vmovups %ymm\\r, 1136+64*\\r(%rdi)\n"
    ".endr\n"
    "    jmp sandbox_finish\n"
    "7:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    vmovups %zmm\\r, 1136+64*\\r(%rdi)\n"
    ".endr\n"
    ".irp r,1,2,3,4,5,6,7\n"
    "    kmovq %k\\r, 3184+8*\\r(%rdi)\n"
    ".endr\n"
    "    jmp sandbox_finish\n"
    /* Register rcx has the number of iterations, the initial value of the loop counter. */
    "sandbox_load_vectors:\n"
    "    mov %rcx, 8(%rdi)\n"
    "    mov 68(%rdi), %eax\n"
    "    test %eax, %eax\n"
    "    jz 1f\n"
    "    mov %rcx, 80(%rdi,%rax,8)\n"
    "1:  fninit\n"
    "    ldmxcsr 72(%rdi)\n"
    "    cmpl $2, 64(%rdi)\n"
    "    ja 4f\n"
    "    je 3f\n"
    "    cmpl $1, 64(%rdi)\n"
    "    jne 2f\n"
    "    vzeroupper\n"
    "2:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    movups 352+8*\\r(%rdi), %xmm\\r\n"
    ".endr\n"
    "    jmp 9f\n"
    "3:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    vmovups 352+8*\\r(%rdi), %ymm\\r\n"
    ".endr\n"
    "    jmp 9f\n"
    "4:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    vmovups 352+8*\\r(%rdi), %zmm\\r\n"
    ".endr\n"
    ".irp r,1,2,3,4,5,6,7\n"
    "    kmovq 336(%rdi), %k\\r\n"
    ".endr\n"
    "9:  pushq $0x202\n"
    "    popfq\n"
    "    ret\n"
    ".type sandbox_syscall, @function\n"
    "sandbox_syscall:\n"
    "    mov %rdi, %rax\n"
    "    mov %rsi, %rdi\n"
    "    mov %rdx, %rsi\n"
    "    mov %rcx, %rdx\n"
    "    mov %r8, %r10\n"
    "    mov %r9, %r8\n"
    "    mov 8(%rsp), %r9\n"
    "    syscall\n"
    "sandbox_syscall_site:\n"
    "    ret\n"
    "sandbox_sigreturn:\n"
    "    mov $15, %eax\n"
    "    syscall\n"
    "sandbox_sigreturn_site:\n"
    "    ud2\n"
    ".type arch_continue, @function\n"
    "arch_continue:\n"
    "    mov %rdi, %rsp\n"
    "    xor %ebp, %ebp\n"
    "    mov %rdx, %rdi\n"
    "    call *%rsi\n"
    "    ud2\n");

BARE struct sandbox_frame *arch_frame(void)
{
    struct sandbox_frame *frame;
    __asm__ volatile("mov %%gs:864, %0" : "=r"(frame));
    return frame;
}

void *arch_thread(void)
{
    void *thread;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return thread;
}

BARE void arch_thread_set(struct sandbox_frame *frame, void *local)
{
    sandbox_syscall(SYS_arch_prctl, ARCH_SET_GS, (long)frame, 0, 0, 0, 0);
    sandbox_syscall(SYS_arch_prctl, ARCH_SET_FS, (long)local, 0, 0, 0, 0);
}

/* Machine code of the sequences in arch.h. Chains add a register, because some CPUs eliminate
 * additions of immediates at rename. */
const struct arch_code arch_chain = {{0x49, 0x01, 0xf0}, 3} /* add r8, rsi */,
                       arch_second_chain = {{0x4c, 0x0f, 0xaf, 0xc6}, 4} /* imul r8, rsi */,
                       arch_nop = {{0x90}, 1},
                       arch_pair = {{0x4d, 0x01, 0xc1, 0x4c, 0x01, 0xd3},
                                    6} /* add r9, r8; add rbx, r10 */,
                       arch_ports = {{0x48, 0x39, 0xfe, 0x48, 0x39, 0xfe, 0x48, 0x39, 0xfe, 0x48,
                                      0x39, 0xfe, 0x48, 0x39, 0xfe, 0x90},
                                     16} /* cmp rsi, rdi, five times; nop */,
                       arch_room_begin = {{0x0f, 0x28, 0xc1}, 3} /* movaps xmm0, xmm1 */,
                       arch_room_link = {{0xf2, 0x0f, 0x51, 0xc0}, 4} /* sqrtsd xmm0, xmm0 */;

size_t arch_loop_begin(uint8_t *code, size_t at)
{
    (void)code, (void)at;
    return 0;
}

size_t arch_loop_end(uint8_t *code, size_t start, size_t end, unsigned counter)
{
    /* dec of the register or of qword gs:[counter]; jnz start; jmp gs:[phase] */
    unsigned reg = counter >= COUNTER_REGISTER ? counter - COUNTER_REGISTER : ARCH_COUNTER;
    const uint8_t dec_register[] = {(uint8_t)(0x48 | reg >> 3), 0xff, (uint8_t)(0xc8 | (reg & 7))};
    static const uint8_t dec_memory[] = {
        0x65, 0x48, 0xff, 0x0c, 0x25, offsetof(struct sandbox_frame, counter), 0, 0, 0};
    static const uint8_t branch[] = {0x0f, 0x85, 0, 0, 0, 0},
                         out[] = {0x65, 0xff, 0x24, 0x25, offsetof(struct sandbox_frame, phase),
                                  0,    0,    0};
    size_t at = end, length = counter == COUNTER_MEMORY ? sizeof dec_memory : sizeof dec_register;

    memcpy(code + at, counter == COUNTER_MEMORY ? dec_memory : dec_register, length);
    at += length;
    int32_t back = -(int32_t)(at + sizeof branch - start);
    memcpy(code + at, branch, sizeof branch);
    memcpy(code + at + 2, &back, 4);
    at += sizeof branch;
    memcpy(code + at, out, sizeof out);
    return at + sizeof out - end;
}

size_t arch_load(uint8_t *out, bool vector, unsigned offset)
{
    static const uint8_t general[] = {0x4d, 0x8b, 0x86} /* mov r8, [r14 + d32] */,
                         moved[] = {0x41, 0x0f, 0x10, 0x8e} /* movups xmm1, [r14 + d32] */;
    size_t length = vector ? sizeof moved : sizeof general;
    int32_t displacement = (int32_t)offset - BODY_WINDOW / 2;
    memcpy(out, vector ? moved : general, length);
    memcpy(out + length, &displacement, 4);
    return length + 4;
}

unsigned arch_setup(const struct body *body)
{
    unsigned bits = cpu_vector_bits();
    if (body->vectors == BODY_EVEX || body->wide)
        return bits >= 512 ? SETUP_ZMM : bits >= 256 ? SETUP_YMM : SETUP_SSE;
    if (body->vectors == BODY_VEX && bits >= 256)
        return SETUP_YMM;
    return bits >= 256 ? SETUP_CLEAN : SETUP_SSE;
}

void arch_frame_begin(struct sandbox_frame *frame)
{
    frame->masks = ~(uint64_t)0;
    /* Masks exceptions. Treats denormals as zero, because denormals cause microcode assists. */
    frame->control = 0x9fc0;
    frame->clean = cpu_vector_bits() >= 256;
}

BARE void arch_frame_kernel(struct sandbox_frame *frame)
{
    (void)frame;
}

BARE void arch_frame_fill(struct sandbox_frame *f, const uint8_t *area, size_t loads_at)
{
    /* Small odd numbers are valid as shift counts, divisors and near bit offsets. */
    for (unsigned i = 0; i < 16; i++)
        f->general[i] = 37 + 4 * i;
    f->general[1] = 5;
    f->general[4] = (uint64_t)(area + AREA_STACK + AREA_STACK_SIZE / 2);
    f->general[BODY_ZERO] = 0;
    f->general[BODY_LOADS] =
        (uint64_t)(area + AREA_LOADS + AREA_PAGES_AT + 4096 + BODY_WINDOW / 2 + loads_at);
    f->general[BODY_STORES] =
        (uint64_t)(area + AREA_STORES + AREA_PAGES_AT + 4096 + BODY_WINDOW + BODY_WINDOW / 2);
}

BARE unsigned arch_setup_plain(const struct sandbox_frame *frame)
{
    return frame->clean ? SETUP_CLEAN : SETUP_SSE;
}

BARE uint64_t arch_fault_code(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

BARE void arch_code_changed(uint8_t *code, size_t length)
{
    (void)code, (void)length;
}

bool arch_has_states(void)
{
    return true;
}

const char *arch_remark(void)
{
    return NULL;
}

#endif
