again: BRA again ;
