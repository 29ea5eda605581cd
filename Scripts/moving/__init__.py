"""What signalbox-move is made of: a package's files, their import lines, and what it says of them."""
