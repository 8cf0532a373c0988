"""SDKs for tests: simulated ones, and stubs of those whose headers alone can be had."""

from generators.build import BUILD

SDKS = BUILD / "sdks"
