"""Whether what the pages say can be done, and their links lead somewhere."""
