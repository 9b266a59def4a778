import { useState } from 'preact/hooks';
import type {
  FleetFinding,
  LoggedChange,
  ScanChanges,
} from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { AlertRoute } from './alert-route.tsx';

/** What happened to a finding, as far as the log of changes goes back, and the alerts about it. */
export function FindingHistory({ one }: { readonly one: FleetFinding }) {
  const { target, finding } = one;
  const params = { target, fingerprint: finding.fingerprint, notes: true, pageSize: 50 };
  const loaded = useLoaded(`history ${target} ${finding.fingerprint}`, (signal) =>
    call('lockhound.changes.list', params, { signal }),
  );
  return (
    <Card title="History and alerts" class="whole">
      <Shown loaded={loaded}>
        {({ scans }) => {
          const changes = scans.flatMap((scan) => scan.changes.map((change) => ({ scan, change })));
          return (
            <ul class="rows">
              {changes.map(({ scan, change }, index) => (
                <ChangeRow
                  key={`${scan.id} ${change.transition}`}
                  scan={scan}
                  change={change}
                  isOpenAtFirst={index === 0}
                />
              ))}
              {changes.some(({ change: { transition } }) => transition === 'opened') ? null : (
                <li>
                  <span class="transition opened">opened</span>
                  <Time at={one.openedAt} />
                </li>
              )}
            </ul>
          );
        }}
      </Shown>
    </Card>
  );
}

interface ChangeRowProps {
  readonly scan: ScanChanges;
  readonly change: LoggedChange;
  readonly isOpenAtFirst: boolean;
}

function ChangeRow({ scan: { target, scan, requestedAt, at }, change, isOpenAtFirst }: ChangeRowProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { transition } = change;
  return (
    <li>
      <span class={`transition ${transition}`}>{transition}</span>
      <Time at={at} />
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen}
        aria-label={`Alerts: ${transition}`}
        onClick={() => setOpen(!isOpen)}
      >
        Alerts
      </button>
      {isOpen ? (
        <div class="row-more">
          <AlertRoute target={target} scan={scan} requestedAt={requestedAt} change={change} />
        </div>
      ) : null}
    </li>
  );
}
