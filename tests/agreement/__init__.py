"""Independent readers of the schema, held against each other and against the codec."""
