import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openStore } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { advisoryIdsOf } from './fleet-data.ts';
import { distinctPackages } from './fleet-fill.ts';
import { fillLedgers } from './fleet-ledgers.ts';
import { fileOptions, KEPT, keptFleet } from './kept-fleet.ts';
import { timeProcesses } from './processes.ts';
import { rowsOf, type Subject, type Table } from './rows.ts';
import { timeServer } from './server-questions.ts';

const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(import.meta.dirname, '..', 'bin', 'lockhound.js');
const FLOOR = 'node, which does nothing';
const ROUNDS = 5;

/**
 * Times questions about a fleet, whose targets have the ledger of a year: of a running server, and, unless `ONLY_SERVER=1`, as whole
 * processes over a native Redis.
 * `npm run bench -- questions [targets] [packages]`; `FLEET_FILE=<file>.rdb` keeps the filled Redis; `ARCHIVED=1`: old blocks of
 * ledgers are in a folder.
 */
export async function* measure(
  [targets = '10000', packages = '1000']: readonly string[],
  isShort: boolean,
): AsyncIterable<Table> {
  const size = {
    targets: Number(targets),
    packages: Number(packages),
    distinct: distinctPackages(Number(targets), Number(packages)),
  };
  const folder = await mkdtemp(join(tmpdir(), 'questions-'));
  const redis = await startNativeRedis(...(KEPT === undefined ? [] : fileOptions(KEPT)));
  try {
    const config = join(folder, 'lockhound.yaml');
    const storage = process.env['ARCHIVED'] === '1' ? `ledger: { storage: { folder: "${folder}" } }\n` : '';
    await writeFile(config, `redis: { url: "${redis.url}" }\n${storage}`);
    const store = await openStore(loadConfig({ file: config, environment: {} }), pino({ level: 'silent' }));
    const { filled, isKept } = await keptFleet(store, redis, size);
    await fillLedgers(store, size.targets, size.distinct);
    const counts = await store.archiveLedgers?.();
    if (counts !== undefined) console.log(`${counts.archived} blocks of ledgers are in a folder`);
    await store.close();
    const rare = filled.holders.findLastIndex((count) => count > 0);
    const advised = [...filled.holders.keys()].findLast(
      (index) => filled.holders[index] !== 0 && advisoryIdsOf(index).length > 0,
    ) as number;
    const question = (...args: readonly string[]): Subject & { readonly args: readonly string[] } => {
      return { name: args.join(' '), floor: FLOOR, args: [MAIN, ...args, '--config', config] };
    };
    const commands = [
      { name: FLOOR, args: ['-e', '0'] },
      question('targets'),
      question('targets', '--label', 'team=team-7'),
      question('findings'),
      question('findings', '--severity', 'critical', '--json'),
      question('findings', '--target', 'team-7/service-7'),
      question('where', 'package-0'),
      question('where', `package-${rare}`, '<2'),
      question('where', `package-${rare}`, '--ever'),
      question('where', 'package-0', '--ever'),
      question('where', `package-${rare}`, '--at', '100d'),
      question('where', `package-${rare}`, '--unless-fixed-within', '24h'),
      question('targets', 'history', 'team-7/service-7'),
      question('targets', 'blame', 'team-7/service-7', 'package-0'),
      question('findings', 'exposure', advisoryIdsOf(advised)[0] ?? ''),
      question('changes'),
      question('changes', '--since', '1h', '--json'),
    ];
    const advisory = advisoryIdsOf(advised)[0] ?? '';
    const target = encodeURIComponent('team-7/service-7');
    const answered = [
      { name: 'where --ever, rare', path: `packages/where?package=package-${rare}&ever=true&limit=20` },
      { name: 'where --ever, common', path: 'packages/where?package=package-0&ever=true&limit=20' },
      { name: 'where --at', path: `packages/where?package=package-${rare}&at=100d&limit=20` },
      { name: 'targets history', path: `targets/${target}/history` },
      { name: 'targets blame', path: `targets/${target}/blame?package=package-0` },
      { name: 'findings exposure', path: `findings/exposure?advisory=${advisory}` },
    ];
    yield {
      title: `a running server: ${targets} targets × ${packages} packages`,
      rows: rowsOf(answered, await timeServer(MAIN, config, answered)),
    };
    if (process.env['ONLY_SERVER'] === '1') return;
    const title = `questions: ${targets} targets × ${packages} packages (${isKept ? 'kept' : 'new'})`;
    yield { title, rows: rowsOf(commands, await timeProcesses(commands, isShort ? 2 : ROUNDS)) };
  } finally {
    await redis.close();
    await rm(folder, { recursive: true });
  }
}
