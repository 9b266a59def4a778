import type { ScanDetails } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { recordedChanges } from '../../api/recorded-changes.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { counted } from '../../parts/format.ts';
import { targetAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { OpenCounts } from '../../parts/open-counts.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from '../../routing/location.ts';
import { LedgerChanges } from './history.tsx';

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

function Details({ details: { scan, deliveries, omitted }, onChange }: DetailsProps) {
  const { target, requestedAt } = scan;
  const history = useLoaded(`history ${scan.scan}`, (signal) =>
    recordedChanges(scan.scan, target, requestedAt, signal),
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
          {omitted === undefined ? null : (
            <p class="faint">and {counted(omitted, 'earlier delivery', 'earlier deliveries')}.</p>
          )}
        </Card>
        <Card title="What it changed" class="whole">
          <Shown loaded={history}>
            {({ found, isCut }) =>
              found === undefined ? (
                <Nothing>
                  {isCut
                    ? 'Not known: the target was scanned too often since.'
                    : 'No change of this scan is recorded.'}
                </Nothing>
              ) : (
                <LedgerChanges target={target} scan={found} />
              )
            }
          </Shown>
        </Card>
      </div>
    </>
  );
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
