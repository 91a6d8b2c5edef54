/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "isa/a64/decode_parts.h"

#include <config.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define TEXT_OF(name) #name
#define CAPSTONE_LIBRARY(major) "libcapstone.so." TEXT_OF(major)
#define LIBRARY_SIZE ((size_t)4 << 20)

/* Functions of Capstone, which is loaded for the first AArch64 instruction. Its tables contain
 * 77,000 addresses; their relocation would dominate the program's start-up time. */
static struct {
    __typeof__(&cs_open) open;
    __typeof__(&cs_close) close;
    __typeof__(&cs_option) option;
    __typeof__(&cs_malloc) malloc;
    __typeof__(&cs_free) free;
    __typeof__(&cs_disasm_iter) disassemble;
} capstone;

/* The Capstone handle of one thread. Threads cannot share a handle. */
struct decoder {
    csh handle;
    cs_insn *insn;
};

static pthread_key_t decoder_key;
static pthread_once_t initialised = PTHREAD_ONCE_INIT;

static void decoder_free(void *take)
{
    struct decoder *d = take;
    if (d->insn)
        capstone.free(d->insn, 1);
    capstone.close(&d->handle);
    free(d);
}

/* Frees the main thread's handle at exit, because the destructor of the thread's key does not run
 * for the main thread. */
static void free_main(void)
{
    struct decoder *d = pthread_getspecific(decoder_key);
    if (d)
        decoder_free(d);
    pthread_setspecific(decoder_key, NULL);
}

/* Loads Capstone, which is never unloaded. Ends the program on failure. */
static void capstone_load(void)
{
    void *library = dlopen(CAPSTONE_LIBRARY(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);

    if (!library && mem_yield(LIBRARY_SIZE))
        library = dlopen(CAPSTONE_LIBRARY(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die("cannot initialise the AArch64 decoder: %s", dlerror());
    *(void **)&capstone.open = dlsym(library, "cs_open");
    *(void **)&capstone.close = dlsym(library, "cs_close");
    *(void **)&capstone.option = dlsym(library, "cs_option");
    *(void **)&capstone.malloc = dlsym(library, "cs_malloc");
    *(void **)&capstone.free = dlsym(library, "cs_free");
    *(void **)&capstone.disassemble = dlsym(library, "cs_disasm_iter");
    if (!capstone.open || !capstone.close || !capstone.option || !capstone.malloc ||
        !capstone.free || !capstone.disassemble)
        die("%s lacks a function of Capstone %d", CAPSTONE_LIBRARY(CS_API_MAJOR), CS_API_MAJOR);
}

static void initialise(void)
{
    capstone_load();
    if (pthread_key_create(&decoder_key, decoder_free) != 0)
        die("no thread-specific storage left");
    capstone.option(0, CS_OPT_MEM,
                    (size_t)(uintptr_t) &
                        (cs_opt_mem){mem_alloc, mem_zero, mem_resize, free, vsnprintf});
    atexit(free_main);
}

static struct decoder *decoder_get(void)
{
    pthread_once(&initialised, initialise);
    struct decoder *d = pthread_getspecific(decoder_key);
    if (d)
        return d;
    d = mem_zero(1, sizeof *d);
    if (capstone.open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &d->handle) != CS_ERR_OK)
        die("Capstone has no AArch64 decoder");
    d->insn = capstone.malloc(d->handle);
    pthread_setspecific(decoder_key, d);
    return d;
}

bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands)
{
    struct decoder *d = decoder_get();
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    const uint8_t *at = bytes;
    size_t left = 4;
    uint64_t address = offset;
    if (!capstone.disassemble(d->handle, &at, &left, &address, d->insn))
        return false;
    *mnemonic = d->insn->mnemonic;
    *operands = d->insn->op_str;
    return true;
}

#else

/* Build without Capstone (--without-capstone): another disassembler decodes every word
 * (a64_learn). */
bool a64_capstone_reads(uint32_t word, uint64_t offset, const char **mnemonic,
                        const char **operands)
{
    (void)word, (void)offset, (void)mnemonic, (void)operands;
    return false;
}

#endif
