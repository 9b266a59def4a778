import { timeOf } from '../../compose/health.ts';
import { type Check, type Finding, fault, note, ok, type Patient, warning } from './check.ts';

const SKEW_MS = 5_000;

async function runningIn({ stores }: Patient) {
  const [first] = stores.shards;
  if (first === undefined) return { now: Date.now(), all: [], running: [] };
  const now = await timeOf(first);
  const all = await stores.workers.list(now);
  return { now, all, running: all.filter(({ running }) => running).map(({ record }) => record) };
}

const presence: Check = {
  subject: 'workers',
  name: 'presence',
  async run(patient) {
    const { all, running } = await runningIn(patient);
    if (running.length === 0) return fault('no worker runs', 'Start one: `lockhound worker`.');
    const { shards } = patient.stores;
    const covered = new Set(running.flatMap((record) => record.shards ?? shards.map((_, index) => index)));
    const missing = shards.flatMap((_, index) => (covered.has(index) ? [] : [index]));
    const found: Finding[] = [];
    if (missing.length > 0) {
      found.push(
        ...fault(`no worker runs the jobs of shard ${missing.join(', ')}`, 'Start one with `--shard`.'),
      );
    }
    for (const { record } of all.filter(({ running: runs }) => !runs)) {
      const says = `worker ${record.host} (process ${record.pid}) was seen last at ${record.seenAt} and did not stop orderly`;
      found.push(...note(says, 'Look at its last log lines and its memory limit; its jobs run elsewhere.'));
    }
    return found.length > 0
      ? found
      : ok(running.length === 1 ? '1 worker runs' : `${running.length} workers run`);
  },
};

const releases: Check = {
  subject: 'workers',
  name: 'releases',
  async run(patient) {
    const { running } = await runningIn(patient);
    const named = (of: (record: (typeof running)[number]) => string) =>
      [...Map.groupBy(running, of)]
        .map(([name, group]) => `${name} (${group.length})`)
        .sort()
        .join(', ');
    if (running.length === 0) return note('no worker says its release');
    const says = `Lockhound ${named(({ release }) => release)}, Node ${named(({ node }) => node)}`;
    if (new Set(running.map(({ release }) => release)).size === 1) return ok(says);
    return warning(says, 'Complete the upgrade: older workers leave jobs of newer ones to them.');
  },
};

const clocks: Check = {
  subject: 'workers',
  name: 'clocks',
  async run(patient) {
    const { running, now } = await runningIn(patient);
    // A record in the future cannot be old: the clock of its worker is ahead.
    const ahead = running.filter(({ seenAt }) => Date.parse(seenAt) - now > SKEW_MS);
    const behind = running.filter(
      ({ seenAt }) => now - Date.parse(seenAt) > SKEW_MS + patient.loaded.config.worker.lockDuration,
    );
    const wrong = [...ahead, ...behind];
    if (wrong.length === 0) return ok('the clocks of all workers agree with that of Redis');
    const hosts = wrong.map(({ host, seenAt }) => `${host} (${seenAt})`).join(', ');
    return warning(`the clock differs, or the process hangs, at ${hosts}`, 'Synchronise the clocks (NTP).');
  },
};

export const WORKER_CHECKS: readonly Check[] = [presence, releases, clocks];
