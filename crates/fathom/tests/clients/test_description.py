"""The service keeps to its own description, whatever a client sends: schemathesis finds nothing."""

import os
import subprocess
import sys
import unittest

from fathom import Served

# What a body must say beyond its schema, such as the name of a workflow that there is, a schema cannot tell.
UNCHECKED = "positive_data_acceptance"


class Description(unittest.TestCase):
    def test_every_request_is_answered_as_described(self):
        # With nothing to search, a request that is taken ends at once.
        served = Served(bare=True)
        self.addCleanup(served.close)
        schemathesis = os.path.join(os.path.dirname(sys.executable), "schemathesis")
        command = [
            schemathesis, "run", served.address + "/openapi.json", "--phases", "coverage,fuzzing", "--max-examples", "25",
            "--seed", "15", "--continue-on-failure", "--no-shrink", "--suppress-health-check", "all", "--warnings", "off",
            "--exclude-checks", UNCHECKED, "--request-timeout", "30",
        ]
        done = subprocess.run(command, cwd=served.home, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
