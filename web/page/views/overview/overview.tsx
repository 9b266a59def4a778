import type { Overview } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card, ViewHead } from '../../parts/card.tsx';
import { counted, formatNumber } from '../../parts/format.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../routing/location.ts';
import { HealthCard } from './health-card.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { SeverityBar } from './severity-bar.tsx';
import { TrendCard } from './trend-card.tsx';
import { UrgentFindings } from './urgent-findings.tsx';

/** The fleet at a glance. */
export function OverviewView() {
  const overview = useLoaded('fleet', (signal) => call('lockhound.fleet.get', {}, { signal }));
  return (
    <>
      <ViewHead title="Overview" />
      <Shown loaded={overview}>{(fleet) => <Fleet fleet={fleet} />}</Shown>
    </>
  );
}

function Fleet({ fleet }: { readonly fleet: Overview }) {
  if (fleet.targets === 0) {
    return (
      <>
        <HealthCard />
        <Card title="Targets">
          <Nothing>
            No target has been scanned. <code>lockhound enqueue</code> scans one now,{' '}
            <code>lockhound schedules</code> reads sources regularly.
          </Nothing>
        </Card>
      </>
    );
  }
  const { clear = 0 } = fleet.worst;
  const isKnown = fleet.incomplete + fleet.stale === 0;
  const without = isKnown ? 'without an open finding' : 'without an open finding that is known';
  return (
    <>
      <HealthCard />
      <div class="grid two">
        <Card title="Open findings" aside={<a href="/findings">All findings</a>}>
          <SeverityBar
            counts={fleet.open}
            total={isKnown ? 'No finding is open.' : 'No open finding is known.'}
            hrefOf={(severity) => addressOf('/findings', { severity })}
          />
        </Card>
        <Card
          title="Targets by worst finding"
          aside={<a href="/targets">{counted(fleet.targets, 'target')}</a>}
        >
          <SeverityBar
            counts={fleet.worst}
            total={isKnown ? 'Every target is clear.' : `Every target is ${without}.`}
            hrefOf={(worst) => addressOf('/targets', { worst })}
          />
          {clear > 0 ? (
            <p class="faint">
              {counted(clear, 'target')} {without}.
            </p>
          ) : null}
        </Card>
        <TrendCard fleet={fleet} />
        <UrgentFindings />
        <div class="stack">
          <Card title="To look at">
            <Attention fleet={fleet} />
          </Card>
          <RecentChanges />
        </div>
      </div>
      <p class="faint foot">
        {counted(fleet.packages, 'package')} in {counted(fleet.targets, 'target')}; read{' '}
        <Time at={fleet.readAt} />.
      </p>
    </>
  );
}

interface Item {
  readonly count: number;
  /** Of one, and of several. */
  readonly says: readonly [one: string, several: string];
  readonly href?: string;
}

/** What is stale, unwatched, incomplete or not delivered. */
function Attention({ fleet }: { readonly fleet: Overview }) {
  const items: readonly Item[] = [
    {
      count: fleet.stale,
      says: [
        'stale: its packages were not looked up for too long',
        'stale: their packages were not looked up for too long',
      ],
      href: addressOf('/targets', { stale: true }),
    },
    {
      count: fleet.failingSources,
      says: ['unwatched: its source cannot be read', 'unwatched: their sources cannot be read'],
      href: '/schedules',
    },
    {
      count: fleet.incomplete,
      says: [
        'incomplete: the last scan could not see everything',
        'incomplete: their last scans could not see everything',
      ],
      href: addressOf('/targets', { incomplete: true }),
    },
    {
      count: fleet.failedDeliveries,
      says: ['alert failed permanently', 'alerts failed permanently'],
      href: addressOf('/deliveries', { state: 'failed' }),
    },
    {
      count: fleet.stoppedRoutes.length,
      says: ['route is stopped', 'routes are stopped'],
      href: '/deliveries',
    },
    {
      count: fleet.openDeliveries,
      says: ['alert is not delivered yet', 'alerts are not delivered yet'],
      href: addressOf('/deliveries', { state: 'waiting' }),
    },
    {
      count: fleet.rejected ?? 0,
      says: ['payload was rejected', 'payloads were rejected'],
      ...(may('lockhound.rejected.list', { isFleetWide: true }) ? { href: '/rejected' } : {}),
    },
    {
      count: fleet.leftOut,
      says: ['finding is not listed: there are too many', 'findings are not listed: there are too many'],
    },
    {
      count: fleet.unreadable.length,
      says: [
        'stored value cannot be read (see `lockhound doctor`)',
        'stored values cannot be read (see `lockhound doctor`)',
      ],
    },
  ];
  const shown = items.filter(({ count }) => count > 0);
  if (shown.length === 0) return <Nothing>Nothing is stale, unwatched or undelivered.</Nothing>;
  return (
    <ul class="to-look-at">
      {shown.map(({ count, says: [one, several], href }) => {
        const says = count === 1 ? one : several;
        return (
          <li key={several}>
            <strong>{formatNumber(count)}</strong> {href === undefined ? says : <a href={href}>{says}</a>}
          </li>
        );
      })}
    </ul>
  );
}
