"""What a history looks like to somebody who reads it."""
