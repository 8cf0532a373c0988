#!/bin/sh
# Python for a worker of a process whose CUDA libraries were preloaded: torch_fl/preload.py makes multiprocessing and
# torchrun start this. multiprocessing's own helper imports nothing, and is spared.
case "$*" in
*"from multiprocessing.resource_tracker import"*) ;;
*)
  export LD_PRELOAD="$FLAGOS_PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}"
  export LD_LIBRARY_PATH="$FLAGOS_PRELOAD_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  ;;
esac
exec "$FLAGOS_PRELOAD_PYTHON" "$@"
