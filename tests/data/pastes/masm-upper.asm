FILLZ   PROC
        MOV     RAX, RDX
        XOR     R8D, R8D
        ALIGN   16
NEXT:   MOV     QWORD PTR [RCX], R8
        ADD     RCX, 08h
        SUB     RAX, 1
        CMP     RAX, 0h
        JNE     SHORT NEXT
        RET
FILLZ   ENDP
