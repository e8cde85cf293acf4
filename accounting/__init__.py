"""How histories are kept, checked and read: everything with I/O. Depends on `wire`, never the reverse."""
