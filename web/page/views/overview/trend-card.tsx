import { useState } from 'preact/hooks';
import type { DayCount, Overview } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { session } from '../../api/session.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { Shown } from '../../parts/notice.tsx';
import { TrendChart } from './trend-chart.tsx';

/** Lengths of the trend, in days. */
const LENGTHS = [
  [90, '90 days'],
  [365, 'a year'],
] as const;

/** Open findings of the last days, for people who see the whole fleet. The last day is today, as the overview counts it. */
export function TrendCard({ fleet }: { readonly fleet: Overview }) {
  const seesAll = session.value?.targets.includes('*') === true;
  const [days, setDays] = useState<number>(90);
  const loaded = useLoaded(seesAll ? `trend ${days}` : '', (signal) =>
    call('lockhound.fleet.trend', { days }, { signal }),
  );
  if (!seesAll) return null;
  const today: DayCount = {
    day: fleet.readAt.slice(0, 10),
    targets: fleet.targets,
    open: fleet.open,
  };
  return (
    <Card
      title={`Open findings, last ${days} days`}
      class="whole"
      aside={
        <fieldset class="switch">
          <legend class="hidden">Length of the trend</legend>
          {LENGTHS.map(([length, text]) => (
            <button key={length} type="button" aria-pressed={length === days} onClick={() => setDays(length)}>
              {text}
            </button>
          ))}
        </fieldset>
      }
    >
      <Shown loaded={loaded}>
        {({ days: counted }) => (
          <TrendChart days={[...counted.filter(({ day }) => day < today.day), today]} length={days} />
        )}
      </Shown>
    </Card>
  );
}
