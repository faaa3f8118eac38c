LD R0, [RZ + 0x100] ;
