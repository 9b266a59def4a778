import type { Scan, TargetDetails } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { DeliveryTable } from '../../parts/delivery-table.tsx';
import { counted, formatNumber } from '../../parts/format.ts';
import { LabelList } from '../../parts/labels.tsx';
import { findingAddress, inventoryAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { OpenCounts } from '../../parts/open-counts.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Support } from '../../parts/support.tsx';
import { ListTable } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';

/** Findings that are shown; the table of findings has the others. */
const SHOWN = 20;

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

function Findings({ details: { target, summary, findings } }: { readonly details: TargetDetails }) {
  const open = findings.filter(({ status, finding }) => status === 'open' && finding.level === 'alert');
  return (
    <Card title="Open findings" aside={<a href={findingsAddress({ target })}>All of this target</a>}>
      {summary === undefined ? null : <OpenCounts open={summary.open} />}
      {open.length === 0 ? (
        <Nothing>No finding is open.</Nothing>
      ) : (
        <ul class="rows badged">
          {open.slice(0, SHOWN).map(({ finding }) => (
            <li key={finding.fingerprint}>
              <SeverityBadge severity={finding.severity} />
              <a href={findingAddress(target, finding.fingerprint)}>{finding.title}</a>
              <span class="faint">
                {finding.package.name} {finding.package.version}
                {finding.suppressed === undefined ? '' : ' · suppressed'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Lockfiles({ details: { target, lockfiles } }: { readonly details: TargetDetails }) {
  return (
    <Card title="Lockfiles">
      <ul class="rows">
        {lockfiles.map(({ path, unread }) => (
          <li key={path}>
            <a href={inventoryAddress(target, path)}>
              <code>{path}</code>
            </a>
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
        <code>{scan.scan}</code>
      </td>
    </tr>
  );
}
