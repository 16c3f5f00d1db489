"""Parts that every other folder may use: options of the game, wording, commands as they are typed, files."""
