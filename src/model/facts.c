/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/similar.h"
#include "model/dispatch_limits.h"

/* largest number; a larger one would not limit a core, and the simulator allocates in proportion */
#define MOST 65536
#define CYCLES "cycles", 0, MOST
#define NO_UNIT "", 0, 0
#define YES_OR_NO FACT_SWITCH, NO_UNIT

const struct fact fact_schema[] = {
    {"isa", FACT_CHOICE, NO_UNIT, "x86-64", "x86-64 aarch64", "instruction set", "loader", true},
    {"ports", FACT_WORDS, NO_UNIT, NULL, NULL, "port names, in display order", "loader", true},
    {"pipes", FACT_WORDS, NO_UNIT, NULL, NULL,
     "ports occupied for several cycles per operation: dividers", "loader", true},
    {"source", FACT_TEXT, NO_UNIT, NULL, NULL, "source of the mapping, and its licence",
     "reports", true},
    {"checked", FACT_TEXT, NO_UNIT, NULL, NULL, "reference of the accuracy check, and the error",
     "machine list", true},
    {"measured_host", FACT_TEXT, NO_UNIT, NULL, NULL, "name of the host that measured the mapping",
     "forms compare", true},
    {"measured_cpu", FACT_TEXT, NO_UNIT, NULL, NULL, "that host's processor", "forms compare",
     true},
    {"measured_microcode", FACT_TEXT, NO_UNIT, NULL, NULL, "that processor's microcode",
     "forms compare", true},
    {"base", FACT_TEXT, NO_UNIT, NULL, NULL,
     "machine whose tables supply missing entries", "loader", true},
    {"title", FACT_TEXT, NO_UNIT, NULL, NULL,
     "display name of the machine; by default its directory's name", "loader", true},
    {"arch", FACT_WORDS, NO_UNIT, NULL, NULL,
     "name of the machine in the column arch of measured blocks", "kernel evaluate", true},
    {"extensions", FACT_WORDS, NO_UNIT, NULL, NULL,
     "instruction sets that the CPU has, as in the column extension of data/isa", "forms scan",
     true},
    {"compiler_name", FACT_TEXT, NO_UNIT, NULL, NULL,
     "the processor's name for -march= or -mcpu= of compilers; by default base, or the machine's "
     "directory",
     "kernel load", true},
    {"issue_slots", FACT_CHOICE, NO_UNIT, NULL, "inferred",
     "inferred: micro_ops counts issue slots and issue_width bounds every throughput", "loader",
     true},

    {"issue_width", FACT_NUMBER, "µops/cycle", 1, MOST, NULL, NULL,
     "µops, or macro-ops, renamed per cycle", "issue bound, loop buffer, simulation", false},
    {"dispatch_limits", FACT_LIMITS, NO_UNIT, NULL, NULL,
     "µops of a kind that dispatch takes per cycle; of: all µops that these ports can execute, "
     "within: µops that no other port can execute",
     "issue bound, simulation", false},
    {"rename_vectors", FACT_NUMBER, "µops/cycle", 0.5, MOST, NULL, NULL,
     "µops of vector instructions renamed per cycle, including moves, zeroing idioms, loads and "
     "stores",
     "issue bound", false},
    {"eliminate_once", FACT_WORDS, NO_UNIT, NULL, "gpr32 gpr64 xmm ymm zmm x w v s",
     "classes of moves that execute, by their row in the table, if another eliminated move wrote "
     "their source",
     "rename", false},
    {"eliminate_per_cycle", FACT_WHOLE, "moves/cycle", 1, MOST, NULL, NULL,
     "register moves per cycle that rename handles without a µop", "issue bound, simulation",
     false},
    {"eliminate_zero_per_cycle", FACT_WHOLE, "moves/cycle", 1, MOST, NULL, NULL,
     "moves of zero that rename handles per cycle; without it they count among the register moves",
     "issue bound, simulation", false},
    {"issue_domain", FACT_CHOICE, NO_UNIT, "macro-ops", "fused macro-ops",
     "unit of an issue slot: fused, a load with its operation and a store's address with its data "
     "(Intel); macro-ops (AMD)",
     "fusion", false},
    {"unlaminate", FACT_CHOICE, NO_UNIT, "none", "all three-sources not-two-address general none",
     "fused memory operands with an index register that split at rename; not-two-address: loads of "
     "operations that do not overwrite what they read, and of all VEX operations; general: those "
     "with one slot, except vectors",
     "fusion", false},
    {"unlaminate_first", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "last position in the issue group for a pair that splits", "issue bound, simulation", false},
    {"unlaminate_relative", YES_OR_NO, "no", NULL,
     "operations of general registers with an address relative to the program counter split like "
     "indexed ones, and their stores split at the decoders",
     "fusion", false},
    {"group_first", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that begin a new group at rename", "issue bound, simulation", false},
    {"group_whole", YES_OR_NO, "no", NULL,
     "an instruction of several slots takes them in one group at rename, unless they exceed a "
     "group",
     "issue bound, simulation", false},
    {"group_not_last", FACT_WORDS, NO_UNIT, NULL, "memory from_vectors",
     "instructions that never take the last slot of a rename group. memory: memory accesses; "
     "from_vectors: moves from vectors or masks to general registers or flags",
     "issue bound, simulation", false},
    {"immediate_folding", FACT_NUMBER, "", 0, MOST, NULL, NULL,
     "rename handles additions of constants to 64-bit registers while the sum stays within plus or "
     "minus this",
     "rename", false},
    {"immediate_folding_slow", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions delayed by such a sum", "dependencies", false},
    {"immediate_folding_extra", FACT_NUMBER, CYCLES, "0", NULL, "delay of those instructions",
     "dependencies", false},
    {"immediate_folding_again", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that take their ports twice to read such a sum", "ports, simulation", false},
    {"eliminate", FACT_WORDS, NO_UNIT, NULL,
     "gpr16 gpr32 gpr64 movzx8 xmm ymm zmm mask x w v s zero prefix",
     "classes of register moves that rename handles without a µop; x, w, v, s, zero and prefix "
     "(movprfx, packed with the next instruction) on AArch64",
     "rename", false},
    {"fuse_any", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a following jump, whatever its condition", "fusion, decoders",
     false},
    {"fuse_carry", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a jump, but not on overflow, sign or parity", "fusion, decoders",
     false},
    {"fuse_overflow", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a jump, but not on carry", "fusion, decoders", false},
    {"fuse_zero", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that fuse with a jump, but not on overflow, sign, parity or carry",
     "fusion, decoders", false},
    {"fuse_move", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "operations on registers and constants that fuse with a preceding move to their destination",
     "fusion", false},
    {"fuse_nop", YES_OR_NO, "no", NULL, "a nop fuses with the previous instruction", "fusion",
     false},
    {"fuse_memory_immediate", YES_OR_NO, "yes", NULL,
     "an operation on memory and an immediate fuses with a following jump", "fusion", false},
    {"fusible_in_last_decoder", YES_OR_NO, "yes", NULL,
     "the last decoder can take an instruction that could fuse with a jump", "decoders", false},
    {"stack_engine", YES_OR_NO, "no", NULL,
     "push, pop, call and ret move the stack pointer without a µop", "dependencies, µops", false},
    {"port_binding", FACT_CHOICE, NO_UNIT, "dispatch", "dispatch slots computing",
     "stage that selects a µop's port: dispatch (any free port) or rename (Intel). At rename every "
     "slot with a µop, or every computing µop with several ports, alternates between the ports "
     "with the fewest and second fewest waiting µops",
     "simulation", false},
    {"stack_pointer_sync", FACT_CHOICE, NO_UNIT, "all", "all computed changed",
     "instructions that make the stack engine write its offset back: all that name the stack "
     "pointer, those that compute it from itself, or those that do so other than by a constant",
     "µops", false},
    {"high_byte_renamed", YES_OR_NO, "yes", NULL,
     "ah, bh, ch and dh are renamed separately from their registers", "dependencies", false},
    {"slow_flags", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions whose flags conditional moves and sets of the same group take longer to read",
     "dependencies", false},
    {"slow_flags_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "latency of such a conditional move or set, also from its registers; reduced by the share of "
     "places in the group of issue_width from which it falls into the next group",
     "dependencies", false},
    {"unhurried_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports whose two-cycle operations take one cycle if loads or stores, not their chain, limit "
     "the loop",
     "dependencies", false},
    {"shift_keeps_flags", YES_OR_NO, "yes", NULL,
     "a shift or rotate by cl waits for the flags, which a count of 0 leaves unchanged",
     "dependencies", false},
    {"chain_delay_addition", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra cost of each floating-point addition outside of a chain of other vector operations, "
     "up to three",
     "dependencies", FACT_FITTED},
    {"chain_delay_company", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra time of a chain of one-cycle operations for each pair of operations that wait for it, "
     "if four to six wait for such chains in all",
     "dependencies", FACT_FITTED},
    {"bypass_delay_addition", FACT_NUMBER, CYCLES, "0", NULL,
     "extra latency from a two-cycle floating-point addition to anything but another addition",
     "dependencies", false},
    {"bypass_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports whose multipliers, converters and comparers forward late to one-cycle vector "
     "operations",
     "dependencies", false},
    {"bypass_delay", FACT_NUMBER, CYCLES, "1", NULL,
     "delay if the operation has no other ports; also from such operations to floating-point "
     "multipliers, and less if it has others, or for floating-point logic",
     "dependencies", FACT_FITTED},
    {"bypass_delay_domain", FACT_NUMBER, CYCLES, "0", NULL,
     "extra latency between floating-point arithmetic, comparisons, conversions and logic on one "
     "side, and integer vector operations and all shuffles on the other",
     "dependencies", false},
    {"wide_closes", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports without vector µops while 512-bit operations execute", "ports", false},
    {"low_byte_renamed", YES_OR_NO, "no", NULL,
     "a write to the low byte or word of a register does not wait for the rest of the register",
     "dependencies", false},
    {"false_dependency", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions with a false dependency on their destination", "dependencies", false},
    {"not_zero_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "zeroing idioms that are executed like other instructions, though they depend on nothing",
     "rename", false},
    {"zero_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "further zeroing idioms that rename handles, when both sources are the same register",
     "rename", false},
    {"ones_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that are executed but depend on nothing when both sources are the same register",
     "dependencies", false},
    {"carry_idiom", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that depend on the carry alone when both registers are the same", "dependencies",
     false},
    {"complex_decode", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that only the first decoder takes", "decoders", false},
    {"serialising", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "instructions that wait for the previous such instruction to complete", "dependencies", false},
    {"indexed_store_ports", FACT_PORTS, NO_UNIT, NULL, NULL,
     "ports for store addresses with an index register; by default those of all store addresses",
     "ports", false},

    {"predecode_bytes", FACT_WHOLE, "bytes/cycle", 1, MOST, NULL, NULL,
     "bytes per cycle and block that the predecoder scans", "predecode", false},
    {"predecode_width", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "instructions per cycle that leave the predecoder", "predecode", false},
    {"fetch_bytes", FACT_WHOLE, "bytes/cycle", 1, MOST, NULL, NULL,
     "bytes fetched per cycle, if the predecoder is unknown", "predecode", false},
    {"lcp_penalty", FACT_WHOLE, CYCLES, "0", NULL, "predecoder penalty of a length-changing prefix",
     "predecode", false},
    {"instruction_queue", FACT_WHOLE, "instructions", 1, MOST, "64", NULL,
     "instructions between predecoder and decoders", "simulation", false},
    {"decoders", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "decoders, of which only the first takes an instruction of several µops", "decoders", false},
    {"decode_complex_uops", FACT_WHOLE, "µops", 1, MOST, "4", NULL,
     "the most µops of an instruction at the first decoder; larger ones come from microcode, the "
     "same number or rename's per cycle",
     "decoders", false},
    {"decode_alone_uops", FACT_WHOLE, "µops", 1, MOST, "decode_complex_uops", NULL,
     "µops from which on an instruction is the last decoded in its cycle", "decoders", false},
    {"decode_width", FACT_WHOLE, "instructions/cycle", 1, MOST, NULL, NULL,
     "instructions per cycle through equal decoders", "decoders", false},
    {"uop_cache_width", FACT_WHOLE, "µops/cycle", 1, MOST, NULL, NULL,
     "µops per cycle from the µop cache", "µop cache", false},
    {"uop_cache_block", FACT_WHOLE, "bytes", 1, MOST, "32", NULL,
     "aligned bytes of code whose µops share lines of the µop cache", "µop cache", false},
    {"uop_cache_lines", FACT_WHOLE, "lines/block", 1, MOST, NULL, NULL,
     "µop cache lines that one block can fill; larger blocks are decoded in each "
     "iteration",
     "µop cache", false},
    {"uop_cache_line_uops", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "µops in a line of the µop cache", "µop cache", false},
    {"uop_cache_line_insns", FACT_WHOLE, "instructions", 1, 64, NULL, NULL,
     "instructions in a line of a µop cache whose lines fill in sequence from a jump's target, "
     "independent of blocks",
     "µop cache", false},
    {"uop_cache_line_constants", FACT_WHOLE, "constants", 1, 64, NULL, NULL,
     "displacements and immediates in a line of a cache that is filled in sequence; one of 64 "
     "bits counts twice; default: any number",
     "µop cache", false},
    {"uop_cache_window", FACT_WHOLE, "bytes/cycle", 1, 64, NULL, NULL,
     "aligned bytes of code that the µop cache reads in a cycle", "µop cache", false},
    {"uop_cache_window_lines", FACT_WHOLE, "lines/cycle", 1, 64, NULL, NULL,
     "lines that begin in such a window and are read in its cycle", "µop cache", false},
    {"uop_cache_window_again", FACT_WHOLE, "cycles", 1, 64, NULL, NULL,
     "extra cycles for each further uop_cache_window_lines lines that start in the window",
     "µop cache", false},
    {"uop_cache_size", FACT_WHOLE, "µops", 1, MOST, NULL, NULL,
     "µops that the µop cache holds; a longer loop is decoded in each iteration", "µop cache",
     false},
    {"uop_queue", FACT_WHOLE, "µops", 1, MOST, "64", NULL, "µops between decoders and rename",
     "simulation", false},
    {"loop_buffer", FACT_WHOLE, "µops", 0, MOST, NULL, NULL,
     "longest loop that the µop queue replays; 0: none", "loop buffer", false},
    {"taken_branches", FACT_WHOLE, "branches/cycle", 1, MOST, NULL, NULL,
     "taken branches per cycle; each iteration has at least one", "front end, simulation", false},
    {"jcc_erratum", YES_OR_NO, "no", NULL,
     "JCC erratum: a jump crossing or ending at a 32-byte boundary keeps its block out of the µop "
     "cache",
     "front end", false},

    {"rename_to_port", FACT_WHOLE, "cycles", 1, 64, "1", NULL,
     "cycles from rename, which takes an entry of the reorder buffer, to a µop's first chance at a "
     "port",
     "simulation", false},
    {"reorder_buffer", FACT_WHOLE, "µops", 1, MOST, "256", NULL,
     "µops, or macro-ops, between rename and retirement", "simulation", false},
    {"scheduler", FACT_WHOLE, "µops", 1, MOST, "96", NULL,
     "µops that wait for operands and ports, over all schedulers", "simulation", false},
    {"load_buffer", FACT_WHOLE, "loads", 1, MOST, "72", NULL, "loads between rename and retirement",
     "simulation", false},
    {"store_buffer", FACT_WHOLE, "stores", 1, MOST, "56", NULL,
     "stores between rename and the cache, which forward to loads", "simulation, dependencies",
     false},
    {"retire_width", FACT_NUMBER, "µops/cycle", 1, MOST, "issue_width", NULL,
     "µops, or macro-ops, that retire per cycle", "retirement bound, simulation", false},
    {"loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "loads that the first-level cache serves per cycle", "memory bound", false},
    {"stores_per_cycle", FACT_NUMBER, "stores/cycle", 0.01, MOST, NULL, NULL,
     "stores that the first-level cache takes per cycle", "memory bound, simulation", false},
    {"store_lines_per_cycle", FACT_NUMBER, "lines/cycle", 0.01, MOST, NULL, NULL,
     "lines that stores reach per cycle; consecutive stores to one line count once", "memory bound",
     false},
    {"store_line_bytes", FACT_WHOLE, "bytes", 0, 64, "0", NULL, "length of such a line",
     "memory bound", false},
    {"store_run", FACT_WHOLE, "stores", 1, MOST, NULL, NULL,
     "consecutive stores to one line that count once; default: any number",
     "memory bound, simulation", false},
    {"store_word_bytes", FACT_WHOLE, "bytes", 1, 8, NULL, NULL,
     "words that the cache writes whole: a store or run of stores of part of a word reads it first",
     "memory bound", false},
    {"store_word_busy", FACT_NUMBER, CYCLES, "0", NULL,
     "time after a store to a word in which such a read waits", "memory bound", false},
    {"store_word_wait", FACT_NUMBER, CYCLES, "0", NULL, "duration of that wait", "memory bound",
     false},
    {"load_bank_bytes", FACT_WHOLE, "bytes", 2, 64, NULL, NULL,
     "width of the banks, by address modulo 64, that loads share", "memory bound, simulation",
     false},
    {"load_line_banks", FACT_WHOLE, "banks", 1, 32, NULL, NULL,
     "banks that take turns line by line of 64 bytes, a power of two: a bank serves one line per "
     "cycle, to any number of loads",
     "memory bound, simulation", false},
    {"loads_per_bank", FACT_WHOLE, "loads/cycle", 1, MOST, "1", NULL,
     "loads that one such bank serves per cycle", "memory bound, simulation", false},
    {"load_replays", FACT_NUMBER, "loads", 0, 1, NULL, NULL,
     "extra load-port slots of a load whose value is another's address: dependent loads are "
     "replayed",
     "memory bound, simulation", FACT_FITTED},
    {"load_replays_through", FACT_WHOLE, "instructions", 0, 64, "0", NULL,
     "the same with up to this many operations on registers between the two loads",
     "memory bound, simulation", FACT_FITTED},
    {"load_replays_pairs", FACT_NUMBER, "loads", 0, 1, "0", NULL,
     "extra load-port slots of each pair of such loads that wait, through one or several others, "
     "for the same load",
     "memory bound, simulation", FACT_FITTED},
    {"vector_loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "vector loads executed per cycle", "memory bound", false},
    {"vector_loads_mixed", FACT_NUMBER, "loads", 0, 1, NULL, NULL,
     "share of these that another load or store takes, for up to three per vector load",
     "memory bound, simulation", FACT_FITTED},
    {"vector_loads_mixed_runs", FACT_NUMBER, "loads", 0, 1, "vector_loads_mixed", NULL,
     "the same if at least half of the accesses follow an access of their kind",
     "memory bound, simulation", FACT_FITTED},
    {"forward_replays", FACT_NUMBER, "loads", 0, 4, NULL, NULL,
     "extra load-port slots per store-forwarded load; plain stores also use one",
     "memory bound, simulation", FACT_FITTED},
    {"forward_replays_modify", FACT_NUMBER, "loads", 0, 4, "forward_replays", NULL,
     "the same of a load that finds a read-modify-write", "memory bound, simulation", FACT_FITTED},
    {"alu_replays", FACT_NUMBER, "slots", 0, 2, NULL, NULL,
     "extra port use of an operation whose input waits for a port: it is replayed",
     "port bound, simulation", FACT_FITTED},
    {"alu_replays_ports", FACT_PORTS, NO_UNIT, NULL, NULL, "the ports of such operations",
     "port bound, simulation", false},
    {"split_loads_per_cycle", FACT_NUMBER, "loads/cycle", 0.01, MOST, NULL, NULL,
     "loads across a line of 64 bytes per cycle", "memory bound, simulation", false},
    {"split_access_slots", FACT_NUMBER, "accesses", 1, 16, NULL, NULL,
     "load or store slots of an access across a line of 64 bytes", "memory bound", false},
    {"dtlb_miss", FACT_NUMBER, CYCLES, "0", NULL,
     "extra cost of the first load from a page, in blocks that walk through memory",
     "measured blocks", false},
    {"copies_cached", FACT_NUMBER, "", 0, 1, NULL, NULL,
     "share of unrolled copies that the µop cache delivers when a measured block runs again",
     "measured blocks", FACT_FITTED},
    {"copies_cached_bytes", FACT_NUMBER, "bytes", 1, MOST, NULL, NULL,
     "longest block with a share of 1", "measured blocks", FACT_FITTED},

    {"line_bytes", FACT_WHOLE, "bytes", 1, MOST, "64", NULL, "length of a cache line", "programs",
     false},
    {"l1_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL, "first-level data cache of a core",
     "programs", false},
    {"l1_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "its associativity", "programs", false},
    {"l1_prefetch_step", FACT_NUMBER, "bytes", 0, MOST, NULL, NULL,
     "longest constant step of a load whose lines are prefetched from the second level, also "
     "across pages; default: none",
     "programs", false},
    {"l1_crowded_cycles", FACT_NUMBER, CYCLES, "0", NULL,
     "least cycles per line for consecutive lines of one first-level set", "programs", false},
    {"l2_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL,
     "second-level cache that a core can use", "programs", false},
    {"l2_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "its associativity", "programs", false},
    {"l2_latency", FACT_NUMBER, CYCLES, NULL, NULL, "address to value from the second level",
     "programs", false},
    {"l2_line_cycles", FACT_NUMBER, CYCLES, "2", NULL,
     "cycles per line streamed from the second level", "programs", false},
    {"l2_miss_cycles", FACT_NUMBER, CYCLES, "l2_line_cycles", NULL,
     "cycles per line from the second level for independent accesses in random order", "programs",
     false},
    {"l2_oldest", FACT_NUMBER, "", 0, 1, "1", NULL,
     "share of its evictions that replace the least recently used line; all others replace a "
     "random line of the set",
     "programs", false},
    {"l2_column_oldest", FACT_NUMBER, "", 0, 1, "l2_oldest", NULL,
     "the same for lines that are a large power of two apart, which use few of its sets",
     "programs", false},
    {"l3_bytes", FACT_NUMBER, "bytes", 64, 1e12, NULL, NULL,
     "third-level cache that a core can use", "programs", false},
    {"l3_ways", FACT_WHOLE, "ways", 1, MOST, NULL, NULL, "its associativity", "programs", false},
    {"l3_latency", FACT_NUMBER, CYCLES, NULL, NULL, "address to value from the third level",
     "programs", false},
    {"l3_line_cycles", FACT_NUMBER, CYCLES, "8", NULL,
     "cycles per line streamed from the third level", "programs", false},
    {"l3_miss_cycles", FACT_NUMBER, CYCLES, "l3_line_cycles", NULL, "the same from the third level",
     "programs", false},
    {"l2_kept", FACT_NUMBER, "ms", 0.001, MOST, NULL, NULL,
     "time constant of L2 eviction by co-runners on the core; default: no eviction", "programs",
     false},
    {"l3_kept", FACT_NUMBER, "ms", 0.001, MOST, NULL, NULL,
     "time constant of L3 eviction by co-runners; default: no eviction", "programs", false},
    {"memory_latency", FACT_NUMBER, "ns", 0, MOST, NULL, NULL, "address to value from main memory",
     "programs", false},
    {"memory_bandwidth", FACT_NUMBER, "GB/s", 0.001, MOST, NULL, NULL,
     "main memory's bandwidth for one core", "programs", false},
    {"socket_bandwidth", FACT_NUMBER, "GB/s", 0.001, MOST, NULL, NULL,
     "main memory's bandwidth for all cores of a socket together", "kernel memory", false},
    {"line_write", FACT_NUMBER, "", 0.1, 100, "2", NULL,
     "cost of a written line of a stream, relative to a read line", "programs",
     false},
    {"line_alone", FACT_NUMBER, "", 1, 2, "1", NULL,
     "cost of a line of a single stream from main memory, relative to a line of each of two "
     "streams",
     "programs", false},
    {"transfers_overlap", YES_OR_NO, "yes", NULL,
     "lines are transferred to the first level while the core loads and stores there; else these "
     "times add up (ECM)",
     "kernel memory", false},
    {"miss_parallel", FACT_NUMBER, "lines", 1, MOST, "10", NULL,
     "cache misses of a core in flight together", "programs", false},
    {"tlb_pages", FACT_NUMBER, "pages", 1, MOST, NULL, NULL,
     "pages whose translation the last level of the TLB holds; default: translations cost nothing",
     "programs", false},
    {"page_walk_cycles", FACT_NUMBER, CYCLES, "0", NULL, "cycles per independent page-table lookup",
     "programs", false},
    {"branch_miss", FACT_NUMBER, CYCLES, "17", NULL, "cost of a mispredicted branch", "programs",
     false},
    {"clock", FACT_NUMBER, "GHz", 0.001, MOST, NULL, NULL, "core clock of a typical part",
     "programs", false},

    {"load_latency", FACT_NUMBER, CYCLES, NULL, NULL,
     "address to value, to a general register; default: dependences through loads are unknown, and "
     "results with one are lower bounds",
     "dependencies", false},
    {"load_latency_simple", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "the same when the address was itself loaded and has no index and a short displacement",
     "dependencies", false},
    {"load_latency_vector", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "address to value, 128 bits to a vector register", "dependencies", false},
    {"load_latency_scalar", FACT_NUMBER, CYCLES, "load_latency_vector", NULL,
     "address to value, 32 or 64 bits to a vector register", "dependencies", false},
    {"load_latency_x87", FACT_NUMBER, CYCLES, "load_latency_scalar", NULL,
     "address to value, to the x87 stack", "dependencies", false},
    {"load_latency_wide", FACT_NUMBER, CYCLES, "load_latency_vector", NULL,
     "address to value, 256 or 512 bits", "dependencies", false},
    {"load_extra_scaled", FACT_NUMBER, CYCLES, "0", NULL,
     "extra load latency of an index scaled by 2 or more", "dependencies", false},
    {"load_extra_three", FACT_NUMBER, CYCLES, "0", NULL,
     "extra load latency of base, index and displacement together, the index not scaled",
     "dependencies", false},
    {"load_extra_segment", FACT_NUMBER, CYCLES, "0", NULL,
     "extra load latency of a segment register, fs or gs", "dependencies", false},
    {"store_forward", FACT_NUMBER, CYCLES, "load_latency", NULL,
     "stored value to loaded value, from a general register", "dependencies", false},
    {"store_forward_vector", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "stored value to loaded value, from a vector register", "dependencies", false},
    {"store_forward_wide", FACT_NUMBER, CYCLES, "store_forward_vector", NULL,
     "stored value to loaded value, 256 bits or more", "dependencies", false},
    {"store_forward_widest", FACT_NUMBER, CYCLES, "store_forward_wide", NULL,
     "stored value to loaded value, 512 bits or a part of them", "dependencies", false},
    {"store_forward_x87", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "stored value to loaded value, to the x87 stack", "dependencies", false},
    {"store_forward_modify", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "from one read-modify-write to the next, without the operation; also of a load, one cycle of "
     "work and a store",
     "dependencies", false},
    {"store_address_late", FACT_NUMBER, CYCLES, NULL, NULL,
     "a store's address to the value of the load that finds it, if the address comes last",
     "dependencies", false},
    {"store_forward_copied", FACT_NUMBER, CYCLES, NULL, NULL,
     "minimum for a stored vector that was loaded", "dependencies", false},
    {"store_forward_fail_drains", YES_OR_NO, "no", NULL,
     "the stores after a load that such a store blocks drain before the next such store: at "
     "stores_per_cycle",
     "dependencies", false},
    {"store_forward_fail", FACT_NUMBER, CYCLES, "store_forward", NULL,
     "stored value to loaded value when the store covers the load in part", "dependencies", false},
    {"store_forward_part", FACT_NUMBER, CYCLES, NULL, NULL,
     "the same when one store covers a part and the rest comes from the cache: the load then does "
     "not wait for the store to commit",
     "dependencies", false},
    {"memory_renaming", FACT_NUMBER, CYCLES, NULL, NULL,
     "stored value to loaded value if rename finds the store by its registers; default: rename "
     "finds no stores",
     "dependencies", false},
    {"memory_renaming_loads", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "loads that can find their store at rename", "dependencies", false},
    {"memory_renaming_tests", FACT_WORDS, "mnemonics", 0, 0, NULL, NULL,
     "the same with an immediate and only flags as the result", "dependencies", false},
    {"memory_renaming_modify", FACT_CHOICE, NO_UNIT, "none", "all constant none",
     "read-modify-writes that rename can find: all, or those without a register and without carry",
     "dependencies", false},
    {"memory_renaming_bits", FACT_WORDS, "bits", 0, 0, NULL, "8 16 32 64",
     "widths of such stores and loads", "dependencies", false},
    {"memory_renaming_match", FACT_CHOICE, NO_UNIT, "text", "text address",
     "how rename finds the store: text, by equal, unchanged registers; address, if the addresses "
     "are equal and have no index",
     "dependencies", false},
    {"memory_renaming_length", FACT_WHOLE, "instructions", 1, MOST, NULL, NULL,
     "if rename compares text: least number of instructions in a block for finding the store by "
     "equal addresses",
     "dependencies", FACT_FITTED},
    {"memory_renaming_length_stack", YES_OR_NO, "yes", NULL,
     "the same if push, pop, call or ret is in the block", "dependencies", false},
    {"memory_renaming_apart", FACT_WHOLE, "bytes", 2, 64, NULL, NULL,
     "except if the block's length is a multiple of this number of bytes", "dependencies",
     FACT_FITTED},
    {"memory_renaming_apart_through", FACT_WHOLE, "instructions", 1, MOST, NULL, NULL,
     "up to this many instructions; default: any number", "dependencies", FACT_FITTED},
    {"memory_renaming_every_other", YES_OR_NO, "no", NULL,
     "in blocks with one instruction less than memory_renaming_length every second such store is "
     "found",
     "dependencies", FACT_FITTED},
    {"memory_renaming_base", FACT_CHOICE, NO_UNIT, "any", "any stack",
     "base of such addresses: any register, or the stack pointer alone, without index",
     "dependencies", false},
    {"memory_renaming_relative", YES_OR_NO, "yes", NULL,
     "loads and stores relative to the program counter, or at a fixed address, are among those "
     "that may be renamed",
     "dependencies", false},
    {"memory_renaming_per_block", FACT_WHOLE, "loads", 1, MOST, NULL, NULL,
     "with more such loads in 32 bytes of code none is found", "dependencies", false},
    {"memory_renaming_store_alone", YES_OR_NO, "no", NULL,
     "next to a store found at rename each store takes the cache alone", "memory bound", false},
    {"memory_renaming_store_beside", FACT_WHOLE, "stores", 0, MOST, NULL, NULL,
     "number of stores next to each such store that do so; default: all. Read-modify-writes among "
     "the loads then do not count",
     "memory bound", false},
    {"x87_assist", FACT_NUMBER, CYCLES, NULL, NULL,
     "extra time of an x87 instruction on an empty register, NaN or denormal", "measured blocks",
     false},
    {"lock_latency", FACT_NUMBER, CYCLES, "0", NULL,
     "latency from one locked instruction to the next", "dependencies", false},
    {"high_byte_latency", FACT_NUMBER, CYCLES, "0", NULL,
     "latency of merging ah, bh, ch or dh into its register", "dependencies", false},
    {.key = NULL},
};

/* Obsolete keys of facts. */
static const struct { const char *former, *key; } renamed[] = {
    {"port_turns", "port_binding"},
    {"rename_sum", "immediate_folding"},
    {"rename_sum_slow", "immediate_folding_slow"},
    {"rename_sum_extra", "immediate_folding_extra"},
    {"rename_sum_again", "immediate_folding_again"},
    {"store_forward_renamed", "memory_renaming"},
    {"renamed_loads", "memory_renaming_loads"},
    {"renamed_tests", "memory_renaming_tests"},
    {"renamed_modify", "memory_renaming_modify"},
    {"renamed_bits", "memory_renaming_bits"},
    {"renamed_match", "memory_renaming_match"},
    {"renamed_length", "memory_renaming_length"},
    {"renamed_base", "memory_renaming_base"},
    {"renamed_relative", "memory_renaming_relative"},
    {"renamed_per_block", "memory_renaming_per_block"},
    {"renamed_store_alone", "memory_renaming_store_alone"},
    {"renamed_store_beside", "memory_renaming_store_beside"},
    {"multiplier_ports", "bypass_ports"},
    {"multiplier_extra", "bypass_delay"},
    {"vector_domain_extra", "bypass_delay_domain"},
    {"fp_add_extra", "bypass_delay_addition"},
    {"stack_sync", "stack_pointer_sync"},
    {"dispatch_ports", "dispatch_limits"},       /* dispatch_limits replaces two facts */
    {"dispatch_per_cycle", "dispatch_limits"},
};

const struct fact *fact_find(const char *key)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (str_same(renamed[i].former, key))
            key = renamed[i].key;
    for (const struct fact *f = fact_schema; f->key; f++)
        if (str_same(f->key, key))
            return f;
    return NULL;
}

const char *fact_meant(const char *key)
{
    struct similar similar = {.word = key};

    for (const struct fact *f = fact_schema; f->key; f++)
        similar_try(&similar, f->key);
    return similar.best;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (; list && *list; list += strspn(list, " ")) {
        size_t span = strcspn(list, " ");
        if (span == length && memcmp(list, word, length) == 0)
            return true;
        list += span;
    }
    return false;
}

static bool parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *text && *text != ' ' && !*end && isfinite(*out);
}

static bool check_number(const struct fact *f, const char *value, struct err *err)
{
    double number;
    bool parsed = parse_number(value, &number);

    if (!parsed || (f->type == FACT_WHOLE && number != rint(number)))
        return err_set(err, ERR_DATA, NULL, "%s must be a %snumber from %g to %g, not \"%.80s\"",
                       f->key, f->type == FACT_WHOLE ? "whole " : "", f->least, f->most, value);
    if (number < f->least || number > f->most)
        return err_set(err, ERR_DATA, NULL, "%s must be from %g to %g, not %g", f->key, f->least,
                       f->most, number);
    return true;
}

static bool check_words(const struct fact *f, const char *value, struct err *err)
{
    for (const char *at = value; *at; at += strspn(at, ", ")) {
        size_t span = strcspn(at, ", ");
        if (span && f->words && !has_word(f->words, at, span))
            return err_set(err, ERR_DATA, NULL, "%s takes words of: %s, not \"%.*s\"", f->key,
                           f->words, (int)(span > 80 ? 80 : span), at);
        at += span;
    }
    return true;
}

bool fact_check(const struct fact *f, const char *value, const struct ports *ports, struct err *err)
{
    struct dispatch_limits limits;
    portset set;
    const char *at = value;

    switch (f->type) {
    case FACT_NUMBER:
    case FACT_WHOLE:
        return check_number(f, value, err);
    case FACT_SWITCH:
        return has_word("yes no", value, strlen(value)) ||
               err_set(err, ERR_DATA, NULL, "%s must be yes or no, not \"%.80s\"", f->key, value);
    case FACT_CHOICE:
        return has_word(f->words, value, strlen(value)) ||
               err_set(err, ERR_DATA, NULL, "%s must be one of: %s, not \"%.80s\"", f->key,
                       f->words, value);
    case FACT_WORDS:
        return check_words(f, value, err);
    case FACT_PORTS:
        return !ports || (portset_parse(&at, ports, &set, NULL) && !*at) ||
               err_set(err, ERR_DATA, NULL,
                       "%s takes ports of the machine, such as p%s, not \"%.80s\"", f->key,
                       ports->count ? ports->names[0] : "0", value);
    case FACT_LIMITS:
        return dispatch_limits_parse(value, ports, &limits, err);
    case FACT_TEXT:
        break;
    }
    return true;
}

static const struct fact *known(const char *key)
{
    const struct fact *f = fact_find(key);
    if (!f)
        BUG("no fact %s in the schema", key);
    return f;
}

double fact_number(const struct machine *m, const char *key)
{
    const struct fact *f = known(key);
    const char *value = machine_fact(m, key);
    double number;

    if (f->type != FACT_NUMBER && f->type != FACT_WHOLE)
        BUG("the fact %s is not a number", key);
    if (value && parse_number(value, &number) && number >= f->least)
        return number > f->most ? f->most : number;
    if (!f->otherwise)
        return NAN;
    return parse_number(f->otherwise, &number) ? number : fact_number(m, f->otherwise);
}

bool fact_switch(const struct machine *m, const char *key)
{
    const struct fact *f = known(key);
    const char *value = machine_fact(m, key);

    if (f->type != FACT_SWITCH)
        BUG("the fact %s is not yes or no", key);
    bool fits = value && has_word("yes no", value, strlen(value));
    return strcmp(fits ? value : f->otherwise, "yes") == 0;
}

void fact_values(const struct fact *f, struct str *out)
{
    switch (f->type) {
    case FACT_TEXT:
        str_add(out, "text");
        break;
    case FACT_NUMBER:
    case FACT_WHOLE:
        str_addf(out, "%snumber%s%s, %g to %g", f->type == FACT_WHOLE ? "whole " : "",
                 *f->unit ? " of " : "", f->unit, f->least, f->most);
        break;
    case FACT_SWITCH:
        str_add(out, "yes or no");
        break;
    case FACT_CHOICE:
        str_addf(out, "%s: %s", strchr(f->words, ' ') ? "one of" : "only", f->words);
        break;
    case FACT_WORDS:
        str_addf(out, "list of %s%s",
                 f->words   ? "these: "
                 : *f->unit ? f->unit
                            : "names",
                 f->words ? f->words : "");
        break;
    case FACT_PORTS:
        str_add(out, "ports, such as p23");
        break;
    case FACT_LIMITS:
        str_add(out, "limits, such as 4 of p01; 2 within p23");
        break;
    }
}

void fact_fallback(const struct fact *f, struct str *out)
{
    bool key = f->otherwise && fact_find(f->otherwise);
    bool number = f->type == FACT_NUMBER || f->type == FACT_WHOLE;
    str_addf(out, "%s%s", key ? "as " : "",
             f->otherwise ? f->otherwise
             : number     ? "not modelled"
                          : "none");
}
