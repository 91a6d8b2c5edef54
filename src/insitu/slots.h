/* Layout of each thread's memory at segment gs, which the copies of a loop use */
#ifndef PORTOLAN_INSITU_SLOTS_H
#define PORTOLAN_INSITU_SLOTS_H

/* Offsets in a thread's slot. Words have 8 bytes unless noted. */
enum copy_slot {
    SLOT_FREE0 = 0x00,         /* saved registers during the execution of a copy */
    SLOT_FREE1 = 0x08,
    SLOT_FREE2 = 0x10,
    /* timing visits with an induction register: sum of its changes for all iterations of completed
     * visits, and its values at the last entry and at the last exit */
    SLOT_STEPS = 0x18,
    SLOT_STEPS_FROM = 0x20,
    SLOT_STEPS_TO = 0x28,
    /* target of an indirect jump, as an address in the copies and in the original */
    SLOT_JUMP_COPY = 0x30,
    SLOT_JUMP_ORIGINAL = 0x38,
    SLOT_COUNTDOWN = 0x40,     /* timing: number of passes of the first copy until the next stamp */
    SLOT_PERIOD = 0x48,        /* initial value of the countdown */
    SLOT_BLOCKS = 0x50,        /* timing: number of completed countdowns */
    /* number of passes of all copies that were counted in advance but not executed */
    SLOT_UNFINISHED = 0x58,
    SLOT_STAMPS_LEFT = 0x60,
    SLOT_STAMP_AT = 0x68,      /* address of the next stamp */
    SLOT_PASSES = 0x70,        /* counting: number of passes of the first copy */
    SLOT_LEAVES = 0x78,        /* timing: number of exits from the loop */
    SLOT_EVENTS = 0x80,        /* recording: number of events (32 bits) */
    SLOT_RECORDS_LEFT = 0x88,  /* number of iterations to record */
    /* timing visits: time of the last exit, 0 after the following return; time of that return */
    SLOT_LEFT_AT = 0x90,
    SLOT_CAME_AT = 0x98,
    SLOT_AWAY = 0xa0,          /* ticks outside the loop */
    SLOT_AT_END = 0xa8,        /* replaying: address to jump to after the last stamp */
    /* Address of the next list: the number of passes until the next stamp, the addresses to store
     * to, a 0, the addresses to load, and a 0. */
    SLOT_TOUCH = 0xb0,
    SLOT_TOUCH_BEGIN = 0xb8,   /* value of SLOT_TOUCH at the start of each repeat */
    SLOT_STAMPS_EACH = 0xc0,
    /* address of a list of pairs of an address and the word to store there, ended by a 0 */
    SLOT_RESTORE = 0xc8,
    SLOT_STATE_AT = 0xd0,      /* address of the state that xrstor restores */
    SLOT_FLAGS_AT = 0xd8,      /* address of a word with the flags */
    SLOT_REPEATS = 0xe0,       /* number of remaining repeats */
    SLOT_AGAIN = 0xe8,         /* number of passes through the longer path of the patch */
    SLOT_REGISTERS = 0x100,    /* replaying: sixteen registers in the order of their encoding */
    SLOT_FLAGS = 0x180,
    SLOT_PARTS = 0x200,        /* counting a loop of computed gotos: executions of each part */
    /* Stamps of six words: time; low 32 bits of the time before the clock measurement; time after
     * it; exits; ticks outside the loop; passes that were not executed, or SLOT_STEPS. */
    SLOT_STAMPS = 0x4000,
    SLOT_RING = 0x10000,       /* events of a recording */
    SLOT_STATE = 0x90000,      /* replaying: state that xrstor restores */
    SLOT_TOUCHES = 0xa0000,
    SLOT_RESTORES = 0xc8000,
    SLOT_BYTES = 0x100000,
};
#define PARTS_MOST ((SLOT_STAMPS - SLOT_PARTS) / 8)
#define STAMP_BYTES 48u
#define STAMPS_MOST 680u
/* number of dependent instructions of the clock measurement, between the last two times of a
 * stamp */
#define STAMP_CYCLES 600u
/* Number of clock measurements whose mean is the overhead of one measurement. The mean is
 * necessary because the counter advances in steps. */
#define CLOCK_CHAINS 256u
#define RING_EVENTS 65536u

#endif
