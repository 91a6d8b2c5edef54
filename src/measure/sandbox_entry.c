/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/sandbox_entry.h"

#include <stddef.h>

#if defined(__x86_64__)

#define CHECK(member, offset) _Static_assert(offsetof(struct sandbox_frame, member) == (offset), "the entry code writes " #member " as " #offset)
CHECK(phase, 0);
CHECK(counter, 8);
CHECK(stack, 16);
CHECK(target, 24);
CHECK(warm, 32);
CHECK(count, 40);
CHECK(start, 48);
CHECK(end, 56);
CHECK(vectors, 64);
CHECK(in_register, 68);
CHECK(mxcsr, 72);
CHECK(clean, 76);
CHECK(general, 80);
CHECK(masks, 208);
CHECK(passes, 216);
CHECK(values, 224);

/* rdi holds the frame wherever a register may be used. The loop ends by jumping through frame->phase: first to sandbox_mark, which starts the timed
 * part, then to sandbox_finish. Loading the general registers is inside the time stamps: it costs the same for every code and is subtracted.
 * With passes the registers are loaded again and the loop starts over, so that its pointers come back to where they began. */
__asm__(
    ".text\n"
    ".globl sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, sandbox_sigreturn\n"
    ".hidden sandbox_enter, sandbox_escape, sandbox_syscall, sandbox_syscall_site, sandbox_sigreturn\n"
    ".type sandbox_enter, @function\n"
    ".p2align 6\n"
    "sandbox_enter:\n"
    "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    sub $8, %rsp\n"
    "    stmxcsr (%rsp)\n"
    "    mov %rsp, 16(%rdi)\n"
    "    mov %rdi, sandbox_frame_at(%rip)\n"
    "    mov 24(%rdi), %rax\n"
    "    mov %rax, sandbox_target(%rip)\n"
    "    mov 32(%rdi), %rcx\n"
    "    test %rcx, %rcx\n"
    "    jz sandbox_mark\n"
    "    lea sandbox_mark(%rip), %rax\n"
    "    mov %rax, 0(%rdi)\n"
    "    call sandbox_load_vectors\n"
    "    jmp sandbox_load_general\n"
    ".p2align 6\n"
    "sandbox_mark:\n"
    "    mov sandbox_frame_at(%rip), %rdi\n"
    "    mov 16(%rdi), %rsp\n"
    "    lea sandbox_finish(%rip), %rax\n"
    "    mov %rax, 0(%rdi)\n"
    "    mov 40(%rdi), %rcx\n"
    "    call sandbox_load_vectors\n"
    "    lfence\n"
    "    rdtsc\n"
    "    shl $32, %rdx\n"
    "    or %rdx, %rax\n"
    "    mov %rax, 48(%rdi)\n"
    "sandbox_load_general:\n"
    "    mov 80(%rdi), %rax\n    mov 88(%rdi), %rcx\n    mov 96(%rdi), %rdx\n    mov 104(%rdi), %rbx\n    mov 112(%rdi), %rsp\n    mov 120(%rdi), %rbp\n"
    "    mov 128(%rdi), %rsi\n    mov 144(%rdi), %r8\n    mov 152(%rdi), %r9\n    mov 160(%rdi), %r10\n    mov 168(%rdi), %r11\n    mov 176(%rdi), %r12\n"
    "    mov 184(%rdi), %r13\n    mov 192(%rdi), %r14\n    mov 200(%rdi), %r15\n    mov 136(%rdi), %rdi\n"
    "    lfence\n"
    "    jmp *sandbox_target(%rip)\n"
    ".p2align 6\n"
    "sandbox_finish:\n"
    "    mov sandbox_frame_at(%rip), %rdi\n"
    "    decq 216(%rdi)\n"
    "    jz 1f\n"
    "    mov 40(%rdi), %rcx\n"
    "    mov %rcx, 8(%rdi)\n"
    "    jmp sandbox_load_general\n"
    "1:  lfence\n"
    "    rdtsc\n"
    "    shl $32, %rdx\n"
    "    or %rdx, %rax\n"
    "    mov sandbox_frame_at(%rip), %rdi\n"
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
    "    mov sandbox_frame_at(%rip), %rdi\n"
    "    jmp sandbox_leave\n"
    /* rcx: the loop counter. */
    "sandbox_load_vectors:\n"
    "    mov %rcx, 8(%rdi)\n"
    "    cmpl $0, 68(%rdi)\n"
    "    je 1f\n"
    "    mov %rcx, 200(%rdi)\n"
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
    "    movups 224+8*\\r(%rdi), %xmm\\r\n"
    ".endr\n"
    "    jmp 9f\n"
    "3:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    vmovups 224+8*\\r(%rdi), %ymm\\r\n"
    ".endr\n"
    "    jmp 9f\n"
    "4:\n"
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "    vmovups 224+8*\\r(%rdi), %zmm\\r\n"
    ".endr\n"
    ".irp r,1,2,3,4,5,6,7\n"
    "    kmovq 208(%rdi), %k\\r\n"
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
    ".pushsection .bss\n"
    ".p2align 3\n"
    "sandbox_frame_at: .skip 8\n"
    "sandbox_target: .skip 8\n"
    ".popsection\n");

#else

#include "base/mem.h"

/* sandbox_new refuses on other processors, so nothing comes here. */
const char sandbox_syscall_site[1], sandbox_sigreturn[1];

unsigned sandbox_enter(struct sandbox_frame *frame)
{
    (void)frame;
    BUG("foreign code is entered on x86-64 only");
}

void sandbox_escape(unsigned fault)
{
    BUG("fault %u outside foreign code", fault);
}

long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    BUG("system call %ld from a sandbox that is not there", number);
}

#endif
