"""SDKs for tests: simulated ones, and stubs of those whose headers alone can be had."""
