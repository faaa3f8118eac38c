// Each lane adds 1 to its word, the upper half of the warp twice.
        LANEID R0 ;
        IADD R1, R0, R0 ;
        IADD R1, R1, R1 ;
        ISETP.GE P0, R0, 16 ;
        LD R2, [R1 + 0x10] ;
        IADD R2, R2, 1 ;
        @P0 IADD R2, R2, 1 ;
        ST [R1 + 0x10], R2 ;
