// An inclusive scan in one instruction, and the same in steps of shuffles.
        LANEID  R1 ;
        SCAN.SUM R2, R0 ;

        MOV R3, R0 ;
        SHFL.UP P0, R4, R3, 0x1, 0x0 ;
        @P0 IADD R3, R3, R4 ;
        SHFL.UP P0, R4, R3, 0x2, 0x0 ;
        @P0 IADD R3, R3, R4 ;
        SHFL.UP P0, R4, R3, 0x4, 0x0 ;
        @P0 IADD R3, R3, R4 ;
        SHFL.UP P0, R4, R3, 0x8, 0x0 ;
        @P0 IADD R3, R3, R4 ;
        SHFL.UP P0, R4, R3, 0x10, 0x0 ;
        @P0 IADD R3, R3, R4 ;

        ISETP.EQ P1, R2, R3 ;
        VOTE.ALL RZ, P2, P1 ;       // P2: both agree in every lane
        LROT R5, R1, 0x3 ;
        SATADD P3, R6, R7, R7 ;
        EXIT ;
