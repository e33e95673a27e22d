"""Cases of one part of the data model each."""
