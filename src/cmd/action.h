/* Actions of the views and of their frame that have no command. The command `do` performs them by
 * name. */
#ifndef PORTOLAN_CMD_ACTION_H
#define PORTOLAN_CMD_ACTION_H

/* The first actions move the selection or scroll. Each view performs the actions that apply to it.
 * If the displayed view does not perform one of the last actions, the frame does. */
#define ACTIONS(ACTION)                                                                            \
    ACTION(DOWN, "down")                                                                           \
    ACTION(UP, "up") ACTION(PAGE_DOWN, "page-down") ACTION(PAGE_UP, "page-up")                     \
        ACTION(FIRST, "first") ACTION(LAST, "last") ACTION(SCROLL_DOWN, "scroll-down")             \
            ACTION(SCROLL_UP, "scroll-up") ACTION(LEFT, "left") ACTION(RIGHT, "right") ACTION(     \
                OPEN, "open") ACTION(DETAIL_DOWN, "detail-down") ACTION(DETAIL_UP, "detail-up")    \
                ACTION(SORT_NEXT, "sort-next") ACTION(SORT_PREVIOUS, "sort-previous")              \
                    ACTION(REVERSE, "reverse") ACTION(FOLLOW, "follow") ACTION(TAG, "tag")         \
                        ACTION(UNTAG, "untag") ACTION(NEXT_MACHINE, "next-machine") ACTION(        \
                            PREVIOUS_MACHINE, "previous-machine") ACTION(SIDE_BY_SIDE, "beside")   \
                            ACTION(CHAIN, "chain") ACTION(EDIT, "edit") ACTION(NEXT, "next")       \
                            ACTION(EXPLAIN, "explain")                                             \
                                ACTION(PREVIOUS, "previous") ACTION(PAUSE, "pause") ACTION(        \
                                    AXIS, "axis") ACTION(VOLUME, "volume") ACTION(RUN, "run")      \
                                    ACTION(ROUNDS, "rounds") ACTION(FRONT, "front")                \
                                        ACTION(PROFILE, "profile") ACTION(LOOPS, "loops")          \
                                            ACTION(CORRECT, "correct") ACTION(PORTS, "ports")      \
                                                ACTION(ALL, "all") ACTION(GENERATE, "generate")    \
                                                    ACTION(STOP, "stop")                       \
                                                    ACTION(ZOOM, "zoom") ACTION(BACK, "back")      \
                                                    ACTION(RETURN, "return")                       \
                                                        ACTION(CANCEL, "cancel")                   \
                                                            ACTION(REDRAW, "redraw")               \
                                                                ACTION(SUSPEND, "suspend")

#define ACTION_VALUE(value, name) ACTION_##value,
#define ACTION_CHOICE(value, name) "|" name
enum action { ACTIONS(ACTION_VALUE) ACTION_COUNT };

/* The choices of command `do`: "down|up|...". */
#define ACTION_CHOICES (&(ACTIONS(ACTION_CHOICE))[1])

/* Returns the action named @name; ACTION_COUNT: no action has this name. */
enum action action_find(const char *name);

#endif
