.data
mask_ dq 0FFh
.code
count PROC FRAME
      .endprolog
      xor   eax, eax
@@:   mov   r8, qword ptr [rcx+rax*8]
      and   r8, 0FFh
      cmp   r8, mask_
      je    @F
      inc   rax
      jmp   @B
@@:   ret
count ENDP
END
