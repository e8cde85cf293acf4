"""What a check found, as people and as other programs read it: a report in words, JUnit XML, SARIF; the rules page."""
