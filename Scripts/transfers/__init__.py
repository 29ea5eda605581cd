"""What count-transfers is made of: runs of the program, the paths of the engine, and the page."""
