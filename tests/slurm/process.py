"""process.py find|kill WORD...: the process whose command line is these words.

find prints its number, or nothing where there is none; kill waits until there is one, and ends it at once.
"""
import os
import signal
import sys
import time


def process_of(words):
    wanted = b"\0".join(os.fsencode(word) for word in words)
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                # one that has named itself has more of them behind its name
                if file.read().rstrip(b"\0 ") == wanted:
                    return int(name)
        except OSError:  # it has ended meanwhile
            continue
    return None


def main():
    action, words = sys.argv[1], sys.argv[2:]
    found = process_of(words)
    while action == "kill" and found is None:
        time.sleep(0.005)
        found = process_of(words)
    if action == "kill":
        os.kill(found, signal.SIGKILL)
    elif found is not None:
        print(found)


main()
