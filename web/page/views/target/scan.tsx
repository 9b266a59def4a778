import type {
  LedgerScan,
  MovedPackage,
  ScanDetails,
} from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { counted } from '../../parts/format.ts';
import { targetAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { OpenCounts } from '../../parts/open-counts.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';

/** Pages of the history in which a scan is looked for, and scans of each. */
const [MAX_PAGES, PAGE_SIZE] = [5, 100];
/** Packages that are listed at first. */
const SHOWN = 200;

/** One scan: what it saw, what it changed, and the alerts about it. */
export function ScanView() {
  const scan = place.value.params.get('id') ?? '';
  const loaded = useLoaded(scan === '' ? '' : `scan ${scan}`, (signal) =>
    call('lockhound.scans.get', { scan }, { signal }),
  );
  if (scan === '') return <Unnamed title="Scan">The address names no scan.</Unnamed>;
  return (
    <Shown title="Scan" loaded={loaded}>
      {(details) => <Details details={details} onChange={loaded.reload} />}
    </Shown>
  );
}

interface DetailsProps {
  readonly details: ScanDetails;
  readonly onChange: () => void;
}

function Details({ details: { scan, deliveries }, onChange }: DetailsProps) {
  const { target, requestedAt } = scan;
  const history = useLoaded(`history ${scan.scan}`, (signal) =>
    changesOf(scan.scan, target, requestedAt, signal),
  );
  return (
    <>
      <ViewHead
        title="Scan"
        note={
          <>
            <code>{scan.scan}</code> of <a href={targetAddress(target)}>{target}</a>
          </>
        }
      />
      <div class="grid">
        <Card title="What it saw" class="whole">
          <Facts scan={scan} />
        </Card>
        <Card title="Alerts about it" class="whole">
          {deliveries.length === 0 ? (
            <Nothing>No alert was sent about it.</Nothing>
          ) : (
            <DeliveryTable deliveries={deliveries} onChange={onChange} />
          )}
        </Card>
        <Card title="What it changed" class="whole">
          <Shown loaded={history}>
            {({ found }) =>
              found === undefined ? (
                <Nothing>No change of this scan is recorded.</Nothing>
              ) : (
                <Changes target={target} scan={found} />
              )
            }
          </Shown>
        </Card>
      </div>
    </>
  );
}

/** The entry of a scan in the history of its target, which begins with the newest scan. */
async function changesOf(
  scan: string,
  target: string,
  since: string,
  signal: AbortSignal,
): Promise<{ readonly found: LedgerScan | undefined }> {
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = { target, since, pageSize: PAGE_SIZE, pageToken };
    const { scans, nextPageToken } = await call('lockhound.targets.history', params, { signal });
    const found = scans.find((one) => one.scan === scan);
    pageToken = nextPageToken;
    if (found !== undefined || pageToken === undefined) return { found };
  }
  return { found: undefined };
}

function Facts({ scan }: { readonly scan: ScanDetails['scan'] }) {
  const outcomes = Object.entries(scan.outcomes ?? {}).map(([name, count]) => `${count} ${name}`);
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        {scan.state}
        {scan.incomplete === true ? <span class="mark warn">incomplete</span> : null}
        {scan.unchanged === true ? <span class="mark">unchanged</span> : null}
        {scan.reason ?? scan.step ?? ''}
      </dd>
      <dt>Requested</dt>
      <dd>
        <Time at={scan.requestedAt} />
      </dd>
      <dt>Ended</dt>
      <dd>
        <Time at={scan.endedAt} />
      </dd>
      <dt>Lockfiles</dt>
      <dd>
        {scan.lockfiles ?? 'not known'}
        {(scan.unreadFiles ?? []).map(({ path, reason }) => (
          <p key={path}>
            <code>{path}</code> was not read: {reason}
          </p>
        ))}
      </dd>
      <dt>Packages</dt>
      <dd>
        {scan.packages ?? 'not known'}
        {outcomes.length === 0 ? null : <span class="faint"> {outcomes.join(', ')}</span>}
      </dd>
      {scan.gaps === undefined ? null : (
        <>
          <dt>Gaps</dt>
          <dd>{scan.gaps}</dd>
        </>
      )}
      <dt>Findings</dt>
      <dd>{scan.findings === undefined ? 'not known' : <OpenCounts open={scan.findings} />}</dd>
    </dl>
  );
}

function Changes({ target, scan }: { readonly target: string; readonly scan: LedgerScan }) {
  const { came, went, alerts, commit, omitted, start } = scan;
  return (
    <div class="stack">
      {commit === undefined ? null : (
        <p class="faint">
          Commit <code>{commit}</code>
        </p>
      )}
      {start === true ? <p class="faint">What the target held before is not known.</p> : null}
      <ul class="rows badged">
        {alerts.map(({ transition, severity, purl, advisory, rule }) => (
          <li key={`${transition} ${purl} ${advisory ?? rule}`}>
            <SeverityBadge severity={severity} />
            <span>
              <span class={`transition ${transition}`}>{transition}</span>
              <a href={findingsAddress({ target, package: purl, rule: [rule], state: 'all' })}>
                {advisory ?? rule}
              </a>{' '}
              <code>{purl}</code>
            </span>
          </li>
        ))}
      </ul>
      <Moved title="came" packages={came} />
      <Moved title="went" packages={went} />
      {came.length + went.length + alerts.length === 0 ? <Nothing>It changed nothing.</Nothing> : null}
      {omitted === undefined ? null : (
        <p class="faint">{counted(omitted, 'further entry', 'further entries')}.</p>
      )}
    </div>
  );
}

function Moved({ title, packages }: { readonly title: string; readonly packages: readonly MovedPackage[] }) {
  if (packages.length === 0) return null;
  return (
    <details open={packages.length <= 20}>
      <summary>
        {counted(packages.length, 'package')} {title}
      </summary>
      <ul class="paths">
        {packages.slice(0, SHOWN).map(({ lockfile, purl, name, version, direct, through }) => (
          <li key={`${lockfile} ${purl}`}>
            {name} {version} <code>{lockfile}</code>
            {direct === true ? <span class="mark">direct</span> : null}
            {through === undefined ? null : <span class="faint"> by {through}</span>}
          </li>
        ))}
      </ul>
      {packages.length > SHOWN ? <p class="faint">The first {SHOWN} are listed.</p> : null}
    </details>
  );
}
