// Lanes 0 to 15 read lanes 16 to 31, which go another way.
        LANEID R0 ;
        ISETP.LT P0, R0, 16 ;
        @!P0 BRA join ;
        SHFL.DOWN PT, R1, R0, 0x10, 0x1f ;
        IADD R2, R1, 0x1 ;
        ST [RZ + 0x4], R2 ;
join:   WARPSYNC 0xffffffff ;
        EXIT ;
