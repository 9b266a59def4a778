#!/usr/bin/env bash
# Containers for `.ci/deployment`, which sources this: podman behind the commands `docker` and `docker compose`, with storage, networks and
# images of its own in $folder, and base images that are made here, because no registry of images is needed or asked.

# The packages that are missing. docker-compose of a release before 2.0 has no `--wait`: then that of Debian's next release is unpacked.
containers_install() {
  local missing=()
  command -v podman >/dev/null || missing+=(podman)
  command -v runc >/dev/null || [ -x /usr/sbin/runc ] || missing+=(runc)
  command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
  command -v iptables >/dev/null || [ -x /usr/sbin/iptables ] || missing+=(iptables)
  command -v redis-server >/dev/null || missing+=(redis-server)
  command -v prometheus >/dev/null || missing+=(prometheus)
  [ -x /usr/lib/cni/bridge ] || missing+=(containernetworking-plugins)
  [ -x /usr/lib/cni/dnsname ] || missing+=(golang-github-containernetworking-plugin-dnsname)
  if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$folder/apt.log" 2>&1 ||
      { tail -5 "$folder/apt.log"; exit 1; }
  fi
  compose=$(command -v docker-compose || true)
  if ! { [ -n "$compose" ] && "$compose" version 2>/dev/null | grep -q 'version v\?2'; }; then
    next_release docker-compose
    compose=$(find "$folder/next" -path '*cli-plugins/docker-compose' -type f | head -1)
  fi
  "$compose" version
}

# next_release <package>: unpacks a package of Debian 13 in $folder/next, without installing it.
next_release() {
  local state=$folder/apt
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$folder/next"
  local mirror
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)
  [ -n "$mirror" ] || { echo 'no mirror of Debian in /etc/apt'; exit 1; }
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$state/sources.list"
  local options=(-qq -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$state"
    -o "Dir::Cache=$state/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  (cd "$state" && apt-get "${options[@]}" download "$1")
  dpkg -x "$state/$1"_*.deb "$folder/next"
}

# Puts `docker` and a runtime without its limits (a sandbox may not raise them) first on the path, and starts the API of podman.
containers_start() {
  mkdir -p "$folder/bin" "$folder/cni"
  bridges_before=$(bridges)
  cat >"$folder/containers.conf" <<END
[containers]
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "$folder/bin/runc"
[network]
network_backend = "cni"
network_config_dir = "$folder/cni"
END
  cat >"$folder/bin/runc" <<'END'
#!/usr/bin/env bash
set -e
PATH=${PATH#*:}:/usr/sbin
previous=
for one in "$@"; do
  if [ "$previous" = --bundle ]; then
    node -e 'const f = process.argv[1] + "/config.json", fs = require("node:fs"), c = JSON.parse(fs.readFileSync(f)); delete c.process.rlimits; fs.writeFileSync(f, JSON.stringify(c))' "$one"
  fi
  previous=$one
done
exec runc "$@"
END
  cat >"$folder/bin/docker" <<END
#!/usr/bin/env bash
if [ "\$1" = compose ]; then shift; exec "$compose" "\$@"; fi
exec podman --root "$folder/storage" --runroot "$folder/run" "\$@"
END
  chmod +x "$folder/bin/"*
  export CONTAINERS_CONF=$folder/containers.conf PATH=$folder/bin:$PATH:/usr/sbin
  export DOCKER_HOST=unix://$folder/podman.sock DOCKER_BUILDKIT=0 BUILDAH_ISOLATION=chroot TMPDIR=$folder/tmp
  mkdir -p "$TMPDIR"
  podman --root "$folder/storage" --runroot "$folder/run" system service --time 0 "$DOCKER_HOST" >"$folder/podman.log" 2>&1 &
  podman_service=$!
  for _ in $(seq 100); do [ -S "$folder/podman.sock" ] && break; sleep 0.1; done
  health_checks &
  checks=$!
}

# podman leaves the interval of health checks to systemd, which need not run here.
health_checks() {
  local one
  while sleep 1; do
    for one in $(docker ps --quiet 2>/dev/null); do timeout 20 docker healthcheck run "$one" >/dev/null 2>&1 || true; done
  done
}

# base_images: `localhost/node-base` with the Node and npm of package-lock.json and of the registry, `localhost/valkey-base`.
base_images() {
  local node_root=$folder/node-root
  mmdebstrap --quiet --variant=apt --include=ca-certificates bookworm "$node_root"
  # What this machine trusts and asks, for the installs in the build.
  cp /etc/ssl/certs/ca-certificates.crt "$node_root/etc/ssl/certs/ca-certificates.crt"
  printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\n' "$(npm config get registry 2>/dev/null)" >"$node_root/root/.npmrc"
  mkdir -p "$node_root/usr/local/bin" "$node_root/usr/local/lib/node_modules"
  cp "$(node -p 'require("node:fs").realpathSync(process.argv[1])' "$repository/node_modules/node/bin/node")" "$node_root/usr/local/bin/node"
  (cd "$folder" && npm pack --silent npm@11 >/dev/null && tar xzf npm-*.tgz && mv package "$node_root/usr/local/lib/node_modules/npm")
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$node_root/usr/local/bin/npm"
  tar -C "$node_root" -c . | docker import -q - localhost/node-base:1 >/dev/null
  mmdebstrap --quiet --variant=essential --include=valkey-server,valkey-tools trixie "$folder/valkey-root"
  # As in the published image, whose server is built without protected mode.
  printf '#!/bin/sh\nexec /usr/bin/valkey-server "$@" --protected-mode no\n' >"$folder/valkey-root/usr/local/bin/valkey-server"
  chmod +x "$folder/valkey-root/usr/local/bin/valkey-server"
  tar -C "$folder/valkey-root" -c . | docker import -q --change 'WORKDIR /data' --change 'VOLUME /data' - localhost/valkey-base:1 >/dev/null
  rm -rf "$node_root" "$folder/valkey-root"
  export NODE_IMAGE=localhost/node-base:1 VALKEY_IMAGE=localhost/valkey-base:1
}

# The bridges of networks of containers.
bridges() { (cd /sys/class/net && ls -d cni-podman* 2>/dev/null) || true; }

containers_stop() {
  if [ -n "${podman_service:-}" ]; then
    kill "${checks:-}" 2>/dev/null || true
    wait "${checks:-}" 2>/dev/null || true
    timeout 60 podman --root "$folder/storage" --runroot "$folder/run" rm --all --force --time 2 >/dev/null 2>&1 || true
    timeout 60 podman --root "$folder/storage" --runroot "$folder/run" volume prune --force >/dev/null 2>&1 || true
    timeout 60 podman --root "$folder/storage" --runroot "$folder/run" network prune --force >/dev/null 2>&1 || true
    kill "$podman_service" 2>/dev/null || true
    wait "$podman_service" 2>/dev/null || true
    # The monitors of health checks stay for minutes. Only they name this folder.
    for one in $(pgrep -f "$folder"); do kill "$one" 2>/dev/null || true; done
    sleep 1
    for one in $(bridges); do
      grep -qx "$one" <<<"$bridges_before" || ip link delete "$one" 2>/dev/null || true
    done
    # The clean-up of a monitor may mount it once more.
    while umount "$folder/storage/overlay" 2>/dev/null; do :; done
  fi
}
