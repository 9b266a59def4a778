import { spawnSync } from 'node:child_process';
import { namedSecrets } from '../../config/load.ts';
import { packageVersion } from '../../files/package-file.ts';
import { messageOf } from '../../model/errors.ts';
import { broken, degraded, fine } from '../../model/fleet/checks.ts';
import { type IndependentCheck, independent } from './check.ts';

/** As `engines` of package.json. */
const LEAST_NODE = [22, 19] as const;
const GIT_LIMIT_MS = 3_000;

const node = independent('process', 'Node', async () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [least, leastMinor] = LEAST_NODE;
  const says = `Node ${process.versions.node}, Lockhound ${packageVersion()}`;
  if (major > least || (major === least && minor >= leastMinor)) return fine(says);
  return broken(`${says}: this Node is too old`, `Install Node ${LEAST_NODE.join('.')} or newer.`);
});

/** Every secret that the configuration refers to. */
const secrets = independent('process', 'secrets', async ({ loaded }) => {
  const all = [...namedSecrets(loaded.secrets)];
  const missing = all.flatMap(([, secret]) => {
    try {
      secret.reveal();
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  });
  if (all.length === 0) return fine('no secret is configured');
  if (missing.length === 0) return fine(`all configured secrets (${all.length}) can be read`);
  return missing.map((reason) =>
    broken(reason, 'Set the variable or mount the file; workers need the same.'),
  );
});

/** Schedules and scans of `serve.sources` read repositories with the `git` of the system. */
const git = independent('process', 'git', async ({ loaded }) => {
  const { schedules, serve } = loaded.config;
  if (serve.sources.length === 0 && !schedules.some(({ source }) => source.kind === 'git')) {
    return fine('neither a configured schedule nor `serve.sources` reads git repositories');
  }
  const { status, stdout } = spawnSync('git', ['--version'], { encoding: 'utf8', timeout: GIT_LIMIT_MS });
  if (status === 0) return fine(stdout.trim());
  return broken('git repositories are read, and `git` cannot be run', 'Install git where the workers run.');
});

const heap = independent('process', 'memory limit', async () => {
  const limit = process.constrainedMemory();
  if (limit === 0 || limit > 2 ** 50) return fine('no limit is set for this process');
  const megabytes = Math.round(limit / 2 ** 20);
  if (megabytes >= 768) return fine(`${megabytes} MiB for this process`);
  return degraded(
    `${megabytes} MiB for this process`,
    'Give workers at least 1 GiB: a lockfile of 50 MB needs more than 500 MB while it is read.',
  );
});

export const PROCESS_CHECKS: readonly IndependentCheck[] = [node, secrets, git, heap];
