        LANEID R0 ;
        ISETP.LT P0, R0, 16 ;
        @P0 EXIT ;
        ISETP.EQ P1, R0, 31 ;
        @P1 BRA alone ;
        WARPSYNC 0xffffffff ;
        EXIT ;
alone:  WARPSYNC 0x1 ;
        WARPSYNC 0xf0000000 ;
