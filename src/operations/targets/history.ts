import type { Store } from '../../compose/store.ts';
import { packageOf } from '../../fleet/identity.ts';
import { headOf, namedIds } from '../../fleet/ledger/ledger-entries.ts';
import { idsOf } from '../../fleet/ledger/lockfile-deltas.ts';
import type { LedgerScan, MovedPackage } from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { requireSeen, unknownTarget, unreadableOf } from '../context.ts';
import type { Call, Operation } from '../operation.ts';
import { EVER, pointOf, readEntries, timeOf } from '../packages/periods.ts';
import { pageOf, takePage } from '../paging.ts';
import { searchWords, sinceOf } from '../parameters.ts';

/** Packages that came, or went, with one scan, and are listed. */
const MAX_LISTED = 1_000;

type Filters = Call<'lockhound.targets.history'>['params'];

/** Lists the changes of a target by its scans, the newest first. */
export const history: Operation<'lockhound.targets.history'> = async ({ params, principal }, context) => {
  const { target } = params;
  await requireSeen(context, principal, target);
  const { fleet } = context;
  const store = fleet.of(target);
  if ((await store.fleet.summary(target)) === undefined)
    throw await unknownTarget(context, principal, target);
  const { entries, unread } = await readEntries(context, { target }, EVER.since);
  const page = pageOf<Pick<LedgerScan, 'scan'>>(context, {
    method: 'lockhound.targets.history',
    params,
    principal,
  });
  const since = headOf(entries)?.since;
  const { items, next } = await takePage(
    scansOf(store, entries, params, page.after?.scan),
    page,
    ({ scan }) => ({ scan }),
  );
  return {
    target,
    ...(since === undefined ? {} : { knownSince: timeOf(since) }),
    scans: [...items],
    ...(unread === 0 ? {} : { notKnown: unread }),
    ...unreadableOf(context, principal),
    ...next,
  };
};

/** The scans that fit, the newest first. `after`: the last one of the page before. */
async function* scansOf(
  { packageIds }: Pick<Store, 'packageIds'>,
  entries: readonly LedgerEntry[],
  filters: Filters,
  after: string | undefined,
): AsyncGenerator<LedgerScan> {
  const from = Math.floor((sinceOf(filters.since) ?? 0) / 1_000);
  const delivered = Map.groupBy(
    entries.filter((entry) => entry.delivered !== undefined),
    ({ scan }) => scan,
  );
  // One without a scan stands for an end that cannot be read.
  const scans = entries
    .filter(({ delivered, scan, at }) => delivered === undefined && scan !== '' && at >= from)
    .reverse();
  const first = after === undefined ? 0 : scans.findIndex(({ scan }) => scan === after) + 1;
  const isPlain = filters.search === undefined && filters.lockfile === undefined;
  for (const entry of scans.slice(first)) {
    const ids = [...namedIds([entry])];
    const identities = await packageIds.identities(ids);
    const names = new Map(ids.map((id, index) => [id, identities[index]]));
    const found = scanOf(entry, names, filters);
    if (!isPlain && found.came.length + found.went.length + found.alerts.length === 0) continue;
    const accepted = delivered.get(entry.scan) ?? [];
    yield {
      ...found,
      delivered: accepted.map((one) => ({ route: one.delivered ?? '', at: timeOf(one.at) })),
    };
  }
}

type Names = ReadonlyMap<number, string | undefined>;

function scanOf(
  entry: LedgerEntry,
  names: Names,
  { lockfile, search }: Filters,
): Omit<LedgerScan, 'delivered'> {
  const words = searchWords(search);
  const fits = ({ purl }: { readonly purl: string }) =>
    words.every((word) => purl.toLowerCase().includes(word));
  const files = (entry.files ?? []).filter(({ path }) => lockfile === undefined || path === lockfile);
  // What a commit held before the history begins did not come with it.
  const came = (entry.held === true ? [] : files).flatMap(({ path, came: steps, via, roots }) =>
    idsOf(steps).flatMap((id, index) => {
      const place = via[index] ?? -1;
      const root = names.get(roots[place - 1] ?? -1);
      return movedPackage(path, names.get(id), {
        ...(place < 0 ? {} : { direct: place === 0 }),
        ...(root === undefined ? {} : { through: root.slice(root.indexOf(':') + 1) }),
      });
    }),
  );
  const went = files.flatMap(({ path, went: steps }) =>
    idsOf(steps).flatMap((id) => movedPackage(path, names.get(id), {})),
  );
  const alerts = (lockfile === undefined ? (entry.findings ?? []) : []).map(
    ({ transition, rule, severity, purl, advisory, routes }) => ({
      ...{ transition, rule, severity, purl },
      ...defined({ advisory, routes: routes && [...routes] }),
    }),
  );
  const [listedCame, listedWent] = [came.filter(fits), went.filter(fits)];
  const lost = files
    .flatMap((file) => [...idsOf(file.came), ...idsOf(file.went)])
    .filter((id) => names.get(id) === undefined);
  const omitted =
    lost.length +
    Math.max(0, listedCame.length - MAX_LISTED) +
    Math.max(0, listedWent.length - MAX_LISTED) +
    (entry.omitted ?? 0);
  return {
    ...pointOf(entry),
    ...(entry.start === true ? { start: true } : {}),
    came: listedCame.slice(0, MAX_LISTED),
    went: listedWent.slice(0, MAX_LISTED),
    alerts: alerts.filter(fits),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** The moved package; empty for one whose name is lost. */
function movedPackage(
  lockfile: string,
  identity: string | undefined,
  use: Pick<MovedPackage, 'direct' | 'through'>,
): readonly MovedPackage[] {
  if (identity === undefined) return [];
  const { name, version, purl } = packageOf(identity);
  return [{ lockfile, purl, name, version, ...use }];
}
