// Lane 15 reads lane 16, which does not run, and drops what it read.
        LANEID R0 ;
        SHFL.DOWN PT, R1, R0, 0x1, 0x1f ;
        ISETP.EQ P0, R0, 0xf ;
        @P0 MOV R1, R0 ;
        EXIT ;
