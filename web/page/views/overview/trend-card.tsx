import type { DayCount, Overview } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { session } from '../../api/session.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { Shown } from '../../parts/notice.tsx';
import { TrendChart } from './trend-chart.tsx';

/** Days of the trend. */
const DAYS = 90;

/** Open findings of the last days, for people who see the whole fleet. The last day is today, as the overview counts it. */
export function TrendCard({ fleet }: { readonly fleet: Overview }) {
  const seesAll = session.value?.targets.includes('*') === true;
  const loaded = useLoaded(seesAll ? 'trend' : '', (signal) =>
    call('lockhound.fleet.trend', { days: DAYS }, { signal }),
  );
  if (!seesAll) return null;
  const today: DayCount = {
    day: fleet.readAt.slice(0, 10),
    targets: fleet.targets,
    open: fleet.open,
  };
  return (
    <Card title="Open findings, last 90 days" class="whole">
      <Shown loaded={loaded}>
        {({ days }) => (
          <TrendChart days={[...days.filter(({ day }) => day < today.day), today]} length={DAYS} />
        )}
      </Shown>
    </Card>
  );
}
