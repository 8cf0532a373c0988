"""Small modules that read, check and emit; each is a function of its inputs."""
