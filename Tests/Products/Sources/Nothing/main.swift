// A program without a queue.

print("done")
