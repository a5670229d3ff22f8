within A; // nothing else: allowed by the grammar
