"""Questions: each builds what is to be played, has it played, and returns one typed answer."""
