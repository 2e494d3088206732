"""Compares replays of recorded networks with what TCP got there: python3 replays.py FOLDER [NAME...]

FOLDER has the data, in the folders that replays.md names. The environment variable SEAMLINE names the command.
"""
import sys

import cellular
import flent_lab
import leoreplayer
import over_linux
import starlink
import wetlinks

COMPARISONS = {"leoreplayer": leoreplayer, "flent": flent_lab, "starlink": starlink, "cellular": cellular, "wetlinks": wetlinks, "over-linux": over_linux}

if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for name in sys.argv[2:] or COMPARISONS:
        print(f"\n### {name}")
        COMPARISONS[name].compare(sys.argv[1], lambda text: print(text, flush=True))
