"""What all tests need."""

import signal

# Shells without job control start background processes with interrupts ignored; tests interrupt themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
