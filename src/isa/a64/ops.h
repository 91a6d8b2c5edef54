/* AArch64 as an instruction set. */
#ifndef PORTOLAN_ISA_A64_OPS_H
#define PORTOLAN_ISA_A64_OPS_H

#include "isa/isa.h"

/* What a text may use: everything the assembler of binutils 2.40 knows that a user program can run. */
#define A64_MARCH "armv8.7-a+sve2+sve2-bitperm+sve2-aes+sve2-sha3+sve2-sm4+crypto+sha3+sm4+fp16+fp16fml+dotprod+bf16+i8mm+f32mm+f64mm+rng+memtag+ls64"

extern const struct isa_ops a64_ops;

#endif
