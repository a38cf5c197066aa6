"""The built program in a data folder of its own, for the clients in the files beside this one.

FATHOM_BINARY names the program, FATHOM_EXAMPLES the folder of example documents; `cargo xtask clients` sets both.
Everything is offline: no model, no web, one library.
"""

import os
import subprocess
import tempfile

BINARY = os.environ["FATHOM_BINARY"]
EXAMPLES = os.environ["FATHOM_EXAMPLES"]
QUESTION = "Do street trees lower summer heat in towns?"


# Only providers that need a key, and there is none: nothing leaves this machine.
NO_WEB = {f"FATHOM_SEARCH_{kind}": provider for kind, provider in [
    ("WEB", "serper"), ("ACADEMIC", "serper"), ("NEWS", "newsapi"), ("CODE", "serper"), ("ENCYCLOPAEDIA", "serper"),
]}


class Folder:
    """A data folder whose library is that of the street trees, unless it is to be bare."""

    def __init__(self, bare=False):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-clients-")
        self.home = self.folder.name
        if bare:
            return
        self.command("library", "add", os.path.join(EXAMPLES, "street-trees"))
        self.command("library", "add", "--library", "trees", os.path.join(EXAMPLES, "street-trees"))

    def environment(self):
        return {"FATHOM_HOME": self.home, "FATHOM_SERVE_LISTEN": "127.0.0.1:0", **NO_WEB}

    def command(self, *words):
        done = subprocess.run(
            [BINARY, *words], env=self.environment(), cwd=self.home, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def close(self):
        self.folder.cleanup()


class Served(Folder):
    """The same, served over HTTP on loopback."""

    def __init__(self, bare=False):
        super().__init__(bare)
        self.process = subprocess.Popen(
            [BINARY, "serve"], env=self.environment(), cwd=self.home, stderr=subprocess.PIPE, text=True
        )
        for line in self.process.stderr:
            if line.startswith("Listening on "):
                self.address = line.removeprefix("Listening on ").strip()
                return
        raise AssertionError("the service did not start")

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stderr.close()
        super().close()
