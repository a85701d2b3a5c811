"""Run with `python -m unittest discover tests` or `pytest`."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sprag_k8s

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer, maximum: 10}}
"""
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"


def widget(size):
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": size}}


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


class WidgetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        crd = Path(cls.folder.name, "widgets.yaml")
        crd.write_text(CRD)
        cls.server = sprag_k8s.Server(crds=[crd]).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def test_a_widget_is_stored(self):
        self.server.request("POST", WIDGETS, widget(3))
        names = [item["metadata"]["name"] for item in self.server.request("GET", WIDGETS)["items"]]
        self.assertEqual(names, ["a"])

    def test_a_widget_that_is_too_large_is_refused(self):
        with self.assertRaisesRegex(sprag_k8s.ApiError, "should be less than or equal to 10") as refused:
            self.server.request("POST", WIDGETS, widget(11))
        self.assertEqual((refused.exception.code, refused.exception.status["reason"]), (422, "Invalid"))


class LifeTest(unittest.TestCase):
    def test_it_ends_with_the_block(self):
        with sprag_k8s.Server() as server:
            pid, kubeconfig = server.pid, Path(server.kubeconfig)
            self.assertTrue(runs(pid) and kubeconfig.exists())
            self.assertEqual(server.request("GET", "/version")["minor"], server.kubernetes_version.split(".")[1])
        self.assertFalse(runs(pid) or kubeconfig.exists())

    @unittest.skipIf(os.name == "nt", "no signals")
    def test_nothing_is_left_when_the_test_crashes(self):
        script = """
import os, signal, sprag_k8s
server = sprag_k8s.Server().start()
print(server.url, server.kubeconfig, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
        crashed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        url, kubeconfig = crashed.stdout.split()
        port = int(url.rsplit(":", 1)[1])
        deadline = time.monotonic() + 60
        # Not by its id: who has nobody to wait for it may stay in the table of processes for a while.
        while (answers(port) or Path(kubeconfig).parent.exists()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(answers(port) or Path(kubeconfig).parent.exists())

    def test_many_run_beside_each_other(self):
        count = 50 if os.environ.get("SPRAG_FULL") else 8

        def life(number):
            with sprag_k8s.Server() as server:
                server.request("POST", "/api/v1/namespaces", {"metadata": {"name": f"own-{number}"}})
                names = [item["metadata"]["name"] for item in server.request("GET", "/api/v1/namespaces")["items"]]
                own = [name for name in names if name.startswith("own-")]
                return server.url, server.pid, Path(server.kubeconfig).parent, own

        with ThreadPoolExecutor(8) as pool:
            lives = list(pool.map(life, range(count)))
        self.assertEqual([own for *_, own in lives], [[f"own-{number}"] for number in range(count)])
        self.assertFalse([pid for _, pid, _, _ in lives if runs(pid)])
        self.assertFalse([folder for _, _, folder, _ in lives if folder.exists()])

    def test_an_older_release_answers(self):
        service = {"metadata": {"name": "1web"}, "spec": {"ports": [{"port": 80}]}}
        path = "/api/v1/namespaces/default/services"
        with sprag_k8s.Server(kubernetes_version="1.34") as server:
            self.assertEqual(server.kubernetes_version, "1.34")
            with self.assertRaisesRegex(sprag_k8s.ApiError, "a DNS-1035 label must consist of"):
                server.request("POST", path, service)

    def test_what_stops_it_from_starting_is_said(self):
        with self.assertRaisesRegex(sprag_k8s.StartError, "is not a time: write it like 5m"):
            sprag_k8s.Server(args=["--history", "never"]).start()
        with self.assertRaisesRegex(sprag_k8s.StartError, "cannot start /nowhere"):
            sprag_k8s.Server(binary="/nowhere").start()


if __name__ == "__main__":
    unittest.main()
