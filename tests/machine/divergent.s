// Lanes part, vote and shuffle among themselves, and join again.
        LANEID R0 ;
        ISETP.LT P0, R0, 16 ;
        @P0 BRA low ;
        SHFL.DOWN P1, R1, R0, 0x1, 0x1f ;
        VOTEU.ANY UR1, UP1, P1 ;
        BRA join ;
low:    REDUX.SUM R1, R0 ;
        VOTE.ALL R2, P2, P0 ;
join:   WARPSYNC 0xffffffff ;
        MATCH.ANY R3, PT, R2 ;
        ELECT P3, R4, P1 ;
        MOV R5, UR1 ;
        EXIT ;
