"""A preview of the built program on a copy of the demonstration site."""

import logging
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

# Test cases run in the debug mode of asyncio, which tells of each step that takes long.
logging.getLogger("asyncio").setLevel(logging.ERROR)

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("QUIRE_BIN") or REPOSITORY / "target/debug/quire")
MUSEUM = REPOSITORY / "fixtures/museum"


class Preview:
    """`quire dev` with `options`, from when it listens until it is stopped."""

    def __init__(self, *options):
        if not PROGRAM.exists():
            raise FileNotFoundError(f"{PROGRAM} is missing: run cargo build first")
        self.folder = Path(tempfile.mkdtemp(prefix="quire-python-"))
        shutil.copytree(MUSEUM, self.folder, dirs_exist_ok=True)
        command = [PROGRAM, "dev", self.folder, "--port", "0", "--no-state", "--search-deadline", "60000", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r" at (http://[0-9.:]+) ", line)
            if found:
                self.origin = found[1]
                break
        else:
            raise RuntimeError(f"quire dev ended with {self.process.wait()}")
        # What it says from now on must be read, or it waits.
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def stop(self):
        """Ends it, and takes away its folder."""
        self.process.terminate()
        code = self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert code == 0, f"quire dev ended with {code}"
