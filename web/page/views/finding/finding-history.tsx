import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';

/** What happened to a finding, as far as the log of changes goes back. */
export function FindingHistory({ one }: { readonly one: FleetFinding }) {
  const { target, finding } = one;
  const params = { target, fingerprint: finding.fingerprint, notes: true, pageSize: 50 };
  const loaded = useLoaded(`history ${target} ${finding.fingerprint}`, (signal) =>
    call('lockhound.changes.list', params, { signal }),
  );
  return (
    <Card title="History">
      <Shown loaded={loaded}>
        {({ scans }) => (
          <ul class="rows">
            {scans.flatMap(({ id, at, scan, changes }) =>
              changes.map(({ transition }) => (
                <li key={`${id} ${transition}`}>
                  <span class={`transition ${transition}`}>{transition}</span>
                  <Time at={at} />
                  <span class="faint">scan {scan}</span>
                </li>
              )),
            )}
            {scans.some(({ changes }) => changes.some(({ transition }) => transition === 'opened')) ? null : (
              <li>
                <span class="transition opened">opened</span>
                <Time at={one.openedAt} />
              </li>
            )}
          </ul>
        )}
      </Shown>
    </Card>
  );
}
