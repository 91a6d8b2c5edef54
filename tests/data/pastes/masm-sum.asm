        option  casemap:none
        .const
one     REAL8   1.0
        .code

; double sum(const double *x, size_t n)
sum     PROC
        xorps   xmm0, xmm0
        test    rdx, rdx
        jz      done
again:  addsd   xmm0, REAL8 PTR [rcx]
        add     rcx, 8
        dec     rdx
        jnz     again
done:   mulsd   xmm0, one
        ret
sum     ENDP
        END
