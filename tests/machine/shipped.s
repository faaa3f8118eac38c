    VOTE.ANY R0, PT, P1 ;
