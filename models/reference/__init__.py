"""The models once more, in NumPy and float64: forward and backward written out by hand from the equations.

Nothing is shared with the torch models, neither layers nor the optimiser nor the random numbers, so what both agree
on is not a mistake that both inherited. A layer is a function that gives its output and a function that takes the
gradient of the loss by that output back to its inputs, adding what belongs to its weights to a table on the way:

    Y, back = linear(X, weights, "dense1")
    dX = back(dY, gradients)          # gradients["dense1.weight"] and ["dense1.bias"] have grown
"""
