"""Chapter two: one block wired as an encoder, as a decoder, as both, and as an interface."""
