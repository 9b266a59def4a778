import { useState } from 'preact/hooks';
import type { Scan, TargetDetails } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { counted, formatNumber } from '../../parts/format.ts';
import { LabelList } from '../../parts/labels.tsx';
import { exceptionsAddress, graphAddress, inventoryAddress, scanAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { OpenCounts } from '../../parts/open-counts.tsx';
import { Support } from '../../parts/support.tsx';
import { ListTable } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';
import { FindingTable } from '../findings/finding-table.tsx';
import { History } from './history.tsx';

/** One target with its findings, lockfiles, scans and deliveries. */
export function TargetView() {
  const target = place.value.params.get('id') ?? '';
  const loaded = useLoaded(target === '' ? '' : `target ${target}`, (signal) =>
    call('lockhound.targets.get', { target }, { signal }),
  );
  if (target === '') return <Unnamed title="Target">The address names no target.</Unnamed>;
  return (
    <Shown title="Target" loaded={loaded}>
      {(details) => <Details details={details} onChange={loaded.reload} />}
    </Shown>
  );
}

interface DetailsProps {
  readonly details: TargetDetails;
  readonly onChange: () => void;
}

function Details({ details, onChange }: DetailsProps) {
  const { target, summary } = details;
  return (
    <>
      <ViewHead
        title={target}
        note={
          summary === undefined ? undefined : (
            <>
              {counted(summary.packages, 'package')}, scanned <Time at={summary.requestedAt} />{' '}
              {summary.stale ? <span class="mark warn">stale</span> : null}
              {summary.incomplete ? <span class="mark warn">incomplete</span> : null}
              <Support release={summary.release} /> <LabelList labels={summary.labels} />
            </>
          )
        }
      />
      <div class="stack">
        <Findings details={details} />
        <Lockfiles details={details} />
        <Scans target={target} />
        <History target={target} />
        <Card title="Deliveries">
          {details.deliveries.length === 0 ? (
            <Nothing>No alert was sent about it.</Nothing>
          ) : (
            <DeliveryTable deliveries={details.deliveries} onChange={onChange} />
          )}
        </Card>
      </div>
    </>
  );
}

const STATES = [
  ['open', 'Open'],
  ['suppressed', 'Suppressed'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** All findings of a target in one state. */
function Findings({ details: { target, summary } }: { readonly details: TargetDetails }) {
  const [state, setState] = useState<(typeof STATES)[number][0]>('open');
  const filters = { target, state };
  const isKnown = summary?.incomplete !== true && summary?.stale !== true;
  const none = isKnown ? 'No finding is open.' : 'No open finding is known: not everything could be seen.';
  return (
    <Card title="Findings" aside={<a href={findingsAddress(filters)}>With all filters</a>}>
      <div class="actions start embedded-head">
        {summary === undefined ? null : <OpenCounts open={summary.open} />}
        <fieldset class="switch">
          <legend class="hidden">Which findings</legend>
          {STATES.map(([name, text]) => (
            <button key={name} type="button" aria-pressed={name === state} onClick={() => setState(name)}>
              {text}
            </button>
          ))}
        </fieldset>
      </div>
      <div class="embedded">
        <FindingTable
          label={`Findings of ${target}`}
          filters={filters}
          nothing={state === 'open' ? none : 'There is none.'}
        />
      </div>
    </Card>
  );
}

function Lockfiles({ details: { target, lockfiles } }: { readonly details: TargetDetails }) {
  return (
    <Card title="Lockfiles" aside={<a href={exceptionsAddress(target)}>Exceptions</a>}>
      <ul class="rows">
        {lockfiles.map(({ path, unread }) => (
          <li key={path}>
            <a href={inventoryAddress(target, path)}>
              <code>{path}</code>
            </a>
            {unread === undefined ? <a href={graphAddress(target, path)}>dependency graph</a> : null}
            {unread === undefined ? null : (
              <span class="mark warn" title={unread.code}>
                not read: {unread.message}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Scans({ target }: { readonly target: string }) {
  const list = useList(`scans ${target}`, async (page, signal) => {
    const { scans, nextPageToken } = await call('lockhound.scans.list', { target, ...page }, { signal });
    return { items: scans, nextPageToken };
  });
  return (
    <Card title="Scans">
      <ListTable
        label="Scans"
        columns={['Requested', 'State', { name: 'Packages', isNumber: true }, 'Changes', 'Scan']}
        list={list}
        nothing="Records of scans are kept for 30 days."
        row={scanRow}
      />
    </Card>
  );
}

function scanRow(scan: Scan) {
  const changes = Object.entries(scan.changes ?? {}).filter(([, count]) => count > 0);
  return (
    <tr key={scan.scan}>
      <td data-label="Requested">
        <Time at={scan.requestedAt} />
      </td>
      <td data-label="State">
        {scan.state}
        {scan.incomplete === true ? <span class="mark warn">incomplete</span> : null}
        {scan.unchanged === true ? <span class="mark">unchanged</span> : null}
        {scan.reason === undefined ? null : <p class="faint">{scan.reason}</p>}
      </td>
      <td data-label="Packages" class="number">
        {scan.packages === undefined ? '–' : formatNumber(scan.packages)}
      </td>
      <td data-label="Changes">
        {changes.length === 0 ? (
          <span class="faint">none</span>
        ) : (
          changes.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ')
        )}
      </td>
      <td data-label="Scan">
        <a href={scanAddress(scan.scan)}>
          <code>{scan.scan}</code>
        </a>
      </td>
    </tr>
  );
}
